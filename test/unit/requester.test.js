// Requester over a simulated channel.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LOST, Meter } from '../../lib/measure/meter.js';
import { Requester } from '../../lib/workload/endpoints/requester.js';
import { END_ID, isMessageId } from '../../lib/workload/messages/message-ids.js';

const LOOPS = 5;
const ROOM = 2; // requests that the channel takes before it is full

const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

/**
 * @param {object} [own]
 * @param {(count: number) => boolean} [own.hasRoom]   after so many requests
 * @param {() => Promise<void>} [own.drained]
 * @returns {{ sent: any[], channel: any }}
 */
function recordingChannel({ hasRoom = () => true, drained = async () => {} } = {}) {
  /** @type {any[]} */
  const sent = [];
  const channel = {
    onMessage() {},
    onClose() {},
    send: (/** @type {any} */ wire) => hasRoom(sent.push(wire)),
    drained,
    async close() {},
  };
  return { sent, channel };
}

it('sends the requests that wait for a full channel in their order', async () => {
  /** @type {(() => void)[]} */
  const drains = [];
  const { sent, channel } = recordingChannel({
    hasRoom: (count) => count % ROOM !== 0,
    drained: () => /** @type {Promise<void>} */ (new Promise((resolve) => drains.push(resolve))),
  });
  const requester = new Requester({ channel, codec, payloads: ['x'], loops: LOOPS, meter: new Meter() });
  /** @type {number[]} */
  const answered = [];
  const asking = Array.from({ length: LOOPS }, async (_, loop) => {
    requester.begin(loop);
    await requester.request(loop);
    answered.push(loop);
  });

  for (const count of [2, 4, 5]) {
    assert.equal(sent.length, count, 'no more than there is room for');
    assert.equal(requester.requests, count, 'waiting requests are not counted');
    if (count === LOOPS) break;
    assert.equal(drains.length, 1, 'one wait for all loops');
    drains.pop()?.();
    await turn();
  }
  assert.equal(requester.sweep(1e6), LOOPS);
  for (const question of sent) channel.onMessage(question);
  await Promise.all(asking);
  assert.deepEqual(answered, [0, 1, 2, 3, 4]);
  assert.deepEqual(Object.values(requester.integrity), [0, 0, 0, 0, 0]);
});

it('fails the loop whose request cannot be sent after waiting', async () => {
  let room = 1;
  /** @type {() => void} */
  let drain = () => {};
  const channel = {
    onMessage() {},
    onClose() {},
    send() {
      room -= 1;
      if (room < 0) throw new Error('it broke');
      return false;
    },
    drained: () => /** @type {Promise<void>} */ (new Promise((resolve) => (drain = resolve))),
    async close() {},
  };
  const requester = new Requester({ channel, codec, payloads: ['x'], loops: 2, meter: new Meter() });
  requester.request(0);
  const failing = assert.rejects(requester.request(1), /it broke/);
  drain();
  await failing;
});

it('gives up a request that waits for a full channel until the deadline', async (t) => {
  let nowMs = 10;
  t.mock.method(performance, 'now', () => nowMs);
  let drain = () => {};
  const { sent, channel } = recordingChannel({
    hasRoom: (count) => count > 1,
    drained: () => /** @type {Promise<void>} */ (new Promise((resolve) => (drain = resolve))),
  });
  const requester = new Requester({ channel, codec, payloads: ['x'], loops: 3, meter: new Meter() });
  const ask = (/** @type {number} */ loop) => {
    requester.begin(loop);
    return requester.request(loop);
  };
  const first = ask(0);
  const second = ask(1);
  nowMs += 50;
  const third = ask(2);
  nowMs += 50;
  assert.equal(requester.sweep(100), 1, 'one has not waited that long');
  assert.deepEqual([await first, await second], [LOST, LOST]);
  assert.equal(requester.integrity.lost, 2);
  drain();
  await turn();
  assert.equal(sent.length, 2, 'a request that was given up is not sent');
  channel.onMessage(sent[1]);
  assert.equal(await third, undefined);
});

it('fails each waiting loop with the name of the transport if drained() fails', async () => {
  const failures = [
    () => Promise.reject(new Error('broken')),
    () => {
      throw new Error('broken');
    },
  ];
  for (const drained of failures) {
    const channel = { onMessage() {}, onClose() {}, send: () => false, drained, async close() {} };
    const parts = { channel, codec, payloads: ['x'], loops: 3, meter: new Meter(), transport: 'own' };
    const requester = new Requester(parts);
    const expected = { code: 'TRANSPORT', message: 'drained() of own failed: broken' };
    const earlier = [0, 1].map((loop) => assert.rejects(requester.request(loop), expected));
    await Promise.all(earlier);
    await assert.rejects(requester.request(2), expected);
  }
});

it('ignores the failure of a channel that was replaced', async () => {
  let fail = (/** @type {Error} */ _error) => {};
  const idle = { onMessage: (/** @type {any} */ _wire) => {}, onClose() {}, async close() {} };
  const blocked = {
    ...idle,
    send: () => false,
    drained: () => /** @type {Promise<void>} */ (new Promise((_, reject) => (fail = reject))),
  };
  /** @type {any[]} */
  const sent = [];
  const open = { ...idle, send: (/** @type {any} */ wire) => sent.push(wire) > 0, drained: async () => {} };
  const requester = new Requester({ channel: blocked, codec, payloads: ['x'], loops: 1, meter: new Meter() });
  requester.request(0);
  requester.useChannel(open);
  const answered = requester.request(0);
  fail(new Error('closed'));
  await turn();
  open.onMessage(sent[0]);
  assert.equal(await answered, undefined);
});

