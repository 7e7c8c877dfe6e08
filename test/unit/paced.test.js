// Streams and queues under open load: messages are sent when they are due, or as soon as there is room. Clock and channels are simulated.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import json from '../../lib/codecs/builtin/json.js';
import { Meter } from '../../lib/measure/meter.js';
import { OpenLoad } from '../../lib/measure/open-load.js';
import { skipOfCell } from '../../lib/plan/skip-reasons.js';
import { configured } from '../../lib/plugins/plugins.js';
import { JobProducer } from '../../lib/workload/endpoints/job-producer.js';
import { ProducerEndpoint, PublisherEndpoint } from '../../lib/workload/endpoints/producer-endpoint.js';
import { responseTimes } from '../../lib/workload/measures/stream-measures.js';
import connect from '../../scenarios/connect.js';
import queue from '../../scenarios/queue.js';
import stream from '../../scenarios/stream.js';
import unix from '../../transports/unix.js';

/** @import { TestContext } from 'node:test' */
/** @import { EndpointReport } from '../../lib/types/index.js' */

const PAYLOADS = ['aaaa', 'bbbb', 'cccc'];
const PERIOD_MS = 1;
const WINDOW_MS = 100;
/** The message itself travels. */
const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

function makeChannel() {
  return {
    /** @type {any[]} */
    sent: [],
    isFull: false,
    /** @type {() => void} */
    letGoOn: () => {},
    send(/** @type {any} */ wire) {
      assert.ok(!this.isWaitedFor, 'nothing is sent to a full channel');
      this.sent.push(wire);
      this.isWaitedFor = this.isFull;
      return !this.isFull;
    },
    isWaitedFor: false,
    drained() {
      return new Promise((resolve) => {
        this.letGoOn = () => {
          this.isFull = false;
          this.isWaitedFor = false;
          resolve(undefined);
        };
      });
    },
    onMessage(/** @type {any} */ _wire) {},
    onClose() {},
    async close() {},
  };
}

/**
 * @param {TestContext} t
 * @param {(parts: any) => ProducerEndpoint | PublisherEndpoint | JobProducer} makeEndpoint
 * @param {ReturnType<typeof makeChannel>[]} channels   of w0, w1 and so on
 */
function begin(t, makeEndpoint, channels) {
  let nowMs = 10;
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const meter = new Meter();
  const open = {
    OpenLoad,
    plan: { arrivals: 'fixed', pacing: 'tick' },
    share: { ratePerSecond: 1_000 / PERIOD_MS, workers: 1, worker: 0, seed: 1 },
  };
  const endpoint = makeEndpoint({
    meter,
    channels: {},
    payloadsOf: () => PAYLOADS,
    replyMs: 1_000,
    open,
    timedEvery: 1,
  });
  for (const [index, channel] of channels.entries()) endpoint.serve(channel, `w${index}`);
  const closing = { onOpen: () => endpoint.opened(), onClose: () => endpoint.closed() };
  meter.schedule({ fromMs: nowMs, toMs: nowMs + WINDOW_MS, binMs: WINDOW_MS, ...closing });
  meter.tick();
  const over = endpoint.run(nowMs);
  /** Advances the clock. @param {number} ms */
  const pass = (ms) => {
    nowMs += ms;
    endpoint.openLoad?.serve(nowMs);
  };
  const end = async () => {
    nowMs += WINDOW_MS;
    meter.tick();
    await over;
    return /** @type {EndpointReport & { open: NonNullable<EndpointReport['open']> }} */ (endpoint.report());
  };
  return { endpoint, pass, end };
}

const sending = (/** @type {any} */ parts) => new ProducerEndpoint({ loops: 4 }, codec, parts);
const publishing = (/** @type {any} */ parts) => new PublisherEndpoint({ loops: 4 }, codec, parts);
const offering = (/** @type {any} */ parts) =>
  new JobProducer({ loops: 2 }, codec, parts, { prefetch: 0, handleMs: 0 });

