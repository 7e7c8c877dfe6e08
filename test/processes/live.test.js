// Runs in CI.
// The live ranking on a pseudo terminal, with real launches.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { readResults } from '../../lib/results/read.js';
import { COMMAND, workspaceForEach } from '../fixtures/cli-run.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
const NEEDS_TERMINAL = {
  skip: hasScript || process.env.CI ? false : 'makes a pseudo terminal with script of util-linux',
};
const ARGS =
  '--transport pipe,unix --codec json --workers 1x2 --warmup 50ms --slice 50ms --lock ignore --no-controls --no-charts --out out';

describe('the live view', () => {
  const workspace = workspaceForEach();

  /**
   * @param {string} command
   * @param {{ key?: string, at?: RegExp }} [user]   presses the key when the terminal shows this
   * @returns {Promise<string>} all that was written on the terminal
   */
  function onTerminal(command, { key = '', at = /^\b$/ } = {}) {
    const { folder, temporary } = workspace;
    // Ctrl-C reaches the shell as well, and dash ends at it unless it has a trap.
    const line = `trap : INT; stty cols 80 rows 24; stty -a > before; ${command}; echo "exit $?"; stty -a > after`;
    const { CI: _CI, NO_COLOR: _plain, ...environment } = process.env;
    const settings = { SHELL: '/bin/sh', TERM: 'xterm', LC_ALL: 'C.UTF-8' };
    const env = { ...environment, ...withTemporaryFolder(temporary), ...settings };
    const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd: folder, env });
    let written = '';
    let isPressed = false;
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      written += chunk;
      if (isPressed || key === '' || !at.test(stripVTControlCharacters(written))) return;
      isPressed = true;
      child.stdin.write(key);
    });
    return new Promise((resolve) => child.on('close', () => resolve(written)));
  }
  // Sixty rounds, so that even a loaded machine reads the key long before the last of them.
  const command = (/** @type {string} */ more = '--launches 2 --measure 3s') =>
    `"${process.execPath}" "${COMMAND}" ${ARGS} ${more}`;
  const isRestored = () => {
    const [before, after] = ['before', 'after'].map((name) =>
      readFileSync(join(workspace.folder, name), 'utf8'),
    );
    assert.match(before, /[^-]icanon/);
    assert.equal(after, before);
  };
  const results = () => readResults(join(workspace.folder, 'out', 'results.json'));

  it(
    'ranks the rows round by round, and Ctrl-C ends the run with a table of what is measured',
    NEEDS_TERMINAL,
    async () => {
      const written = await onTerminal(command(), { key: '\u0003', at: /round [3-9]\/\d+/ });
      const text = stripVTControlCharacters(written);
      assert.match(text, /Ctrl-C: end with what is measured/);
      assert.match(text, /\d+ of 1 settled/);
      assert.match(text, /1× \(reference\)/);
      assert.match(text, /SIGINT: stopping; what was measured is saved/);
      assert.match(text, /Closed loop: p99 is service time/);
      assert.match(text, /exit 130/);
      isRestored();
      const { status, outcomes } = await results();
      assert.equal(status, 'interrupted');
      const slices = outcomes.map((outcome) =>
        outcome.status === 'measured' ? outcome.launches.map((launch) => launch.slices?.rounds.length) : [],
      );
      assert.equal(slices.length, 2);
      for (const [first, ...others] of slices)
        assert.ok(Number(first) >= 1 && Number(first) < 60 && others.length === 0);
    },
  );
});
