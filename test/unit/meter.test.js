// Meter and related counters, on a simulated clock.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Meter } from '../../lib/measure/meter.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { Consumer } from '../../lib/workload/endpoints/consumer-endpoint.js';
import { SWEEPS_PER_DEADLINE, sweepUntilDone } from '../../lib/workload/endpoints/requester.js';
import { isMessageId, noteSighting, timedEvery } from '../../lib/workload/messages/message-ids.js';

/** @import { TestContext } from 'node:test' */

const FROM_MS = 1_000;

/** @param {TestContext} t @param {{ toMs?: number, binMs?: number }} [plan] */
function meterOf(t, { toMs = FROM_MS + 35, binMs = 10 } = {}) {
  const clock = { nowMs: 900, readings: 0 };
  t.mock.method(performance, 'now', () => {
    clock.readings += 1;
    return clock.nowMs;
  });
  /** @type {string[]} */
  const told = [];
  const meter = new Meter();
  const ends = { onOpen: () => told.push('open'), onClose: () => told.push('close') };
  meter.schedule({ fromMs: FROM_MS, toMs, binMs, ...ends });
  /** @param {number} atMs @param {number} [latencyMs] */
  const operation = (atMs, latencyMs = 1) => {
    clock.nowMs = atMs;
    meter.isFresh = false;
    meter.stamp();
    meter.count(0, atMs - latencyMs, atMs);
  };
  meter.addLoops(1);
  return { meter, clock, told, operation };
}

describe('Meter', () => {
  it('counts each operation of the window in the bin in which it ended', (t) => {
    const { meter, told, operation } = meterOf(t);
    for (const atMs of [900, 999.9]) operation(atMs);
    assert.deepEqual(told, []);
    for (const atMs of [1_000, 1_005, 1_009.9, 1_010, 1_029, 1_030, 1_034.9]) operation(atMs);
    assert.deepEqual([told, meter.isOpen, meter.isOver], [['open'], true, false]);
    for (const atMs of [1_035, 1_036]) operation(atMs);
    assert.deepEqual([told, meter.isOpen, meter.isOver], [['open', 'close'], false, true]);
    const { operations, bins } = meter.counted();
    assert.deepEqual(bins, [3, 1, 1, 2], 'the last bin is the rest of the window');
    assert.equal(operations, 7);
  });

  it('has an empty bin for each interval without operations', (t) => {
    const { meter, operation } = meterOf(t);
    operation(1_001);
    operation(1_034);
    meter.finish();
    assert.deepEqual(meter.counted().bins, [1, 0, 0, 1]);
  });

  it('records latencies of operations that ended in the window, to the nanosecond', (t) => {
    const { meter, operation } = meterOf(t);
    operation(950, 7_000);
    operation(1_001, 2_000);
    operation(1_002, 0.000_4);
    operation(1_003, 0.002);
    operation(1_040, 9_000);
    const { count, minNs, maxNs } = meter.counted().latency;
    assert.deepEqual([count, minNs, maxNs], [3, 400, 2e9]);
  });

  it('reads the clock once for all responses of one event-loop iteration', (t) => {
    const { meter, clock } = meterOf(t);
    meter.isFresh = false;
    const before = clock.readings;
    assert.deepEqual([meter.stamp(), meter.stamp(), meter.stamp()], [900, 900, 900]);
    assert.equal(clock.readings, before + 1);
    clock.nowMs = 901;
    assert.equal(meter.stamp(), 900);
    meter.tick();
    clock.nowMs = 902;
    assert.equal(meter.stamp(), 902, 'a look at the clock is no reply');
  });

  it('opens the window without a response, although a timer fires too early', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { meter, clock, told } = meterOf(t);
    meter.tickAt(FROM_MS);
    t.mock.timers.tick(100);
    assert.deepEqual(told, [], 'its timer is due 1 ms after the edge');
    clock.nowMs = FROM_MS - 0.1;
    t.mock.timers.tick(1);
    assert.deepEqual(told, []);
    clock.nowMs = FROM_MS;
    t.mock.timers.tick(1);
    assert.deepEqual(told, ['open']);
    clock.nowMs = FROM_MS + 100;
    t.mock.timers.tick(1_000);
    assert.deepEqual(told, ['open'], 'no timer is left');
  });

  it('counts operations without times, and is over once the launch has failed', (t) => {
    const { meter, clock, told } = meterOf(t);
    clock.nowMs = FROM_MS;
    meter.tick();
    for (let count = 0; count < 4; count += 1) meter.tally();
    meter.giveUp();
    assert.equal(meter.isOver, true);
    meter.finish();
    meter.finish();
    assert.deepEqual(told, ['open', 'close']);
    assert.deepEqual(meter.bins, [4]);
    assert.equal(meter.counted().operations, 0);
  });
});

