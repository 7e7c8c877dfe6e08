// Runs in CI.
// The command of each question measures what it says, with short windows, and is planned for less than a minute.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { seriesLabel } from '../../lib/cell/labels.js';
import { QUESTIONS } from '../../lib/cli/questions.js';
import { COMMAND } from '../../lib/format/flag-text.js';
import { readResults } from '../../lib/results/read.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';

const SHORT =
  '--warmup 50ms --measure 100ms --launches 1 --lock ignore --no-controls --no-charts --quiet --out out';
/** Of another tool. */
const REFUSED = ['http-servers'];

describe('the command of the question', () => {
  const workspace = workspaceForEach();
  for (const { name, command } of QUESTIONS.filter((question) => !REFUSED.includes(question.name))) {
    const [program, tool, ...words] = command.split(' ');

    it(`${name} is one of ipc-bench, planned for less than a minute`, async () => {
      assert.equal(`${program} ${tool}`, COMMAND);
      const { code, stdout, stderr } = await callCli([...words, '--dry-run'], workspace);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /, about (?:\d+ s to )?\d+ s\b/, stdout);
    });

    it(`${name} measures its rows`, async (t) => {
      const smaller = words.map((word) => (word === '100MB' ? '1MB' : word)); // a round trip of 100 MB takes seconds
      const { code, stdout, stderr } = await callCli([...smaller, ...SHORT.split(' ')], workspace);
      assert.equal(code, 0, stdout + stderr);
      const { outcomes } = await readResults(join(workspace.folder, 'out', 'results.json'));
      // Other runtimes need not be here: the rows of this Node.js prove the command.
      const rows = outcomes.filter(({ cell }) => cell.runtime === undefined);
      assert.ok(rows.filter(({ status }) => status === 'measured').length >= 2, stdout);
      for (const { cell, reason } of rows.filter((row) => row.status === 'skipped')) {
        const why = `${seriesLabel(cell)}: ${reason}`;
        if (process.env.CI) assert.fail(why);
        t.skip(why);
      }
    });
  }
});
