// Runs always.
// Launches that are measured in slices, with real processes.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readCost } from '../../lib/machine/process-cost.js';
import { readResults } from '../../lib/results/read.js';
import { SlicedLaunch } from '../../lib/run/launch-groups.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
import { startCli, workspaceForEach } from '../fixtures/cli-run.js';
import { commandOf, eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const PLAN = { rounds: 2, skipMs: 5, measureMs: longEnoughMs(50) };
const TIMING = { warmupMs: 30, measureMs: 2 * PLAN.measureMs, sliceMs: PLAN.measureMs };
// Workers that are processes, and some that are threads. The long form has all that need nothing but this machine.
const USUAL = ['unix', 'threads-shared'];
const OF_PROCESSES = ['pipe', 'tcp', 'udp', 'fifo', 'stdio', 'websocket', 'zeromq', 'http', 'http2', 'grpc'];
const TRANSPORTS = IS_LONG ? [...USUAL, ...OF_PROCESSES, 'threads-message', 'shared-memory'] : USUAL;

/** @param {Parameters<typeof launchCell>[0]} wish */
function launchInSlices(wish) {
  const sliced = new SlicedLaunch(1);
  sliced.plan = PLAN;
  const ending = launchCell({ timing: TIMING, ...wish, sliced });
  const end = () => sliced.end();
  ending.then(end, end);
  return { sliced, ending };
}

describe('a launch in slices', () => {
  for (const transport of TRANSPORTS) {
    it(`rests between its slices over ${transport}, and reports their sum`, ON_LINUX, async () => {
      const { sliced, ending } = launchInSlices({ transport, cell: { workers: 1, loops: 3 } });
      await sliced.done;
      await sliced.run({ kind: 'warm-up' });
      await sliced.measureSlice(0, false);
      const pids = processesBelow(process.pid, 'launch/');
      const readings = () => pids.map((pid) => readCost(pid));
      const before = readings();
      await new Promise((resolve) => setTimeout(resolve, 300));
      const spentUs = readings().reduce((sum, cost, index) => {
        const was = before[index];
        return cost && was ? sum + cost.userUs + cost.systemUs - was.userUs - was.systemUs : sum;
      }, 0);
      await sliced.measureSlice(1, false);
      await sliced.measureSlice(1, true);
      sliced.run({ kind: 'finish' });
      const { end } = await ending;
      assert.ok(end.kind === 'done', JSON.stringify(end));
      const { operations, loopsMs, reports, costs } = end.fields;
      const { slices } = sliced;
      assert.deepEqual([slices.rounds, slices.repeated], [[0, 1], 1]);
      assert.ok(
        loopsMs >= 3 * TIMING.measureMs,
        'each of three loops counts for the length of each slice at least',
      );
      const counted = slices.operations[0] + slices.operations[1];
      assert.deepEqual([operations, reports[0].latency.count], [counted, counted]);
      const sumMs = (counted * reports[0].latency.meanNs) / 1e6;
      assert.ok(Math.abs(sumMs / loopsMs - 1) < 1e-3, `${sumMs} ms in ${loopsMs} ms of loops`);
      // A collector of garbage may still have work to do; a load, a spin or a timer of 1 ms would take many times that.
      assert.ok(spentUs < patiently(30_000), `${spentUs} µs in 300 ms`);
      assert.ok(costs.every((/** @type {any} */ { share }) => share > 0 && share < 4));
      assert.ok(slices.cpuMs.every((ms) => ms > 0 && ms < 8 * PLAN.measureMs));
    });
  }

  it('fails when a worker dies while it rests', ON_LINUX, async () => {
    const { sliced, ending } = launchInSlices({});
    await sliced.done;
    await sliced.run({ kind: 'warm-up' });
    const [worker] = processesBelow(process.pid, '/worker.js');
    process.kill(worker, 'SIGKILL');
    const { end, left } = await ending;
    assert.ok(end.kind === 'failed' && end.code === 'PROCESS_DIED', JSON.stringify(end));
    assert.match(end.message, /worker w\d .*was killed by SIGKILL/);
    assert.deepEqual(left, []);
    assert.equal(await sliced.run({ kind: 'finish' }), undefined);
  });
});

describe('a group of launches', () => {
  const workspace = workspaceForEach();
  const SHORT =
    '--codec json --warmup 50ms --slice 30ms --workers 1x2 --payload 50 --no-controls --no-charts --out r';
  const results = () => readResults(join(workspace.folder, 'r', 'results.json'));

  it('measures the other launches when a worker is killed', ON_LINUX, async () => {
    const run = startCli(`--transport pipe,unix,tcp --launches 1 --measure 600ms ${SHORT}`, workspace);
    const pid = Number(run.child.pid);
    const victim = await eventually(() => processesBelow(pid, '/worker.js').at(-1), 10_000);
    // All of them live side by side before the first slice.
    await eventually(() => processesBelow(pid, '/worker.js').length === 3, 10_000);
    process.kill(victim, 'SIGKILL');
    const { code, stderr } = await run.ended;
    assert.equal(code, 3, stderr);
    const { outcomes } = await results();
    const failed = outcomes.filter(({ status }) => status === 'failed');
    assert.equal(failed.length, 1);
    assert.equal(outcomes.filter(({ status }) => status === 'measured').length, 2);
    assert.equal(commandOf(victim), '');
    assert.deepEqual(workspace.leftovers(), []);
  });
});