describe('Meter of closed loops', () => {
  /**
   * Loops that each send a request as soon as they have a response, on a clock of the test.
   * @param {TestContext} t
   * @param {(() => number)[]} draws   how long the next operation of each loop takes, ms
   */
  function loopsOf(t, draws) {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const meter = new Meter();
    meter.addLoops(draws.length);
    meter.countWhole();
    const operations = draws.map((draw) => ({ draw, startMs: 0, endMs: 0 }));
    /** @param {number} untilMs */
    const run = (untilMs) => {
      for (;;) {
        const next = operations.reduce((first, one) => (one.endMs < first.endMs ? one : first));
        if (next.endMs > untilMs) break;
        nowMs = next.endMs;
        meter.isFresh = false;
        meter.stamp();
        meter.count(operations.indexOf(next), next.startMs, next.endMs);
        next.startMs = nowMs;
        next.endMs = nowMs + next.draw();
      }
      nowMs = untilMs;
    };
    /** @param {number} fromMs @param {number} lengthMs @param {number} [loadMs]   length of the load */
    const slice = (fromMs, lengthMs, loadMs = 10 * lengthMs) => {
      meter.resume();
      let countedMs = Number.NaN;
      meter.schedule({
        fromMs,
        toMs: fromMs + lengthMs,
        binMs: lengthMs,
        onOpen() {},
        onCounted() {
          countedMs = nowMs;
        },
        onClose() {},
      });
      for (const operation of operations) {
        operation.startMs = nowMs;
        operation.endMs = nowMs + operation.draw();
      }
      run(fromMs + loadMs);
      meter.rest();
      const restMs = nowMs;
      run(restMs + 310); // what was open ends
      return { countedMs, restMs };
    };
    return { meter, slice };
  }
  const whole = (/** @type {Meter} */ meter) =>
    /** @type {import('../../lib/types/scenarios.js').WholeCounts} */ (meter.counted().whole);

  for (const operationMs of [0.5, 7, 55, 75, 300]) {
    it(`counts each whole operation of ${operationMs} ms that begins in a slice of 65 ms`, (t) => {
      const { meter, slice } = loopsOf(t, [() => operationMs]);
      for (const fromMs of [15, 10_015, 20_015]) {
        const { countedMs } = slice(fromMs, 65);
        const startMs = Math.ceil(15 / operationMs) * operationMs;
        const expected = fromMs - 15 + startMs + Math.ceil(65 / operationMs - 1e-9) * operationMs;
        assert.ok(Math.abs(countedMs - expected) < operationMs * 1.001, `${countedMs} ms`);
        meter.settleSlice(false);
      }
      const { operations, windowMs, loopsMs } = whole(meter);
      assert.ok(operations >= 3);
      assert.ok(Math.abs(windowMs / operations - operationMs) < 1e-9 * operationMs);
      assert.ok(Math.abs(loopsMs - windowMs) < 1e-6);
      const { latency } = meter.counted();
      assert.equal(latency.count, operations);
      assert.ok(
        Math.abs((latency.count * latency.meanNs) / 1e6 - loopsMs) < 1e-3,
        'they add up to the time of the loop',
      );
    });
  }

  it('adds the rates of loops with operations of different lengths', (t) => {
    const { meter, slice } = loopsOf(t, [() => 100, () => 1]);
    slice(15, 65);
    const { operations, windowMs, loopsMs } = whole(meter);
    assert.equal(operations, 66);
    assert.ok(Math.abs((1_000 * operations) / windowMs - 1_010) < 1e-6);
    assert.equal(loopsMs, 165);
  });

  it('counts a late response with its time', (t) => {
    const random = seededRandom(1);
    const { meter, slice } = loopsOf(t, [() => (random() < 0.05 ? 100 : 5)]);
    for (let number = 0; number < 400; number += 1) {
      slice(15 + 1_000 * number, 65, 300);
      meter.settleSlice(false);
    }
    const { operations, windowMs } = whole(meter);
    const trueMs = 0.95 * 5 + 0.05 * 100;
    assert.ok(Math.abs(windowMs / operations / trueMs - 1) < 0.1, `${windowMs / operations} ms`);
    assert.equal(meter.counted().latency.maxNs, 100e6);
  });

  it('counts a part of each operation that the readings of costs cut', (t) => {
    const { meter, slice } = loopsOf(t, [() => 20, () => 7]);
    const { restMs } = slice(15, 65, 200);
    const { completed } = whole(meter);
    // The window opens at the first response after it is due.
    const openedMs = 20;
    const expected = (restMs - openedMs) / 20 + (restMs - openedMs) / 7;
    assert.ok(Math.abs(completed - expected) < 0.2, `${completed} instead of ${expected}`);
  });

  it('counts no operation of a dropped slice', (t) => {
    const { meter, slice } = loopsOf(t, [() => 10]);
    slice(15, 50);
    meter.settleSlice(true);
    assert.equal(whole(meter).operations, 0);
    slice(10_015, 50);
    meter.settleSlice(false);
    assert.equal(whole(meter).operations, 5);
    assert.equal(meter.counted().operations, 5);
  });

  it('adds the time of a lost operation, but does not count it', (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const meter = new Meter();
    meter.addLoops(1);
    meter.countWhole();
    meter.schedule({ fromMs: 10, toMs: 30, binMs: 20, onOpen() {}, onClose() {} });
    const end = (/** @type {number} */ startMs, /** @type {number} */ endMs, isLost = false) => {
      nowMs = endMs;
      meter.tick();
      if (isLost) meter.pass(0, endMs);
      else meter.count(0, startMs, endMs);
    };
    end(0, 10);
    end(10, 20);
    end(20, 120, true);
    assert.deepEqual([whole(meter).operations, whole(meter).windowMs], [1, 110]);
  });
});

