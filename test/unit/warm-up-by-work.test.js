// When has a process worked enough to be warm, and how much is asked of it?

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tierUpFlags } from '../../lib/children/tier-up.js';
import { watchLaunchWarmUp, watchWarmUp } from '../../lib/launch/monitors/warm-up-watch.js';
import { isEnoughWork, isLevel } from '../../lib/measure/work-watch.js';
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
  it('is enough after operations and CPU time, after much CPU time alone, or in an idle process', () => {
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
    assert.equal(isEnoughWork({ operations: 5_999, cpuMs: null }, GOAL), false);
    assert.equal(isEnoughWork({ operations: 6_000, cpuMs: null }, GOAL), true, 'its CPU time is unknown');
  });

  it('is level once its last quarter is at most 5 % cheaper than the quarter before', () => {
    /** @param {number[]} costs   ms of CPU time for each of 100 operations, in turn */
    const after = (costs) => {
      let [cpuMs, operations] = [0, 0];
      const readings = costs.map((cost, index) => {
        cpuMs += 100 * cost;
        operations += 100;
        return { atMs: index, cpuMs, operations, waitMs: 0 };
      });
      return isLevel([{ atMs: 0, cpuMs: 0, operations: 0, waitMs: 0 }, ...readings]);
    };
    assert.equal(after(Array(20).fill(1)), true);
    assert.equal(after([...Array(4).fill(2), ...Array(16).fill(1)]), true, 'it got cheaper long ago');
    assert.equal(after([...Array(12).fill(1), ...Array(4).fill(0.8)]), false);
    assert.equal(after([...Array(15).fill(1), 0.97]), true, 'noise');
    assert.equal(after([...Array(12).fill(1), ...Array(4).fill(1.2)]), true, 'dearer is not cold');
    assert.equal(after([1, 1]), false, 'too few readings to tell');
    const unknown = [0, 9, 20].map((operations) => ({ atMs: 0, operations, cpuMs: null, waitMs: null }));
    assert.equal(isLevel(unknown), true);
  });

  it('has the same goal for each of many processes, and a longer limit', () => {
    const argv = { workers: '3x8,16x8' };
    const { options } = resolved(argv);
    const [few, many] = cellsOf(argv).map((cell) => planTiming(options, cell, { neverSleeps: false }));
    assert.deepEqual(many.workGoal, few.workGoal);
    assert.ok(many.maxWarmupMs > few.maxWarmupMs);
  });
});

describe('watchWarmUp', () => {
  const timing = /** @type {any} */ ({
    warmupMs: null,
    minWarmupMs: 60,
    maxWarmupMs: 400,
    steadyWithinMs: 100,
    warmupBinMs: 4,
  });

  it('leaves no timer that would read costs during the load', async () => {
    const timersNow = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timersNow();
    const launch = /** @type {any} */ ({
      spec: { timing: { ...timing, warmupMs: 2, warmupBinMs: 1_000, workGoal: GOAL }, broker: null },
      group: { trouble: new Promise(() => {}) },
      endpoint: { progress: () => 0 },
      master: { readCpuMs: () => 0, readWaitMs: () => 0 },
    });
    const alive = setTimeout(() => {}, 60_000); // the watch does not keep a process alive
    const { warmup, work } = await watchLaunchWarmUp(launch, 0);
    clearTimeout(alive);
    assert.deepEqual([warmup.status, work.map(({ name }) => name)], ['fixed', ['master']]);
    assert.ok(timersNow() <= before);
  });

  it('scales the operations of late bins, and ends once they are steady', async (t) => {
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

  it('ends a fixed warm-up before the margin, whatever the processes do', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const load = { readOperations: () => 0, isWarm: () => false, trouble: new Promise(() => {}) };
    const watched = watchWarmUp(load, { ...timing, warmupMs: 220 }, 20);
    t.mock.timers.tick(200);
    const { status, ms, operations } = await watched;
    assert.deepEqual([status, ms, operations.length], ['fixed', 220, 50]);
  });

  it('rejects when the launch fails', async () => {
    const trouble = Promise.reject(new Error('a worker died'));
    for (const warmupMs of [null, 60_000]) {
      const load = { readOperations: () => 0, isWarm: () => true, trouble };
      await assert.rejects(watchWarmUp(load, { ...timing, warmupMs }, 20), /a worker died/);
    }
  });
});

describe('tierUpFlags', () => {
  it('returns flags of V8 for early optimisation, and none for the usual one', () => {
    const [optimises, ...others] = tierUpFlags('early');
    assert.match(optimises, /^--(interrupt-budget|invocation-count-for-turbofan)=\d+$/);
    assert.deepEqual(others, [], 'memory is that of a usual process');
    assert.deepEqual([tierUpFlags('usual'), tierUpFlags(undefined)], [[], []]);
  });
});
