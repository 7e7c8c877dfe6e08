// When has a process worked enough to be warm, and how much is asked of it?

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchWarmUp } from '../../lib/launch/monitors/warm-up.js';
import { isEnoughWork, isLevel } from '../../lib/launch/monitors/work-watch.js';
import { planTiming } from '../../lib/plan/timing.js';
import { cellsOf } from '../fixtures/axis-cells.js';
import { resolved } from '../fixtures/resolved.js';

const GOAL = {
  operations: 6_000,
  leastCpuMs: 250,
  enoughCpuMs: 700,
  levelWithinCpuMs: 1_400,
  idleIsEnough: true,
};

describe('the work of a process', () => {
  it('is enough by operations and CPU time, by much CPU time alone, or where the process idles', () => {
    const isEnough = (/** @type {number} */ operations, /** @type {number} */ cpuMs, isIdle = false) =>
      isEnoughWork({ operations, cpuMs, isIdle }, GOAL);
    assert.equal(isEnough(6_000, 250), true);
    assert.equal(isEnough(5_999, 250), false, 'too few operations');
    assert.equal(isEnough(60_000, 249), false, 'too little CPU time');
    assert.equal(isEnough(10, 700), true, 'operations are dear');
    assert.equal(isEnough(10, 1, true), true, 'it waits for something else');
    assert.equal(
      isEnoughWork({ operations: 10, cpuMs: 1, isIdle: true }, { ...GOAL, idleIsEnough: false }),
      false,
    );
    assert.equal(isEnoughWork({ operations: 6_000, cpuMs: null }, GOAL), true, 'nobody tells its CPU time');
  });

  it('is level once the last quarter of it is no more than 5 % cheaper than the quarter before', () => {
    /** @param {number[]} costs   ms of CPU time for each of 100 operations, in turn */
    const after = (costs) => {
      let [cpuMs, operations] = [0, 0];
      const readings = costs.map((cost, place) => {
        cpuMs += 100 * cost;
        operations += 100;
        return { atMs: place, cpuMs, operations, waitMs: 0 };
      });
      return isLevel([{ atMs: 0, cpuMs: 0, operations: 0, waitMs: 0 }, ...readings]);
    };
    assert.equal(after(Array(20).fill(1)), true);
    assert.equal(after([...Array(4).fill(2), ...Array(16).fill(1)]), true, 'it got cheaper long ago');
    assert.equal(after([...Array(12).fill(1), ...Array(4).fill(0.8)]), false);
    assert.equal(after([1, 1]), false, 'too few readings to tell');
  });

  it('is as much for each of many processes, and may take longer', () => {
    const argv = { workers: '3x8,16x8' };
    const { options } = resolved(argv);
    const [few, many] = cellsOf(argv).map((cell) => planTiming(options, cell, { neverSleeps: false }));
    assert.deepEqual(many.workGoal, few.workGoal);
    assert.ok(many.maxWarmupMs > few.maxWarmupMs);
  });
});

describe('the watch over a warm-up', () => {
  const timing = /** @type {any} */ ({
    warmupMs: null,
    minWarmupMs: 60,
    maxWarmupMs: 400,
    steadyWithinMs: 100,
    warmupBinMs: 4,
  });

  it('counts the answers of each bin, also where its timer came late, and ends once they are steady', async (t) => {
    let nowMs = 1_000;
    /** @type {(() => void)[]} */
    const timers = [];
    t.mock.method(performance, 'now', () => nowMs);
    t.mock.method(globalThis, 'setInterval', (/** @type {() => void} */ onBin) => timers.push(onBin));
    t.mock.method(globalThis, 'clearInterval', () => timers.pop());
    const load = {
      readOperations: () => 10 * nowMs,
      isWarm: () => true,
      trouble: new Promise(() => {}),
    };
    const watched = watchWarmUp(load, timing, 0);
    for (let bin = 0; timers.length > 0 && bin < 100; bin += 1) {
      nowMs += bin % 3 === 0 ? 7 : 4;
      timers[0]();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { status, ms, operations } = await watched;
    assert.equal(status, 'steady');
    assert.ok(ms >= 60 && ms < 100, `${ms} ms`);
    assert.ok(operations.length >= 12);
    assert.deepEqual([...new Set(operations)], [40]);
  });
});
