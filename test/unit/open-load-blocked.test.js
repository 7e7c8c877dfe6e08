// Open load over a full channel: waiting for room is schedule delay, never service time. Clock and channel are simulated.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Meter } from '../../lib/measure/meter.js';
import { OpenLoad } from '../../lib/measure/open-load.js';
import { censoredPercentiles } from '../../lib/statistics/latency.js';
import { Requester } from '../../lib/workload/endpoints/requester.js';

const BLOCK_MS = 100;
const SERVICE_MS = 1;
const LOOPS = 2;

/** @typedef {{ sent: any[], drains: (() => void)[] }} Seen */

/** @param {Seen} seen @returns {{ requester: Requester, load: OpenLoad, meter: Meter, channel: import('../../lib/types/index.js').Channel }} whose channel is full after each question */
function openLoadOver({ sent, drains }) {
  const channel = {
    onMessage: (/** @type {any} */ _wire) => {},
    onClose() {},
    // Every request fills it.
    send(/** @type {any} */ wire) {
      sent.push(wire);
      return false;
    },
    drained: () => /** @type {Promise<void>} */ (new Promise((resolve) => drains.push(resolve))),
    async close() {},
  };
  const codec = {
    encode: (/** @type {any} */ message) => message,
    decode: (/** @type {any} */ wire) => wire,
  };
  const meter = new Meter();
  const requester = new Requester({ channel, codec, payloads: ['x'], loops: LOOPS, meter });
  const load = new OpenLoad({
    meter,
    plan: { arrivals: 'fixed', pacing: 'tick' },
    share: { ratePerSecond: 1_000_000, workers: 1, worker: 0, seed: 1 },
  });
  meter.schedule({ fromMs: 1, toMs: 1e9, binMs: 1e9, onOpen() {}, onClose() {} });
  meter.tick();
  return { requester, load, meter, channel };
}

it('reports no unanswered requests if there are none', () => {
  const { load } = openLoadOver({ sent: [], drains: [] });
  assert.equal('unanswered' in load.report(), false);
});

it('counts the wait for another loop that blocks meanwhile as schedule delay, not as service time', async (t) => {
  let nowMs = 10;
  t.mock.method(performance, 'now', () => nowMs);

  /** @type {any[]} */
  const sent = [];
  /** @type {(() => void)[]} */
  const drains = [];
  const { requester, load, meter, channel } = openLoadOver({ sent, drains });
  requester.onRoom = () => load.onRoom();
  // Every instant is due at once.
  load.begin(nowMs - 1);
  clearTimeout(load.timer);
  t.after(() => load.end());
  const drain = async () => {
    const waiting = drains.splice(0);
    assert.ok(waiting.length > 0);
    for (const resolve of waiting) resolve();
    await turn();
  };
  const answer = () => {
    nowMs += SERVICE_MS;
    channel.onMessage(sent.at(-1));
  };

  // A first request blocks the channel, and both loops wait for it.
  requester.begin(0);
  const first = requester.request(0);
  answer();
  await first;
  const asked = [load.handle(requester, 0).request(), load.handle(requester, 1).request()];
  await turn();
  assert.equal(sent.length, 1);
  for (const count of [2, 3]) {
    nowMs += BLOCK_MS;
    await drain();
    assert.equal(sent.length, count, 'one loop sends, and blocks the other again');
    answer();
  }
  await Promise.all(asked);

  const { response, sendLag } = { response: load.responses.toLatency(), sendLag: load.sendLags.toLatency() };
  const service = meter.windowLatencies.toLatency();
  const [lagMs, secondLagMs] = [BLOCK_MS, 2 * BLOCK_MS];
  assert.equal(response.count, LOOPS);
  assert.ok(service.maxNs < 2 * SERVICE_MS * 1e6, `service time of ${service.maxNs / 1e6} ms`);
  assert.ok(sendLag.minNs >= lagMs * 1e6, `schedule delay of ${sendLag.minNs / 1e6} ms`);
  assert.ok(sendLag.maxNs >= secondLagMs * 1e6, `schedule delay of ${sendLag.maxNs / 1e6} ms`);
  assert.ok(response.maxNs >= sendLag.maxNs + SERVICE_MS * 1e6);
});

