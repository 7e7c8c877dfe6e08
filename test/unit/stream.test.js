// The two ends of a stream without a process between them: what is sent, and what is found wrong with what comes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Meter } from '../../lib/measure/meter.js';
import { configured } from '../../lib/plugins/plugins.js';
import { readings } from '../../lib/run/findings/readings.js';
import { Consumer } from '../../lib/workload/endpoints/consumer-endpoint.js';
import { DuplexEndpoint } from '../../lib/workload/endpoints/duplex-endpoint.js';
import {
  Producer,
  ProducerEndpoint,
  PublisherEndpoint,
} from '../../lib/workload/endpoints/producer-endpoint.js';
import { greatestBacklog, sentPerSecond, transitTimes } from '../../lib/workload/measures/stream-measures.js';
import stream from '../../scenarios/stream.js';

/** @import { RoleReport } from '../../lib/types/index.js' */

const PAYLOADS = ['aaaa', 'bbbb', 'cccc'];
/** The message itself travels. */
const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

/** @param {(wire: any) => boolean} send @param {() => Promise<void>} [drained] */
function channelOf(send, drained = async () => {}) {
  return { send, drained, onMessage: (/** @type {any} */ _wire) => {}, onClose() {}, close: async () => {} };
}

/** @param {number} count @returns {any[]} the first messages of a stream */
function messagesOf(count) {
  /** @type {any[]} */
  const sent = [];
  const channel = channelOf((wire) => sent.push(wire) > 0);
  const sender = new Producer({ channel, codec, payloads: PAYLOADS, loops: count, meter: new Meter() });
  sender.sendTurn();
  return sent;
}

/** @param {any[]} messages @returns {Consumer} that they have come to, in this order */
function sinkOf(messages) {
  const channel = channelOf(() => true);
  const sink = new Consumer({ channel, codec, payloads: PAYLOADS, meter: new Meter(), handleMs: 0 });
  for (const message of messages) channel.onMessage(message);
  return sink;
}

describe('the sender of a stream', () => {
  it('sends nothing more while the channel asks to wait, and lets others run when it need not', async () => {
    let [sent, isFull, turns] = [0, false, 0];
    const meter = new Meter();
    const channel = channelOf(
      () => {
        assert.ok(!isFull, 'it was told to wait');
        sent += 1;
        isFull = sent % 10 === 0;
        return !isFull;
      },
      async () => {
        isFull = false;
      },
    );
    const sender = new Producer({ channel, codec, payloads: PAYLOADS, loops: 4, meter });
    const over = sender.run();
    while (sent < 100) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    meter.isOver = true;
    sender.end();
    await over;
    assert.ok(sender.waits >= 10 && turns >= 20, `${sender.waits} waits, ${turns} turns`);
    assert.equal(sender.sent, sent);
  });
});

describe('the end of a stream that sends', () => {
  it('reports how much a producer had sent when the window opened', () => {
    const channel = channelOf(() => true);
    const parts = {
      meter: new Meter(),
      channels: { w0: channel },
      payloadsOf: () => PAYLOADS,
      replyMs: 1_000,
    };
    const endpoint = new ProducerEndpoint({ loops: 5 }, codec, parts);
    const [sender] = endpoint.senders.values();
    for (let turn = 0; turn < 3; turn += 1) sender.sendTurn();
    endpoint.opened();
    sender.sendTurn();
    const { requests, values } = endpoint.report();
    assert.deepEqual([requests, values?.atOpen], [20, 15]);
  });
});

it('fails with the name of the transport if its channel cannot report room', async () => {
  const failures = [
    () => Promise.reject(new Error('broken')),
    () => {
      throw new Error('broken');
    },
  ];
  for (const drained of failures) {
    const channel = channelOf(() => false, drained);
    const parts = { channel, codec, payloads: PAYLOADS, loops: 1, meter: new Meter(), transport: 'own' };
    await assert.rejects(new Producer(parts).run(), {
      code: 'TRANSPORT',
      message: 'drained() of own failed: broken',
    });
  }
});

