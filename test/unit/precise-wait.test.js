// Waits that are more precise than timers. Clock and sleeps are simulated, except in the first test.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Meter } from '../../lib/measure/meter.js';
import { OpenLoad } from '../../lib/measure/open-load.js';
import { PreciseWait } from '../../lib/measure/precise-wait.js';

const READING_MS = 0.001; // between two readings of the clock

/**
 * @param {import('node:test').TestContext} t
 * @param {number} lateMs   that each sleep takes longer than it should
 */
function ownClock(t, lateMs) {
  const clock = { nowMs: 1_000, sleeps: 0 };
  t.mock.method(performance, 'now', () => {
    clock.nowMs += READING_MS;
    return clock.nowMs;
  });
  t.mock.method(
    Atomics,
    'wait',
    (/** @type {Int32Array} */ _cell, /** @type {number} */ _index, /** @type {number} */ _value, ms = 0) => {
      clock.sleeps += 1;
      clock.nowMs += ms + lateMs;
      return 'timed-out';
    },
  );
  return clock;
}

/** @param {PreciseWait} wait @param {number} ms @returns {number} ms after the instant, without which the send would be early */
function waitFor(wait, ms) {
  const untilMs = performance.now() + ms;
  wait.sleepUntil(untilMs);
  wait.spinUntil(untilMs);
  return performance.now() - untilMs;
}

describe('PreciseWait', () => {
  it('ends no earlier than the instant, and counts its CPU time only in the window', () => {
    const meter = { isOpen: false };
    const wait = new PreciseWait(meter);
    assert.ok(waitFor(wait, 3) >= 0);
    assert.equal(wait.cpuUs, 0);
    meter.isOpen = true;
    while (wait.cpuUs === 0) assert.ok(waitFor(wait, 3) >= 0);
  });

  it('adapts to sleeps that end late', (t) => {
    ownClock(t, 0.2);
    const wait = new PreciseWait({ isOpen: true });
    assert.ok(waitFor(wait, 2) > 0.1, 'the first sleep ends after the instant');
    for (let count = 0; count < 100; count += 1) waitFor(wait, 2);
    assert.ok(waitFor(wait, 2) < 0.01);
    assert.ok(wait.isPossible);
  });

  it('is not possible if sleeps have a resolution of milliseconds', (t) => {
    ownClock(t, 15);
    const wait = new PreciseWait({ isOpen: true });
    for (let count = 0; count < 100; count += 1) waitFor(wait, 2);
    assert.equal(wait.isPossible, false);
  });
});

describe('OpenLoad with precise waits', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {'tick' | 'spin'} [pacing]
   */
  function begin(t, pacing = 'tick') {
    const sleeps = t.mock.method(Atomics, 'wait');
    const meter = new Meter();
    meter.schedule({ fromMs: performance.now(), toMs: Infinity, binMs: 1e9, onOpen() {}, onClose() {} });
    meter.tick();
    const load = new OpenLoad({
      meter,
      plan: { arrivals: 'fixed', pacing },
      share: { ratePerSecond: 500, workers: 1, worker: 0, seed: 1 },
    });
    /** @type {((outcome?: any) => void)[]} */
    const answers = [];
    /** @type {() => void} */
    let isSent = () => {};
    const requester = {
      startsMs: new Float64Array(2),
      isBlocked: false,
      shouldContinue: () => !load.isOver,
      room: () => Promise.resolve(),
      begin(/** @type {number} */ loop) {
        this.startsMs[loop] = performance.now();
      },
      request: () =>
        /** @type {Promise<any>} */ (
          new Promise((resolve) => {
            answers.push(resolve);
            isSent();
          })
        ),
    };
    const sent = (/** @type {number} */ count) =>
      new Promise((resolve) => {
        isSent = () => answers.length >= count && resolve(undefined);
        isSent();
      });
    const loops = [0, 1].map(async (loop) => {
      const handle = load.handle(requester, loop);
      while (handle.shouldContinue()) await handle.request();
    });
    load.enablePreciseWait();
    load.begin(performance.now());
    const end = async () => {
      load.end();
      for (const answer of answers) answer();
      await Promise.all(loops);
    };
    return { load, sleeps, answers, sent, end };
  }

  it('sends nothing early, and sleeps only while no response is awaited', async (t) => {
    const { load, sleeps, answers, sent, end } = begin(t);
    await sent(1);
    const before = sleeps.mock.callCount();
    await sent(2);
    assert.equal(sleeps.mock.callCount(), before, 'the first response is missing');
    for (let count = 2; sleeps.mock.callCount() === before; count += 1) {
      for (const answer of answers.splice(0)) answer();
      await sent(1);
      await turn();
      assert.ok(count < 1_000, 'it never sleeps again');
    }
    await end();
    const { sendLag, pacingCpuUs = 0 } = {
      sendLag: load.sendLags.toLatency(),
      pacingCpuUs: load.precise?.cpuUs,
    };
    assert.ok(sendLag.minNs >= 0 && pacingCpuUs > 0);
  });

  it('does not sleep if the event loop spins', async (t) => {
    const { load, sleeps, sent, end } = begin(t, 'spin');
    await sent(2);
    await end();
    assert.equal(load.precise, null);
    assert.equal(sleeps.mock.callCount(), 0);
  });
});