describe('the ids of messages', () => {
  it('accepts ids of ten digits, from 1,000,000,000 to below 2,000,000,000', () => {
    for (const id of [1_000_000_000, 1_999_999_999]) assert.equal(isMessageId(id), true);
    for (const id of [999_999_999, 2_000_000_000, 1_500_000_000.5, '1500000000', null])
      assert.equal(isMessageId(id), false);
  });

  it('keeps the first 40,000 timestamps', () => {
    /** @type {any[]} */
    const sightings = [];
    for (let count = 0; count < 40_002; count += 1) noteSighting(sightings, count);
    assert.equal(sightings.length, 40_000);
    assert.equal(sightings.at(-1)[0], 39_999);
    assert.equal(sightings[0].length, 2);
    /** @type {any[]} */
    const planned = [];
    noteSighting(planned, 7, 3);
    const [count, nowMs, startMs] = planned[0];
    assert.deepEqual([count, Math.round(nowMs - startMs)], [7, 3]);
  });

  it('times every message up to 5,000 per second, and fewer, by powers of two, above', () => {
    const found = [undefined, 1, 5_000, 5_001, 10_000, 10_001, 160_000, 320_000, 1e7].map(timedEvery);
    assert.deepEqual(found, [64, 1, 1, 2, 2, 4, 32, 64, 64]);
  });
});

describe('Consumer', () => {
  const payloads = ['a', 'b'];
  const channel = /** @type {any} */ ({});
  const same = (/** @type {any} */ each) => each;
  const codec = { encode: same, decode: same };
  const first = 1_000_000_000;
  /** @param {number[]} counts   indexes of the messages that arrive */
  const after = (counts) => {
    const sink = new Consumer({ channel, codec, payloads, meter: new Meter(), handleMs: 0 });
    for (const count of counts) channel.onMessage({ id: first + count, payload: payloads[count % 2] });
    return sink;
  };

  it('counts up to 99,999 skipped messages as lost, and a larger jump as corrupt', () => {
    const { lost, corrupt } = after([99_999]).mistakes();
    assert.deepEqual([lost, corrupt], [99_999, 0]);
    const jumped = after([100_000]).mistakes();
    assert.deepEqual([jumped.lost, jumped.corrupt], [0, 1]);
  });

  it('counts lost messages beyond those that it remembers, whose late arrival is a duplicate', () => {
    const sink = after([99_999, 99_999 + 50_000]);
    assert.equal(sink.mistakes().lost, 99_999 + 49_999);
    channel.onMessage({ id: first + 5, payload: 'b' });
    assert.deepEqual([sink.mistakes().lost, sink.mistakes().outOfOrder], [99_998 + 49_999, 1]);
    channel.onMessage({ id: first + 149_000, payload: 'a' });
    assert.deepEqual([sink.mistakes().lost, sink.mistakes().duplicate], [99_998 + 49_999, 1]);
    assert.equal(sink.mistakes(150_010).lost, 99_998 + 49_999 + 10);
    assert.equal(sink.taken, 3);
  });
});

describe('sweepUntilDone', () => {
  it('sweeps ten times per deadline, until the loops have ended', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    assert.equal(SWEEPS_PER_DEADLINE, 10);
    /** @type {number[]} */
    const deadlines = [];
    const requester = /** @type {any} */ ({ sweep: (/** @type {number} */ ms) => deadlines.push(ms) });
    let end = (/** @type {unknown} */ _) => {};
    const done = sweepUntilDone([requester, requester], 500, new Promise((resolve) => (end = resolve)));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(49);
    await turn();
    assert.deepEqual(deadlines, []);
    t.mock.timers.tick(1);
    assert.deepEqual(deadlines, [], 'responses that have arrived are read first');
    await turn();
    assert.deepEqual(deadlines, [500, 500]);
    t.mock.timers.tick(50);
    await turn();
    assert.equal(deadlines.length, 4);
    end(undefined);
    t.mock.timers.tick(50); // this look would come after the end
    await done;
    t.mock.timers.tick(500);
    await turn();
    assert.equal(deadlines.length, 4);
  });
});
