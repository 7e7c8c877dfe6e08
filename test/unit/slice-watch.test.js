// The slices of a launch as its controller joins them: what is dropped counts nowhere.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SliceWatch } from '../../lib/launch/monitors/load-watch.js';
import { Meter } from '../../lib/scenario/load/meter.js';

/**
 * @param {number[]} operations   of each slice, of one worker
 * @param {object} [endpoint]       of the master
 * @returns {SliceWatch} of a master that spends 1 ms of CPU time between two readings
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
    trouble: new Promise(() => {}),
    forget() {},
    tellAll() {},
    allSay: async (/** @type {string} */ kind) =>
      kind === 'counted' ? [] : [{ ...sliceOf(left.shift() ?? 0), cpuMs: 3, turnCpuMs: 4 }],
  };
  const master = { readCost: reading, readCpuMs: () => 0 };
  const spec = {
    network: null,
    broker: null,
    toMaster: null,
    deadlines: { finishMs: 60_000, replyMs: 60_000 },
  };
  const parts = /** @type {[any, any, any, any]} */ ([spec, group, master, endpoint]);
  return new SliceWatch(...parts);
}

/** @param {number} operations */
const sliceOf = (operations) => ({ operations, windowMs: 2, completed: operations });

const turn = (/** @type {number} */ round, dropsLast = false) =>
  /** @type {const} */ ({ kind: 'slice', round, skipMs: 0, measureMs: 1, dropsLast });

describe('the slices of a launch', () => {
  // The timers of a slice do not keep a process alive.
  /** @type {NodeJS.Timeout | undefined} */
  let alive;
  before(() => {
    alive = setInterval(() => {}, 1_000);
  });
  after(() => clearInterval(alive));

  it('are told one by one, and kept with the CPU time of the master and its workers', async () => {
    const watch = watchOf([10, 20]);
    const report = await watch.measure(turn(0));
    assert.deepEqual(report, { operations: 10, windowMs: 2, cpuMs: 4, turnCpuMs: 4 });
    await watch.measure(turn(1));
    const { slices } = watch.total();
    assert.deepEqual(slices, { rounds: [0, 1], operations: [10, 20], windowMs: [2, 2], cpuMs: [4, 4] });
  });

  it('are those of a master with a load of its own as well', async () => {
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
    const reports = [];
    for (const measured of [turn(-1), turn(0, true)]) {
      reports.push(await watch.measure({ ...measured, measureMs: 20 }));
    }
    const { slices, window } = watch.total();
    const [, { operations, windowMs }] = reports;
    assert.ok(operations > 0 && windowMs >= 20);
    assert.deepEqual([slices.operations, slices.windowMs], [[operations], [windowMs]]);
    assert.equal(window.windowMs, windowMs);
    assert.equal(meter.counted().operations, operations, 'without the slice that was dropped');
  });

  it('leave out the round that does not count, and what another slice of the same round replaces', async () => {
    const watch = watchOf([1, 2, 3, 4]);
    await watch.measure(turn(-1));
    await watch.measure(turn(0, true));
    await watch.measure(turn(0, true));
    await watch.measure(turn(1));
    const { slices, from, to } = watch.total();
    assert.deepEqual([slices.rounds, slices.operations, slices.repeated], [[0, 1], [3, 4], 1]);
    const cpuUs = Number(to.own?.userUs) - Number(from.own?.userUs);
    assert.equal(cpuUs, 2_000, 'of the two slices that count');
  });

  it('are none of a launch that ended before its first one', () => {
    assert.throws(() => watchOf([]).total(), /ended before its first slice/);
  });
});
