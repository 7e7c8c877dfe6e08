#!/usr/bin/env node
// In this process, only this module sets the exit code and calls process.exit().

import { errorText, isStdoutClosed, refuseRemovedFolder } from '../lib/cli/process-io.js';
import { exitCode, exitCodeFor } from '../lib/errors.js';
import { hasAbandonedPlugins, runningPlugins } from '../lib/plugins/plugin-call.js';

const ENDED_EARLY =
  'ipc-bench: the process ended before the command was done: something that it loaded called process.exit(), or waits for ever.';
const { stdout, stderr, env: environment } = process;
// The listener prevents an uncaught exception: the callback of each write reports the same error.
stdout.on('error', () => {});
// Without this listener, a closed terminal would end the process before it saves results.
stderr.on('error', () => {});
let isOver = false;
/** @param {number} code */
const exitNow = (code) => {
  isOver = true;
  process.exit(code);
};
process.once('uncaughtExceptionMonitor', () => {
  isOver = true;
});
process.once('exit', () => {
  if (isOver) return;
  const plugins = runningPlugins();
  process.exitCode = exitCode(plugins === null ? 'unexpected' : 'usage');
  console.error(
    plugins === null
      ? ENDED_EARLY
      : `ipc-bench: the process was ended by ${plugins}. A plug-in must not call process.exit().`,
  );
});
// Exits with the code of 'terminated' unless a command that measures has added its own listener.
process.on('SIGHUP', () => {
  if (process.listenerCount('SIGHUP') === 1) exitNow(exitCode('terminated'));
});
if (isStdoutClosed())
  console.error('ipc-bench: stdout is closed or ignored, so what is printed there is lost.');
try {
  refuseRemovedFolder();
  // The import follows the check, because modules read the working directory.
  const { main } = await import('../lib/cli/main.js');
  const host = {
    stdout,
    stderr,
    environment,
    exitNow,
  };
  process.exitCode = await main(process.argv.slice(2), host);
} catch (error) {
  console.error(errorText(error));
  process.exitCode = exitCodeFor(error);
}
isOver = true;
// Abandoned plug-ins may have timers and connections that would keep this process alive.
if (hasAbandonedPlugins()) process.exit();