it('sends the payloads in turn, over and over', async () => {
  const { sent, channel } = recordingChannel();
  const payloads = ['a', 'b', 'c'];
  const requester = new Requester({ channel, codec, payloads, loops: 1, meter: new Meter() });
  for (let asked = 0; asked < 7; asked += 1) {
    const answered = requester.request(0);
    channel.onMessage(sent[asked]);
    await answered;
  }
  assert.deepEqual(
    sent.map(({ payload }) => payload),
    ['a', 'b', 'c', 'a', 'b', 'c', 'a'],
  );
  assert.deepEqual(
    sent.map(({ id }) => id),
    sent.map((_, index) => sent[0].id + index),
    'ids grow',
  );
});

it('adds loops while requests are open, and matches each response to its request', async () => {
  const { sent, channel } = recordingChannel();
  const parts = { channel, codec, payloads: ['x', 'y', 'z'], loops: 2, meter: new Meter(), grows: true };
  const requester = new Requester(parts);
  const open = [requester.request(0), requester.request(1)];
  for (let count = open.length; count < 100; count += 1) open.push(requester.request(requester.addLoop()));
  assert.equal(new Set(sent.map(({ id }) => id)).size, 100);
  assert.ok(sent.every(({ id }) => isMessageId(id)));
  for (const question of [...sent].reverse()) channel.onMessage(question);
  await Promise.all(open);
  const { outOfOrder, ...others } = requester.integrity;
  assert.deepEqual(others, { lost: 0, duplicate: 0, swapped: 0, corrupt: 0 });
  assert.equal(outOfOrder, 99);
  assert.deepEqual([requester.sweep(0), requester.integrity.lost], [0, 0], 'none is open');
  channel.onMessage(sent[0]);
  assert.equal(requester.integrity.duplicate, 1);
});

it('expects each recorded response to its request under open load, even if one loop suffices', async () => {
  const { sent, channel } = recordingChannel();
  const payloads = Array.from({ length: 39 }, (_, index) => `request ${index}`);
  const responses = payloads.map((payload) => payload.replace('request', 'response'));
  const parts = { channel, codec, payloads, responses, loops: 4, meter: new Meter(), grows: true };
  const requester = new Requester(parts);
  const used = new Set();
  for (let count = 0; count < 200; count += 1) {
    const answered = requester.request(0);
    used.add(requester.openPayloads[0]);
    assert.equal(requester.openPayloads[0], responses[payloads.indexOf(sent[count].payload)]);
    channel.onMessage({ ...sent[count], payload: requester.openPayloads[0] });
    await answered;
  }
  assert.equal(used.size, responses.length);
});

/** @param {number} loops */
function askingOf(loops, payloads = ['a', 'b', 'c']) {
  const { sent, channel } = recordingChannel();
  const requester = new Requester({ channel, codec, payloads, loops, meter: new Meter() });
  const asked = Array.from({ length: loops }, (_, loop) => {
    requester.begin(loop);
    return requester.request(loop);
  });
  return { sent, channel, requester, asked };
}

it('counts wrong responses by their mistake', async () => {
  const { sent, channel, requester, asked } = askingOf(3);
  channel.onMessage({ ...sent[1], payload: sent[0].payload });
  channel.onMessage({ ...sent[0], payload: 'changed' });
  channel.onMessage(sent[2]);
  await Promise.all(asked);
  assert.deepEqual(requester.integrity, { lost: 0, duplicate: 0, swapped: 1, corrupt: 1, outOfOrder: 1 });
});

it('counts no response as out of order when ids start anew', async () => {
  const { sent, channel, requester, asked } = askingOf(2);
  for (const question of sent) channel.onMessage(question);
  await Promise.all(asked);
  requester.nextId = END_ID - 2;
  for (let round = 0; round < 2; round += 1) {
    const further = [0, 1].map((loop) => requester.request(loop));
    for (const question of sent.slice(-2)) channel.onMessage(question);
    await Promise.all(further);
  }
  const ids = sent.map(({ id }) => id);
  assert.ok(ids.every(isMessageId) && ids.includes(END_ID - 2) && ids[5] < ids[2], ids.join());
  assert.deepEqual(Object.values(requester.integrity), [0, 0, 0, 0, 0]);
});

it('reads the clock for responses after the last request of a loop', async (t) => {
  let nowMs = 10;
  t.mock.method(performance, 'now', () => nowMs);
  const { sent, channel } = recordingChannel();
  const meter = new Meter();
  const requester = new Requester({ channel, codec, payloads: ['x'], loops: 2, meter });
  const ends = [0, 1].map(async (loop) => {
    requester.remaining[loop] = 1;
    requester.begin(loop);
    while (requester.shouldContinue(loop)) await requester.request(loop);
  });
  for (const question of sent.slice()) {
    nowMs += 5;
    channel.onMessage(question);
    await turn();
  }
  await Promise.all(ends);
  assert.deepEqual([...requester.startsMs], [15, 20]);
});
