// Runs in CI.
// --resume, with real processes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { IS_LONG } from '../conformance/long-form.js';
import { callCli, startCli, workspaceForEach } from '../fixtures/cli-run.js';
import { eventually } from '../fixtures/launch-cell.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const CELLS = '--transport unix,tcp --codec json --launches 2 --seed 7 --workers 1x1';
const SHORT = `${CELLS} --warmup 20ms --messages 40 --no-controls --no-charts`;

// SIGINT at any launch is in unit/interleaved-run.test.js.
const SIGNALS = /** @type {[NodeJS.Signals, string][]} */ ([
  ['SIGKILL', 'running'],
  ...(IS_LONG ? [['SIGINT', 'interrupted']] : []),
]);

const workspace = workspaceForEach();

/** @param {string} out @returns {Promise<import('../../lib/types/results-file.js').Results>} */
const resultsIn = (out) => readResults(join(workspace.folder, out, 'results.json'));

/** @param {import('../../lib/types/results-file.js').Results} results */
const structureOf = ({ status, seed, options, outcomes }) => ({
  status,
  seed,
  options,
  outcomes: outcomes.map((outcome) => ({
    status: outcome.status,
    cell: outcome.cell,
    launches: outcome.status === 'skipped' ? [] : outcome.launches.map(({ group, order }) => [group, order]),
  })),
});

const launchCount = (/** @type {import('../../lib/types/results-file.js').Results} */ { outcomes }) =>
  outcomes.reduce((sum, one) => sum + (one.status === 'skipped' ? 0 : one.launches.length), 0);

/**
 * @param {NodeJS.Signals} signal
 * @param {string} out
 */
async function interruptedRun(signal, out) {
  const path = join(workspace.folder, out, 'results.json');
  const run = startCli(`${SHORT} --out ${out}`, workspace);
  await eventually(() => existsSync(path), 20_000);
  await eventually(async () => launchCount(await readResults(path)) >= 1, 20_000);
  run.child.kill(signal);
  await run.ended;
  return path;
}

describe('a resumed run', () => {
  it('has the structure of an uninterrupted one, and keeps its launches', async () => {
    const whole = await callCli(`${SHORT} --out whole`, workspace, { launch: simulatedLauncher() });
    assert.equal(whole.code, 0, whole.stderr);
    const wanted = structureOf(await resultsIn('whole'));
    for (const [signal, status] of SIGNALS) {
      const path = await interruptedRun(signal, signal);
      const before = await resultsIn(signal);
      assert.equal(before.status, status);
      assert.ok(launchCount(before) < 4);
      const { code, stdout, stderr } = await startCli(['--resume', path], workspace).ended;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Interrupted, and continued at/);
      const after = await resultsIn(signal);
      assert.deepEqual(structureOf(after), wanted);
      for (const [index, outcome] of before.outcomes.entries()) {
        if (outcome.status === 'skipped') continue;
        const { launches } = /** @type {typeof outcome} */ (after.outcomes[index]);
        assert.deepEqual(launches.slice(0, outcome.launches.length), outcome.launches);
      }
    }
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('goes on with the printed command, also with a plug-in of the user', {
    skip: process.platform === 'win32',
  }, async () => {
    const unix = new URL('../../transports/unix.js', import.meta.url);
    const text = `import unix from ${JSON.stringify(unix.href)}; export default { ...unix, name: 'mine' };`;
    writeFileSync(join(workspace.folder, 'mine.js'), text);
    const run = startCli(`${SHORT} --transport ./mine.js,unix --out cut`, workspace);
    const path = join(workspace.folder, 'cut/results.json');
    await eventually(() => existsSync(path), 20_000);
    await eventually(async () => launchCount(await readResults(path)) >= 1, 20_000);
    run.child.kill('SIGINT');
    const { stdout } = await run.ended;
    const [, printed] = /: npx ipc-bench (.* --resume .*)$/m.exec(stdout) ?? [];
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${printed}`], { encoding: 'utf8' });
    const { code, stderr } = await startCli(words.trimEnd().split('\n'), workspace).ended;
    assert.equal(code, 0, stderr);
    assert.equal((await resultsIn('cut')).status, 'complete');
  });
});