it('keeps requests in the schedule while the channel is full, and reports them as withheld', async (t) => {
  let nowMs = 10;
  t.mock.method(performance, 'now', () => nowMs);
  const sent = /** @type {any[]} */ ([]);
  const { requester, load, channel, meter } = openLoadOver({ sent, drains: [] });
  requester.onRoom = () => load.onRoom();
  load.begin(nowMs - 1);
  clearTimeout(load.timer);
  const open = [load.handle(requester, 0).request(), load.handle(requester, 1).request()];
  assert.equal(sent.length, 1, 'the first one fills the channel');
  channel.onMessage(sent[0]);
  await turn();
  nowMs += BLOCK_MS;
  meter.plan = { ...meter.plan, fromMs: 1, toMs: nowMs, binMs: 1, onOpen() {}, onClose() {} };
  load.end();
  await Promise.all(open);
  const { dropped, withheld, due, started, unanswered } = load.report();
  assert.equal(withheld, dropped);
  assert.equal(due - started, withheld, 'none was missed for another reason');
  assert.equal(unanswered?.count, withheld);
});

describe('requests without a response at the end of the window of an open load', () => {
  const WINDOW_MS = 100;
  const ANSWERED = 10;
  const IN_FLIGHT = 4;

  /**
   * A request is due each millisecond. The first ten get a response after half a millisecond, and then the other end is blocked.
   * @param {import('node:test').TestContext} t
   */
  async function stalled(t) {
    let nowMs = 1_000;
    t.mock.method(performance, 'now', () => nowMs);
    /** @type {any[]} */
    const sent = [];
    const channel = {
      onMessage: (/** @type {any} */ _wire) => {},
      onClose() {},
      send: (/** @type {any} */ wire) => sent.push(wire) > 0,
      drained: () => Promise.resolve(),
      async close() {},
    };
    const codec = {
      encode: (/** @type {any} */ message) => message,
      decode: (/** @type {any} */ wire) => wire,
    };
    const meter = new Meter();
    const requester = new Requester({ channel, codec, payloads: ['x'], loops: IN_FLIGHT, meter });
    const load = new OpenLoad({
      meter,
      plan: { arrivals: 'fixed', pacing: 'spin' },
      share: { ratePerSecond: 1_000, workers: 1, worker: 0, seed: 1 },
    });
    const fromMs = nowMs;
    meter.schedule({
      fromMs,
      toMs: fromMs + WINDOW_MS,
      binMs: WINDOW_MS,
      onOpen() {},
      onClose: () => load.end(),
    });
    meter.tick();
    load.zeroMs = fromMs;
    load.nextMs = fromMs + load.nextInstant();
    const handles = Array.from({ length: IN_FLIGHT }, (_, loop) => load.handle(requester, loop));
    const asks = handles.map(async (handle) => {
      while (handle.shouldContinue()) await handle.request();
    });
    for (let step = 0; step < 2 * WINDOW_MS; step += 1) {
      nowMs += 0.5;
      load.serve(nowMs);
      await turn();
      if (sent.length > load.responses.toLatency().count && sent.length <= ANSWERED)
        channel.onMessage(sent.at(-1));
      await turn();
    }
    meter.tick();
    const report = load.report();
    // Late responses belong to no window.
    for (const wire of sent.slice(ANSWERED)) channel.onMessage(wire);
    await Promise.all(asks);
    return { report, operations: meter.counted().operations };
  }

  it('counts each unanswered request with its age, in flight or dropped', async (t) => {
    const { report, operations } = await stalled(t);
    const { due, dropped, response, unanswered = assert.fail('nothing is unanswered') } = report;
    assert.equal(operations, ANSWERED);
    assert.equal(response.count, ANSWERED);
    assert.equal(due, WINDOW_MS);
    assert.ok(dropped > 80, String(dropped));
    assert.equal(unanswered.count, WINDOW_MS - ANSWERED, 'each that was due is in one of the two');
    const oldestMs = unanswered.maxNs / 1e6;
    assert.ok(oldestMs > WINDOW_MS - ANSWERED - 3 && oldestMs <= WINDOW_MS, `${oldestMs} ms`);
    assert.ok(unanswered.minNs / 1e6 <= 2);
    const { p50, atLeast } = censoredPercentiles(response, unanswered);
    assert.ok(atLeast?.includes('p50') && p50 > 30e3, `a median of ${p50} µs`);
  });
});

