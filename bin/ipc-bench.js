#!/usr/bin/env node
// argv in, exit code out. The only place that sets the exit code and may end the process by force.

import { errorText } from '../lib/cli/error-text.js';
import { main } from '../lib/cli/main.js';
import { exitCodeOf } from '../lib/errors.js';

const { stdout, stderr, env: environment } = process;
// Whoever writes is told of it as well.
stdout.on('error', () => {});
// A terminal that was closed: what is measured is still saved.
stderr.on('error', () => {});
try {
  const exitNow = (/** @type {number} */ code) => process.exit(code);
  process.exitCode = await main(process.argv.slice(2), { stdout, stderr, environment, exitNow });
} catch (error) {
  console.error(errorText(error));
  process.exitCode = exitCodeOf(error);
}
