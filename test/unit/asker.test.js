// Questions over a channel that asks to wait: which go, in which order, and when. The channel is the test's own.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Asker } from '../../lib/scenario-kit/asker.js';
import { firstAnswers } from '../../lib/scenario-kit/first-answers.js';
import { Meter } from '../../lib/scenario-kit/meter.js';

const LOOPS = 5;
const ROOM = 2; // questions that the channel takes before it asks to wait

const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

it('a channel that is full takes the questions that wait in the order in which they were asked', async () => {
  /** @type {any[]} */
  const sent = [];
  /** @type {(() => void)[]} */
  const drains = [];
  const channel = {
    onMessage: (/** @type {any} */ _wire) => {},
    onClose() {},
    send: (/** @type {any} */ wire) => sent.push(wire) % ROOM !== 0,
    drained: () => /** @type {Promise<void>} */ (new Promise((resolve) => drains.push(resolve))),
    async close() {},
  };
  const asker = new Asker({ channel, codec, payloads: ['x'], loops: LOOPS, meter: new Meter() });
  /** @type {number[]} */
  const answered = [];
  const asking = Array.from({ length: LOOPS }, async (_, loop) => {
    asker.begin(loop);
    await asker.ask(loop);
    answered.push(loop);
  });

  for (const count of [2, 4, 5]) {
    assert.equal(sent.length, count, 'no more than there is room for');
    assert.equal(asker.asked, count, 'what waits is not asked yet');
    if (count === LOOPS) break;
    assert.equal(drains.length, 1, 'the channel is asked once for all who wait');
    drains.pop()?.();
    await asker.unblocked;
  }
  assert.equal(asker.sweep(1e6), LOOPS);
  for (const question of sent) channel.onMessage(question);
  await Promise.all(asking);
  assert.deepEqual(answered, [0, 1, 2, 3, 4]);
  assert.deepEqual(Object.values(asker.integrity), [0, 0, 0, 0, 0]);
});

it('a question that waited and cannot be sent fails its own loop', async () => {
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
  const asker = new Asker({ channel, codec, payloads: ['x'], loops: 2, meter: new Meter() });
  asker.ask(0);
  const failing = assert.rejects(asker.ask(1), /it broke/);
  drain();
  await failing;
});

it('a first question that gets an answer to another one is not waited for', async () => {
  const channel = {
    onMessage: (/** @type {any} */ _wire) => {},
    onClose() {},
    send: (/** @type {any} */ { id, payload }) => {
      setImmediate(() => channel.onMessage({ id: `${id}`, payload }));
      return true;
    },
    drained: async () => {},
    async close() {},
  };
  const asker = new Asker({ channel, codec, payloads: ['x'], loops: 1, meter: new Meter() });
  asker.begin(0);
  await assert.rejects(firstAnswers([asker], [asker.ask(0)]), {
    code: 'INTEGRITY',
    message: /another message \(corrupt\)$/,
  });
});