describe('requests that are still open', () => {
  const REPLY_MS = 1_000;

  it('are lost only after a silence, and given up without a verdict if responses still arrive after the load', (t) => {
    let nowMs = 1_000;
    t.mock.method(performance, 'now', () => nowMs);
    const { load, meter } = openLoadOver({ sent: [], drains: [] });
    load.begin(nowMs);
    clearTimeout(load.timer);
    const judgeAt = (/** @type {number} */ atMs, /** @type {number} */ lastResponseMs) => {
      nowMs = atMs;
      load.lastResponseMs = lastResponseMs;
      return load.judgeOpenRequests(REPLY_MS);
    };
    assert.equal(judgeAt(5_000, 4_500), null, 'a backlog is slow, not lost');
    assert.deepEqual(judgeAt(5_000, 4_000), { olderThanMs: REPLY_MS, areLost: true });
    nowMs = 6_000;
    meter.plan = { fromMs: 1, toMs: nowMs, binMs: 1, onOpen() {}, onClose() {} };
    load.end();
    assert.equal(judgeAt(6_400, 6_300), null);
    assert.deepEqual(judgeAt(6_500, 6_300), { olderThanMs: 0, areLost: false });
    assert.equal(judgeAt(6_600, 5_900), null, 'a slow response may still arrive');
    assert.deepEqual(judgeAt(7_000, 6_100), { olderThanMs: 0, areLost: true });
  });
});

describe('OpenLoad', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {{ pacing?: 'spin' | 'tick' }} how
   */
  function planned(t, { pacing = 'tick' }) {
    const clock = { nowMs: 1_000 };
    t.mock.method(performance, 'now', () => clock.nowMs);
    const meter = new Meter();
    meter.schedule({ fromMs: 1_000, toMs: 1e9, binMs: 1e9, onOpen() {}, onClose() {} });
    meter.tick();
    const load = new OpenLoad({
      meter,
      plan: { arrivals: 'fixed', pacing },
      share: { ratePerSecond: 100, workers: 1, worker: 0, seed: 1 },
    });
    /** @type {number[]} planned instants, as the loops got them */
    const taken = [];
    const take = (/** @type {number} */ startMs) => void taken.push(startMs);
    for (let loop = 0; loop < 3; loop += 1) load.free.push({ take });
    return { clock, meter, load, taken };
  }

  for (const pacing of /** @type {const} */ (['spin', 'tick'])) {
    it(`serves scheduled instants with pacing ${pacing} until the load is over`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { clock, meter, load, taken } = planned(t, { pacing });
      load.begin(1_000);
      const pass = async (/** @type {number} */ ms) => {
        clock.nowMs += ms;
        t.mock.timers.tick(ms);
        for (let turns = 0; turns < 3; turns += 1) await turn();
      };
      await pass(10);
      assert.equal(taken.length, 1, 'one is due in each 10 ms');
      await pass(10);
      assert.equal(taken.length, 2);
      assert.ok(taken[0] > 1_000 && taken[0] <= 1_010 && Math.abs(taken[1] - taken[0] - 10) < 1e-6);
      load.end();
      assert.deepEqual(taken.slice(2), [-1], 'free loops learn that the load is over');
      await pass(100);
      meter.finish();
      assert.equal(taken.length, 3);
    });
  }

  it('sets its timer for the next scheduled instant', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { load, taken } = planned(t, {});
    const waits = t.mock.method(globalThis, 'setTimeout');
    for (const nextMs of [1_007.9, 1_000.5]) {
      load.nextMs = nextMs;
      load.tick();
    }
    assert.deepEqual(
      waits.mock.calls.map(({ arguments: [, ms] }) => ms),
      [7, 1],
    );
    assert.deepEqual(taken, []);
    load.end();
  });
});