it('gives up both directions of a stream together, and schedules them by one clock', () => {
  const taken = new Meter();
  const parts = { meter: taken, channels: {}, payloadsOf: () => PAYLOADS, replyMs: 1_000 };
  const endpoint = new DuplexEndpoint('worker', { loops: 1 }, codec, parts, 0);
  const plan = { fromMs: 1, toMs: 2, binMs: 1, onOpen() {}, onClose() {} };
  endpoint.meter.schedule(plan);
  assert.deepEqual([taken.plan, endpoint.sentMeter.plan], [plan, null]);
  assert.deepEqual([taken.isOver, endpoint.sentMeter.isOver], [false, false]);
  endpoint.meter.giveUp();
  assert.deepEqual([taken.isOver, endpoint.sentMeter.isOver], [true, true]);
});

it('opens and closes both directions of a stream together', () => {
  const taken = new Meter();
  const parts = { meter: taken, channels: {}, payloadsOf: () => PAYLOADS, replyMs: 1_000 };
  const endpoint = new DuplexEndpoint('worker', { loops: 1 }, codec, parts, 0);
  const fromMs = performance.now();
  const onOpen = () => endpoint.opened();
  taken.schedule({ fromMs, toMs: Infinity, binMs: 1e9, onOpen, onClose: () => endpoint.closed() });
  taken.tick();
  assert.deepEqual([taken.isOpen, endpoint.sentMeter.isOpen], [true, true]);
});

it('separates what a stream received before its window opened', () => {
  const channel = channelOf(() => true);
  const parts = { meter: new Meter(), channels: { w0: channel }, payloadsOf: () => PAYLOADS, replyMs: 1_000 };
  const endpoint = new DuplexEndpoint('master', { loops: 1 }, codec, parts, 0);
  endpoint.serve(channel, 'w0');
  const [first, second, third] = messagesOf(3);
  for (const message of [first, second]) channel.onMessage(message);
  endpoint.meter.schedule({ fromMs: 0, toMs: Infinity, binMs: 1e9, onOpen() {}, onClose() {} });
  endpoint.opened();
  channel.onMessage(third);
  assert.equal(endpoint.taking.takenAtOpen, 2);
  assert.equal(endpoint.taking.progress(), 3);
});

it('counts sent and received messages of both directions as progress', () => {
  const channel = channelOf(() => true);
  const parts = { meter: new Meter(), channels: { w0: channel }, payloadsOf: () => PAYLOADS, replyMs: 1_000 };
  const endpoint = new DuplexEndpoint('master', { loops: 3 }, codec, parts, 0);
  endpoint.serve(channel, 'w0');
  assert.equal(endpoint.progress(), 0);
  for (const message of messagesOf(2)) channel.onMessage(message);
  assert.equal(endpoint.progress(), 2);
  const [sender] = endpoint.sending.senders.values();
  sender.sendTurn();
  assert.equal(endpoint.progress(), 2 + 3);
});

it('publishes to all workers, and waits for the slowest of them', async () => {
  /** @type {Record<string, any[]>} */
  const sent = { w0: [], w1: [] };
  const full = new Set(['w1']);
  /** @type {(() => void)[]} */
  const drains = [];
  const channelTo = (/** @type {string} */ id) =>
    channelOf(
      (wire) => sent[id].push(wire) > 0 && !full.has(id),
      () => (full.has(id) ? new Promise((resolve) => drains.push(resolve)) : Promise.resolve()),
    );
  const meter = new Meter();
  const parts = { meter, channels: {}, payloadsOf: () => PAYLOADS, replyMs: 1_000 };
  const endpoint = new PublisherEndpoint({ loops: 5 }, codec, parts);
  for (const id of Object.keys(sent)) endpoint.serve(channelTo(id), id);
  const over = endpoint.run(performance.now());
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([sent.w0.length, sent.w1.length, endpoint.progress()], [1, 1, 2], 'one of them is full');
  full.clear();
  drains[0]();
  while (sent.w1.length < 6) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(sent.w0, sent.w1);
  meter.isOver = true;
  endpoint.closed();
  await over;
});

