// Runs at night.
// Whatever process of a run is killed, and whenever: no process and no broken file is left, and the next run removes the
// rest. `npm run kill-loop -- 1000 [seed]` kills as many, and prints what.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath } from '../../lib/children/launcher.js';
import { readResults } from '../../lib/results/read.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { commandOf, eventually, namesInSharedMemory, processesBelow } from '../fixtures/launch-cell.js';

const [, , kills, seed] = process.argv;
const KILLS = Number(kills ?? 20);
// The usual seed meets the runner, a server, and others. A search of a given length draws its own.
const SEED = Number(seed ?? (kills === undefined ? 20 : Math.floor(Math.random() * 2 ** 32)));
const MAX_MS = 2_500; // start, two launches, and charts
const GONE_MS = 2_000;
const HAS_REDIS = (findOnPath('redis-server') ?? findOnPath('valkey-server')) !== undefined;
const TRANSPORTS = ['unix', 'tcp', 'zeromq', 'pipe', ...(HAS_REDIS ? ['redis-pubsub'] : [])];

/**
 * @param {() => number} random
 * @returns {Promise<string>} what was killed, and when
 * @throws when anything is left that should not be
 */
async function killRun(random) {
  const workspace = makeWorkspace();
  try {
    const transport = TRANSPORTS[Math.floor(random() * TRANSPORTS.length)];
    const run = startCli([...argsOf(transport), '--launches', '2', '--out', 'out'], workspace);
    const runner = Number(run.child.pid);
    const afterMs = random() * MAX_MS;
    await sleep(afterMs);
    const all = [runner, ...processesBelow(runner, '')];
    const victim = random() < 0.5 ? runner : all[Math.floor(random() * all.length)];
    const what = `${transport}, after ${Math.round(afterMs)} ms: ${commandOf(victim) || 'nobody'}`;
    kill(victim);
    const { code } = await run.ended;
    try {
      await eventually(() => all.every((pid) => commandOf(pid) === ''), GONE_MS);
      const path = join(workspace.folder, 'out', 'results.json');
      if (existsSync(path)) await readResults(path);
      if (victim !== runner) assert.ok(code === 0 || code === 3, `exit code ${code}`);
      await assertNextIsClean(workspace);
    } catch (error) {
      throw new Error(`${what}: ${/** @type {Error} */ (error).message}`, { cause: error });
    }
    return what;
  } finally {
    workspace.remove();
  }
}

/** @param {import('../fixtures/cli-run.js').Workspace} workspace */
async function assertNextIsClean(workspace) {
  if (workspace.leftovers().length > 0) {
    const next = startCli(
      [...argsOf('unix'), '--launches', '1', '--out', 'next', '--quiet', '--no-charts'],
      workspace,
    );
    assert.equal((await next.ended).code, 0, 'exit code of the next run');
  }
  assert.deepEqual(workspace.leftovers(), [], 'left in the temporary folder');
  assert.deepEqual(namesInSharedMemory(), []);
}

/** @param {string} transport */
function argsOf(transport) {
  const short = ['--warmup', '50ms', '--messages', '200', '--workers', '2x2', '--no-controls'];
  return ['--transport', transport, '--codec', transport === 'pipe' ? 'v8' : 'json', ...short];
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

describe(`a run, killed by seed ${SEED}`, {
  skip: process.platform === 'linux' ? false : 'finds processes in /proc',
}, () => {
  const random = seededRandom(SEED);
  for (let count = 1; count <= KILLS; count += 1)
    it(`leaves nothing after kill ${count}`, async (t) => t.diagnostic(await killRun(random)));
});