describe('streams under open load', () => {
  it('sends each message when it is due, even if the channel is full', async (t) => {
    const channel = makeChannel();
    const { pass, end } = begin(t, sending, [channel]);
    assert.equal(channel.sent.length, 0, 'nothing is due');
    for (let ms = 0; ms < 10; ms += 1) pass(PERIOD_MS);
    assert.equal(channel.sent.length, 10);
    const { open, sightings } = await end();
    assert.deepEqual([open.due, open.started, open.late], [WINDOW_MS / PERIOD_MS, 10, 0]);
    assert.equal(
      open.dropped,
      WINDOW_MS / PERIOD_MS - 10,
      'nobody looked at the plan in the rest of the window',
    );
    assert.equal(open.sendLag.count, 10);
    const seen = (sightings?.w0 ?? []).slice(0, 10);
    assert.equal(seen.length, 10);
    for (const [, sentMs, startMs = Number.NaN] of seen) {
      const lagMs = sentMs - startMs;
      assert.ok(lagMs >= 0 && lagMs <= PERIOD_MS, `sightings tell when each was due: ${lagMs} ms`);
    }
  });

  it('sends overdue messages as soon as the channel drains, and counts them as late', async (t) => {
    const channel = makeChannel();
    const { pass, end } = begin(t, sending, [channel]);
    pass(PERIOD_MS);
    channel.isFull = true;
    pass(PERIOD_MS); // fills it
    for (let ms = 0; ms < 5; ms += 1) pass(PERIOD_MS);
    assert.equal(channel.sent.length, 2);
    channel.letGoOn();
    for (let turns = 0; turns < 3; turns += 1) await turn();
    assert.equal(channel.sent.length, 7);
    const { open, values } = await end();
    assert.deepEqual([open.started, open.late, values?.waits], [7, 5, 1]);
    assert.ok(open.sendLag.maxNs > 4 * PERIOD_MS * 1e6, `${open.sendLag.maxNs} ns`);
  });

  it('sends to workers in turn, and to all of them in a fan-out', async (t) => {
    const channels = [makeChannel(), makeChannel()];
    const { pass, end } = begin(t, sending, channels);
    for (let ms = 0; ms < 10; ms += 1) pass(PERIOD_MS);
    assert.deepEqual(
      channels.map(({ sent }) => sent.length),
      [5, 5],
    );
    await end();
    t.mock.reset();
    t.mock.timers.reset();
    const all = [makeChannel(), makeChannel()];
    const published = begin(t, publishing, all);
    for (let ms = 0; ms < 10; ms += 1) published.pass(PERIOD_MS);
    assert.deepEqual(
      all.map(({ sent }) => sent.length),
      [10, 10],
    );
    assert.equal(published.endpoint.progress(), 20, 'a message is a delivery to each');
    assert.equal((await published.end()).open.started, 10);
  });

  it('measures response times from the scheduled instant to the last delivery', () => {
    const common = { openMs: 1_000, windowMs: 100, values: {}, bins: [] };
    const sender = { ...common, role: 'master', operations: null, streams: { all: 3 } };
    const sightings = {
      all: [
        [0, 1_010, 1_005],
        [1, 1_020, 1_015],
        [2, 1_030, 1_030],
      ],
    };
    const taker = (/** @type {number[][]} */ all) => ({
      ...common,
      role: 'worker',
      operations: 3,
      sightings: { all },
    });
    const reports = /** @type {any[]} */ ([
      { ...sender, sightings },
      taker([
        [0, 1_011],
        [1, 1_022],
      ]),
      taker([
        [0, 1_013],
        [2, 1_031],
      ]),
    ]);
    assert.deepEqual([...responseTimes(reports)], [8e6], 'until the last of all workers has it');
    reports[0].streams = { w0: 3 };
    reports[0].sightings = { w0: sightings.all };
    reports.splice(1, 2, {
      ...common,
      role: 'master',
      operations: 3,
      sightings: {
        w0: [
          [0, 1_011],
          [1, 1_022],
        ],
      },
    });
    assert.deepEqual([...responseTimes(reports)], [6e6, 7e6]);
    reports[0].sightings = { w0: [[0, 1_010]] };
    assert.equal(responseTimes(reports).length, 0, 'no plan');
  });

  it('skips both directions at once, and several hosts', () => {
    const why = (/** @type {any} */ chosen, /** @type {any} */ cell) =>
      stream.skipReason?.(/** @type {any} */ ({ direction: 'duplex' }), chosen, cell) ?? null;
    assert.equal(why({ direction: 'to-master' }, { ratePerSecond: 5 }), null);
    assert.match(String(why({ direction: 'both' }, { ratePerSecond: 5 })), /of one direction/);
    assert.equal(why({ direction: 'both' }, {}), null);
    assert.match(String(why({}, { ratePerSecond: 5, hosts: 'a+b' })), /clocks of several hosts/);
  });
});