describe('the sink of a stream', () => {
  const messages = messagesOf(8);
  const [first, second, third, ...rest] = messages;
  const none = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
  const changed = { ...second, payload: 'bxbb' };
  const cases = /** @type {[string, any[], Partial<typeof none>][]} */ ([
    ['nothing', messages, {}],
    ['one that did not come', [first, third, ...rest], { lost: 1 }],
    ['one that came late', [first, third, second, ...rest], { outOfOrder: 1 }],
    [
      'one that was changed, after one that did not come',
      [first, { ...third, payload: 'x' }, ...rest],
      { lost: 1, corrupt: 1 },
    ],
    ['one that was changed and came late', [first, third, changed, ...rest], { outOfOrder: 1, corrupt: 1 }],
    [
      'one that came late with the payload of another',
      [first, third, { ...second, payload: third.payload }, ...rest],
      { outOfOrder: 1, swapped: 1 },
    ],
    ['one that came twice', [first, second, second, third, ...rest], { duplicate: 1 }],
    ['one that was changed', [first, changed, third, ...rest], { corrupt: 1 }],
    [
      'two that changed places',
      [first, { ...second, payload: third.payload }, { ...third, payload: second.payload }, ...rest],
      { swapped: 2 },
    ],
    ...[7, '1000000001', Number.NaN, 1.5, first.id + 500_000_000].map((id) => [
      `one whose number ${JSON.stringify(id)} no message can have`,
      [first, second, { id, payload: 'aaaa' }, third, ...rest],
      { corrupt: 1 },
    ]),
  ]);
  for (const [what, come, found] of cases) {
    it(`finds in a stream ${what}`, () => {
      assert.deepEqual(sinkOf(come).mistakes(messages.length), { ...none, ...found });
    });
  }

  it('finds a message that cannot be decoded', () => {
    const channel = channelOf(() => true);
    const strict = {
      ...codec,
      decode(/** @type {any} */ wire) {
        if (wire === 'garbage') throw new Error('no message');
        return wire;
      },
    };
    const meter = new Meter();
    const sink = new Consumer({ channel, codec: strict, payloads: PAYLOADS, meter, handleMs: 0 });
    for (const wire of [first, 'garbage', second, third, ...rest]) channel.onMessage(wire);
    assert.deepEqual(sink.mistakes(messages.length), { ...none, corrupt: 1 });
  });

  it('records when it received the first and then each sixty-fourth message, as the sender does', () => {
    const many = messagesOf(200);
    const { sightings } = sinkOf(many);
    assert.deepEqual(
      sightings.map(([count]) => count),
      [0, 64, 128, 192],
    );
    const sender = new Producer({
      channel: channelOf(() => true),
      codec,
      payloads: PAYLOADS,
      loops: 200,
      meter: new Meter(),
    });
    sender.sendTurn();
    assert.deepEqual(
      sender.sightings.map(([count]) => count),
      [0, 64, 128, 192],
    );
  });

  it('reads the clock for one of eight messages, and for each that keeps the receiver busy', (t) => {
    let readings = 0;
    t.mock.method(performance, 'now', () => {
      readings += 1;
      return 5 * readings;
    });
    const many = messagesOf(64);
    const readingsOf = (/** @type {number} */ handleMs) => {
      const channel = channelOf(() => true);
      const meter = new Meter();
      new Consumer({ channel, codec, payloads: PAYLOADS, meter, handleMs });
      readings = 0;
      for (const message of many) channel.onMessage(message);
      return readings;
    };
    assert.equal(readingsOf(0), 8);
    assert.equal(readingsOf(1), 64 + 2 * 64, 'its work takes two readings');
  });

  it('counts missing messages at the end of a stream as lost', () => {
    assert.equal(sinkOf(messages.slice(0, 5)).mistakes(8).lost, 3);
  });
});

describe('what both ends of a stream say together', () => {
  const window = { openMs: 1_000, windowMs: 200, role: 'worker', times: {}, mistakes: {}, open: null };
  const nobody = { work: null, cost: null, requests: 0 };
  /** @param {Partial<RoleReport>} own @returns {RoleReport} */
  const report = (own) => /** @type {RoleReport} */ ({ ...window, ...nobody, ...own });
  const sender = report({
    id: 'w0',
    operations: null,
    bins: [300, 500],
    values: { atOpen: 100 },
    sightings: {
      w0: [
        [0, 990],
        [64, 1_010],
        [128, 1_100],
        [192, 1_190],
      ],
    },
  });
  const taker = report({
    id: 'master',
    operations: 500,
    bins: [250, 250],
    values: { atOpen: 90 },
    sightings: {
      w0: [
        [0, 995],
        [64, 1_012],
        [128, 1_104],
        [192, 1_250],
      ],
    },
  });

  it('computes the sent messages per second and the greatest backlog of a stream', () => {
    assert.equal(sentPerSecond([sender, taker]), 4_000);
    assert.equal(greatestBacklog([sender, taker]), 100 + 800 - (90 + 500));
    assert.equal(greatestBacklog([{ ...sender, bins: [0, 0], values: { atOpen: 0 } }, taker]), 0);
  });

  it('computes the transit times of messages that arrived in the window', () => {
    assert.deepEqual([...transitTimes([sender, taker])], [2e6, 4e6]);
    assert.equal(transitTimes([sender, { ...taker, sightings: {} }]).length, 0);
  });

  it('reports no transit times between hosts, which have two clocks', () => {
    const told = (/** @type {object} */ cell) =>
      readings(stream.measures ?? [], [sender, taker], /** @type {any} */ ({ payloadBytes: 4, ...cell }), []);
    const [here, across] = [told({}), told({ hosts: 'a:b' })];
    assert.ok('timeInTransit' in here.times);
    assert.deepEqual([across.times, across.values.sentPerSecond], [{}, 4_000]);
  });
});

