// For how long code blocks an event loop: computing counts, and sleeping does not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockingMonitor } from '../../lib/launch/monitors/blocking.js';
import { ThreadClock } from '../../lib/machine/process-cost.js';
import { MAIN_THREAD_MEASURES } from '../../lib/workload/measures/usual-measures.js';

/** @returns {boolean} */
function hasThreadClock() {
  const clock = new ThreadClock();
  const isKnown = !Number.isNaN(clock.readMs());
  clock.close();
  return isKnown;
}

const KNOWS_CPU = { skip: !hasThreadClock() && 'the CPU time of a thread is unknown on this system' };
const IDLE_MS = 30;

/** @param {number} ms   of CPU time of this process */
function compute(ms) {
  const from = process.cpuUsage();
  for (let us = 0; us < ms * 1_000; ) {
    const { user, system } = process.cpuUsage(from);
    us = user + system;
  }
}

/** @param {() => void} work   in the middle of an idle time @returns {Promise<Record<string, number>>} */
async function watched(work) {
  const monitor = new BlockingMonitor();
  monitor.begin();
  await sleep(IDLE_MS);
  // The monitor reports the second half.
  await sleep(IDLE_MS);
  work();
  await sleep(IDLE_MS);
  monitor.end();
  return monitor.report();
}

describe('BlockingMonitor', () => {
  it('reports the longest stretch of code, and weighs a delay by its length', KNOWS_CPU, async () => {
    const { longestBlockUs, timerDelayUs } = await watched(() => compute(40));
    assert.ok(longestBlockUs > 30_000, `${longestBlockUs} µs`);
    // The timer would have fired 40 times in it, and about 15 times in the rest.
    assert.ok(timerDelayUs > 20_000 && timerDelayUs <= longestBlockUs, `${timerDelayUs} µs`);
  });

  it('does not count sleeps of the thread', KNOWS_CPU, async () => {
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    const { longestBlockUs, timerDelayUs } = await watched(() => void Atomics.wait(asleep, 0, 0, 60));
    assert.ok(longestBlockUs < 20_000, `${longestBlockUs} µs`);
    assert.ok(timerDelayUs < 20_000, `${timerDelayUs} µs`);
  });

  it('counts a stretch that lasts until the end', KNOWS_CPU, async () => {
    const monitor = new BlockingMonitor();
    monitor.begin();
    await sleep(IDLE_MS);
    compute(30);
    monitor.end();
    monitor.end();
    assert.ok(monitor.report().longestBlockUs > 25_000);
  });

  it('reports nothing of a load without a warm-up', async () => {
    const monitor = new BlockingMonitor();
    monitor.end();
    monitor.begin();
    await sleep(5);
    assert.deepEqual(monitor.report(), {});
  });
});

describe('the CPU time of main threads', () => {
  const [{ read }] = MAIN_THREAD_MEASURES;
  /** @param {object[]} costs */
  const perOperation = (costs) =>
    read(
      /** @type {any} */ ([{ operations: 10 }]),
      /** @type {any} */ ({}),
      costs.map(
        (cost) => /** @type {any} */ ({ role: 'master', userUs: 90, systemUs: 10, share: 0.5, ...cost }),
      ),
    );

  it('leaves out the helper threads of a process', () => {
    assert.equal(perOperation([{ mainShare: 0.4 }]), 8);
    assert.equal(perOperation([{ mainShare: 0, userUs: 0, systemUs: 0, share: 0 }]), 0);
  });

  it('is the cost of the thread if workers are threads', () => {
    assert.equal(perOperation([{}, { role: 'worker', partOf: 'master' }]), 10);
  });

  it('is unknown where the share of the main thread is', () => {
    assert.equal(perOperation([{}]), null);
    assert.equal(perOperation([]), null);
  });
});
