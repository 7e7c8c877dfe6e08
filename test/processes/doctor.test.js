// Runs always.
// The command doctor, and the programs that doctor starts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runProgram } from '../../lib/doctor/windows.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';

describe('doctor', () => {
  const workspace = workspaceForEach();

  it('prints valid JSON, changes nothing, and exits with its verdict', async () => {
    const { code, stdout, stderr } = await callCli('doctor --json -', workspace);
    assert.equal(stderr, '');
    const { isFit, findings: found } = JSON.parse(stdout);
    assert.equal(code, isFit ? 0 : 6);
    assert.equal(
      isFit,
      found.every((/** @type {{ level: string }} */ { level }) => level !== 'unfit'),
    );
    assert.deepEqual(workspace.leftovers(), []);
  });
});

describe('runProgram', () => {
  it('returns null for a program that takes too long, fails, or does not exist', async () => {
    const say = (/** @type {string} */ script) => runProgram(process.execPath, ['-e', script], 5_000);
    assert.equal(await say('process.stdout.write("plan")'), 'plan');
    assert.equal(await say('process.exit(1)'), null);
    assert.equal(await runProgram('no-such-program', []), null);
    // Its child has the pipe still open.
    const stuck = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'],
      { stdio: 'inherit' }); child.on('spawn', () => process.stdout.write('half'));`;
    assert.equal(await runProgram(process.execPath, ['-e', stuck], 300), null);
  });
});
