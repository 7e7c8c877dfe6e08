// The ends of a scenario that asks after a rest, or over a new connection each time, and the end that answers: over channels of
// the test's own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Answerer } from '../../lib/scenario-kit/answerer.js';
import { ConnectingHalf } from '../../lib/scenario-kit/connecting-half.js';
import { Meter } from '../../lib/scenario-kit/meter.js';
import { RestingHalf } from '../../lib/scenario-kit/resting-half.js';

const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

/** @param {() => void} [onClose] @returns {any} a channel that answers each question in the next turn, unless it was closed */
function echoChannel(onClose = () => {}) {
  let isOpen = true;
  const channel = {
    onMessage: (/** @type {any} */ _wire) => {},
    onClose() {},
    send(/** @type {any} */ wire) {
      assert.ok(isOpen, 'nothing is asked over a closed channel');
      setImmediate(() => channel.onMessage(wire));
      return true;
    },
    drained: async () => {},
    close: async () => {
      isOpen = false;
      onClose();
    },
  };
  return channel;
}

/** @param {object} differences @returns {any} */
function partsOf(differences) {
  const usual = { channel: echoChannel(), payloads: ['a', 'b', 'c', 'd', 'e'], replyMs: 10_000, open: null };
  return { ...usual, meter: new Meter(), connect: () => assert.fail(), ...differences };
}

/** @param {any} half @param {any} meter @param {() => void} [onClose] */
async function played(half, meter, onClose = () => {}) {
  await half.ready();
  const ends = { onOpen: () => half.opened(), onClose };
  meter.schedule({ fromMs: performance.now(), toMs: Infinity, binMs: 1_000, ...ends });
  meter.tick();
  await half.run();
  meter.finish();
  return half.report();
}

describe('the end that connects again and again', () => {
  it('asks once over each connection, and hangs it up before the next', async () => {
    let [open, most, made] = [0, 0, 0];
    const connect = async () => {
      made += 1;
      open += 1;
      most = Math.max(most, open);
      return echoChannel(() => {
        open -= 1;
      });
    };
    const parts = partsOf({ connect, messages: 5 });
    const report = await played(new ConnectingHalf({ loops: 2 }, codec, parts), parts.meter);
    assert.deepEqual([made, most, open], [10, 2, 0]);
    assert.equal(report.operations, 10);
    assert.equal(report.asked, 11, 'with the one that proves that the ends understand each other');
    assert.deepEqual(report.mistakes, NONE);
    const { timeToConnect, timeToFirstAnswer } = report.times;
    assert.deepEqual([timeToConnect.count, timeToFirstAnswer.count], [10, 10]);
    assert.ok(timeToConnect.maxNs <= timeToFirstAnswer.maxNs);
  });
});

describe('the end that rests before it asks', () => {
  it('takes its pauses in turn, and times the first answer after each apart from those without a pause', async (t) => {
    const parts = partsOf({ messages: 4 });
    const half = new RestingHalf({ loops: 1 }, codec, parts, [1, 3]);
    const beganNs = process.hrtime.bigint();
    // How many questions follow is limited in time as well, which a crowded machine would exceed.
    let nowMs = performance.now();
    t.mock.method(performance, 'now', () => {
      nowMs += 0.001;
      return nowMs;
    });
    const report = await played(half, parts.meter);
    assert.ok(process.hrtime.bigint() - beganNs >= 7_000_000n, 'it rests twice for 1 and for 3 ms');
    assert.equal(report.operations, 4);
    assert.deepEqual(report.mistakes, NONE);
    assert.deepEqual(Object.keys(report.times), ['steady', 'after1ms', 'after3ms']);
    const counts = Object.values(report.times).map(({ count }) => count);
    // Of 20 questions without a pause the first 10 fill the caches again.
    assert.deepEqual(counts, [40, 2, 2]);
    assert.equal(report.asked, 1 + 4 * 21);
  });

  it('ends its rest with the window', async () => {
    const parts = partsOf({ messages: null });
    const half = new RestingHalf({ loops: 3 }, codec, parts, [600_000]);
    const over = played(half, parts.meter, () => half.closed());
    while (!parts.meter.isOpen) await new Promise((resolve) => setImmediate(resolve));
    parts.meter.finish();
    const { operations } = await over;
    assert.equal(operations, 0);
  });
});

describe('the end that answers', () => {
  it('answers each question, and counts those that it cannot decode', () => {
    /** @type {any[]} */
    const answers = [];
    const channel = { ...echoChannel(), send: (/** @type {any} */ wire) => answers.push(wire) > 0 };
    const parsing = {
      encode: (/** @type {any} */ message) => JSON.stringify(message),
      decode: (/** @type {string} */ wire) => JSON.parse(wire),
    };
    const answerer = new Answerer(parsing, ({ id, payload }) => ({ id, payload: payload.toUpperCase() }));
    answerer.serve(channel);
    assert.deepEqual(answerer.report().mistakes, { corrupt: 0 });
    for (const wire of ['{"id":1,"payload":"x"}', '{', '{"id":2,"payload":"y"}', '']) channel.onMessage(wire);
    assert.deepEqual(answers, ['{"id":1,"payload":"X"}', '{"id":2,"payload":"Y"}']);
    assert.deepEqual(answerer.report().mistakes, { corrupt: 2 });
    assert.equal(answerer.progress(), 2);
  });
});