describe('queues under open load', () => {
  const acknowledge = (/** @type {ReturnType<typeof makeChannel>} */ channel, index = 0) => {
    const { id } = channel.sent[index];
    // As a worker does: the receipt follows from the number.
    channel.onMessage({ id, payload: 'ABC'[(id - 1_000_000_000) % 3] });
  };

  it('offers a due job to the worker that has been idle longest, while there are credits', async (t) => {
    const channels = [makeChannel(), makeChannel()];
    const { pass, end } = begin(t, offering, channels);
    assert.deepEqual(
      channels.map(({ sent }) => sent.length),
      [0, 0],
    );
    for (let ms = 0; ms < 6; ms += 1) pass(PERIOD_MS);
    assert.deepEqual(
      channels.map(({ sent }) => sent.length),
      [2, 2],
      'each has as many as it may have',
    );
    acknowledge(channels[0]);
    assert.deepEqual(
      channels.map(({ sent }) => sent.length),
      [3, 2],
      'what is overdue goes out at once',
    );
    const { open, operations, mistakes } = await end();
    assert.deepEqual([operations, open.started, open.late], [1, 5, 1]);
    assert.deepEqual([open.response.count, open.sendLag.count], [1, 1]);
    assert.ok(open.response.maxNs > 4 * PERIOD_MS * 1e6, 'from the planned instant');
    assert.equal(mistakes.duplicate, 0);
  });

  it('keeps due jobs while the channel is full', async (t) => {
    const channel = makeChannel();
    const { pass, end } = begin(t, offering, [channel]);
    channel.isFull = true;
    pass(PERIOD_MS);
    pass(PERIOD_MS);
    assert.equal(channel.sent.length, 1);
    channel.letGoOn();
    for (let turns = 0; turns < 3; turns += 1) await turn();
    assert.equal(channel.sent.length, 2);
    const { open } = await end();
    assert.deepEqual([open.started, open.late], [2, 1]);
  });

  it('skips kill=1', () => {
    const traits = /** @type {any} */ ({ direction: 'duplex', class: 'socket' });
    const cell = /** @type {any} */ ({ workers: 2, loops: 1, ratePerSecond: 5 });
    assert.equal(queue.skipReason?.(traits, { way: 'credit', kill: 0 }, cell) ?? null, null);
    assert.match(String(queue.skipReason?.(traits, { way: 'credit', kill: 1 }, cell)), /closed loops only/);
  });
});

describe('a sweep', () => {
  it('skips scenarios without open load, although its rates are unknown', () => {
    const cell = /** @type {any} */ ({
      transport: 'unix',
      settings: {},
      payloadBytes: 100,
      workers: 2,
      loops: 1,
    });
    const open = /** @type {any} */ ({ ratesPerSecond: [], slo: { percentile: 'p99', us: 5_000 } });
    const skipOf = (/** @type {any} */ scenario, options = {}) =>
      skipOfCell(
        {
          transport: unix,
          codec: json,
          scenario,
          cell,
          options: { messages: null, ...options },
          schema: null,
        },
        null,
      ).skip;
    assert.equal(skipOf(connect), null);
    assert.match(
      String(skipOf(connect, { open })),
      /connect does not support open load: leave out --rate and --sweep/,
    );
    assert.equal(skipOf(configured(stream, {}), { open }), null);
    assert.match(String(skipOf(configured(stream, { direction: 'both' }), { open })), /of one direction/);
  });
});