describe('a scenario with settings', () => {
  it('names a scenario by its settings, without defaults', () => {
    assert.equal(configured(stream, {}).name, 'stream');
    assert.equal(configured(stream, { direction: 'to-master' }).name, 'stream');
    const { name, chosen } = configured(stream, { handle: '20', direction: 'to-worker' });
    assert.equal(name, 'stream:direction=to-worker,handle=20');
    assert.deepEqual(chosen, { direction: 'to-worker', handle: 20 });
  });

  it('refuses unknown settings of a scenario and invalid values', () => {
    const wrong = /** @type {[Record<string, string>, RegExp][]} */ ([
      [
        { hand: '1' },
        /--scenario stream: no setting "hand"; stream has direction, handle\. Did you mean "?handle/,
      ],
      [
        { direction: 'away' },
        /--scenario stream:direction: "away" is not usable; it is one of to-master, to-worker, both/,
      ],
      [{ handle: '-1' }, /--scenario stream:handle: "-1" is out of range; it goes from 0 to 1,000,000 µs/],
    ]);
    for (const [settings, message] of wrong) {
      assert.throws(() => configured(stream, settings), { code: 'BAD_ARGUMENT', message });
    }
  });
});

describe('a stream both ways', () => {
  const SEND_MS = 0.01;
  /** @type {(t: import('node:test').TestContext, isEcho?: boolean) => Promise<RoleReport[]>} of master and worker, over a window of 2 ms; each message takes a hundredth of it */
  async function played(t, isEcho = false) {
    let nowMs = 0.5;
    t.mock.method(performance, 'now', () => nowMs);
    const channelTo = (/** @type {() => any} */ peer) =>
      channelOf((wire) => {
        nowMs += SEND_MS;
        setImmediate(() => peer().onMessage(wire));
        return true;
      });
    const master = channelTo(() => worker);
    const worker = channelTo(() => (isEcho ? worker : master));
    const endpoints = /** @type {const} */ (['master', 'worker']).map((role) => {
      const parts = {
        meter: new Meter(),
        channels: { w0: role === 'master' ? master : worker },
        replyMs: 1_000,
        payloadsOf: (/** @type {string} */ stream) => PAYLOADS.map((payload) => `${stream} ${payload}`),
      };
      return new DuplexEndpoint(role, { loops: 3 }, codec, parts, 0);
    });
    for (const endpoint of endpoints) {
      const ends = { onOpen: () => endpoint.opened(), onClose: () => endpoint.closed() };
      endpoint.meter.schedule({ fromMs: 1, toMs: 3, binMs: 1, ...ends });
    }
    // Without a message nobody would look at the clock, and it would stand still.
    const looking = setInterval(() => {
      for (const { takenMeter } of endpoints) takenMeter.tick();
      if (endpoints.every(({ takenMeter }) => takenMeter.isOver)) nowMs += 100;
    }, 1);
    await Promise.all(endpoints.map((endpoint) => endpoint.run(nowMs)));
    await endpoints[0].settled([endpoints[1].report()]);
    clearInterval(looking);
    return endpoints.map((endpoint) => /** @type {any} */ ({ windowMs: 2, openMs: 1, ...endpoint.report() }));
  }

  it('does not accept an echo of its own messages', async (t) => {
    const [, worker] = await played(t, true);
    const { corrupt = 0, duplicate = 0 } = worker.mistakes;
    assert.ok(corrupt + duplicate > 0);
  });
});
