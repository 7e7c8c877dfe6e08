// The slices of a launch, as its controller joins them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MeasuredSlices } from '../../lib/launch/controller/measured-slices.js';
import { Meter } from '../../lib/measure/meter.js';

/**
 * @param {number[]} operations   of each slice, of one worker
 * @param {object} [endpoint]       of the master
 * @returns {MeasuredSlices} of a master that spends 1 ms of CPU time between two readings
 */
function watchOf(operations, endpoint = {}) {
  const left = [...operations];
  let readings = 0;
  const reading = () => {
    readings += 1;
    return { userUs: 1_000 * readings, systemUs: 0 };
  };
  const group = {
    areThreads: false,
    countsWhole: () => true,
    trouble: new Promise(() => {}),
    forget() {},
    sendAll() {},
    receiveAll: async (/** @type {string} */ kind) =>
      kind === 'counted' ? [] : [{ ...sliceOf(left.shift() ?? 0), cpuMs: 3, spentCpuMs: 4 }],
  };
  const master = { readCost: reading, readCpuMs: () => 0 };
  const spec = {
    network: null,
    broker: null,
    toMaster: null,
    kills: 0,
    timing: { messages: null, slices: {} },
    deadlines: { finishMs: 60_000, replyMs: 60_000 },
  };
  const load = { own: undefined, isRunning: false, leastFromMs: 0, marginMs: 0, work: [] };
  return new MeasuredSlices(/** @type {any} */ ({ spec, group, master, endpoint, pool: null }), load);
}

/** @param {number} operations */
const sliceOf = (operations) => ({ operations, windowMs: 2, completed: operations });

const step = (dropsLast = false) =>
  /** @type {const} */ ({ kind: 'slice', skipMs: 0, measureMs: 1, dropsLast });

describe('MeasuredSlices', () => {
  // The timers of a slice do not keep a process alive.
  /** @type {NodeJS.Timeout | undefined} */
  let alive;
  before(() => {
    alive = setInterval(() => {}, 1_000);
  });
  after(() => clearInterval(alive));

  it('reports the CPU time of the master and its workers with each slice', async () => {
    const report = await watchOf([10]).measure(step());
    assert.deepEqual(report, { operations: 10, windowMs: 2, cpuMs: 4, spentCpuMs: 4 });
  });

  it('adds the slices of a master with a load of its own', async () => {
    const meter = new Meter();
    meter.addLoops(1);
    const run = async () => {
      for (let startMs = performance.now(); !meter.isOver; startMs = meter.nowMs) {
        await new Promise((resolve) => setImmediate(resolve));
        meter.isFresh = false;
        meter.count(0, startMs, meter.stamp());
      }
    };
    const watch = watchOf([0, 0], { meter, run });
    await watch.measure({ ...step(), measureMs: 20 });
    const { operations, windowMs } = await watch.measure({ ...step(true), measureMs: 20 });
    watch.report();
    assert.ok(operations > 0 && windowMs >= 20);
    assert.equal(meter.counted().operations, operations, 'without the slice that was dropped');
  });

  it('leaves a dropped slice out of the costs', async () => {
    const watch = watchOf([1, 2, 3, 4]);
    for (const dropsLast of [false, true, true, false]) await watch.measure(step(dropsLast));
    const { from, to } = watch.report();
    const cpuUs = Number(to.own?.userUs) - Number(from.own?.userUs);
    assert.equal(cpuUs, 2_000, 'of the two slices that count');
  });

  it('throws if a launch ended before its first slice', () => {
    assert.throws(() => watchOf([]).report(), /ended before its first slice/);
  });
});
