// Endpoints that reconnect, pause or respond, over simulated channels.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Meter } from '../../lib/measure/meter.js';
import { IdleEndpoint } from '../../lib/workload/endpoints/idle-endpoint.js';
import { ReconnectEndpoint } from '../../lib/workload/endpoints/reconnect-endpoint.js';
import { firstResponses } from '../../lib/workload/endpoints/requester.js';
import { Responder } from '../../lib/workload/endpoints/responder.js';
import { MEMORY_PER_CONNECTION } from '../../lib/workload/measures/usual-measures.js';
import { makeReceipts } from '../../lib/workload/messages/jobs.js';

const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

/** @param {() => void} [onClose] @returns {any} a channel that echoes each request in the next iteration of the event loop */
function echoChannel(onClose = () => {}) {
  let isOpen = true;
  const channel = {
    onMessage: (/** @type {any} */ _wire) => {},
    onClose() {},
    send(/** @type {any} */ wire) {
      assert.ok(isOpen, 'no request over a closed channel');
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

/** @param {any} endpoint @param {any} meter @param {() => void} [onClose] */
async function played(endpoint, meter, onClose = () => {}) {
  await endpoint.ready();
  const ends = { onOpen: () => endpoint.opened(), onClose };
  meter.schedule({ fromMs: performance.now(), toMs: Infinity, binMs: 1_000, ...ends });
  meter.tick();
  await endpoint.run();
  meter.finish();
  return endpoint.report();
}

describe('ReconnectEndpoint', () => {
  it('sends one request over each connection, and closes it before the next', async () => {
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
    const report = await played(new ReconnectEndpoint({ loops: 2 }, codec, parts), parts.meter);
    assert.deepEqual([made, most, open], [10, 2, 0]);
    assert.equal(report.operations, 10);
    assert.equal(report.requests, 11, 'one request of ready() besides');
    assert.deepEqual(report.mistakes, NONE);
    const { timeToConnect, timeToFirstAnswer } = report.times;
    assert.deepEqual([timeToConnect.count, timeToFirstAnswer.count], [10, 10]);
    assert.ok(timeToConnect.maxNs <= timeToFirstAnswer.maxNs);
  });

  it('times the connection, the first response and the whole operation', async (t) => {
    let nowMs = 1_000;
    t.mock.method(performance, 'now', () => nowMs);
    /** @param {number} answerMs @param {number} closeMs */
    const slowChannel = (answerMs, closeMs) => {
      const channel = echoChannel(() => {
        nowMs += closeMs;
      });
      const { send } = channel;
      channel.send = (/** @type {any} */ wire) => {
        nowMs += answerMs;
        return send(wire);
      };
      return channel;
    };
    const connect = async () => {
      nowMs += 3;
      return slowChannel(4, 5);
    };
    const parts = partsOf({ connect, messages: 2 });
    const report = await played(new ReconnectEndpoint({ loops: 1 }, codec, parts), parts.meter);
    const { timeToConnect, timeToFirstAnswer } = report.times;
    for (const [times, ms] of /** @type {const} */ ([
      [timeToConnect, 3],
      [timeToFirstAnswer, 7],
      [report.latency, 12],
    ]))
      assert.deepEqual([times.count, times.minNs, times.maxNs], [2, ms * 1e6, ms * 1e6]);
  });

  it('counts nothing before its window, and no connection whose response is lost', async (t) => {
    let nowMs = 1_000;
    t.mock.method(performance, 'now', () => nowMs);
    t.mock.timers.enable({ apis: ['setInterval'] });
    let made = 0;
    const connect = async () => {
      made += 1;
      if (made !== 2) return echoChannel();
      const mute = { ...echoChannel(), send: () => true };
      setImmediate(() => {
        nowMs += 10_000;
        t.mock.timers.tick(1_000);
      });
      return mute;
    };
    const parts = partsOf({ connect, messages: null });
    const endpoint = new ReconnectEndpoint({ loops: 1 }, codec, parts);
    await endpoint.ready();
    parts.meter.schedule({ fromMs: 2_000, toMs: Infinity, binMs: 1e9, onOpen() {}, onClose() {} });
    const over = endpoint.run();
    while (made < 5) await new Promise((resolve) => setImmediate(resolve));
    parts.meter.finish();
    await over;
    const { operations, times, mistakes } = /** @type {any} */ (endpoint.report());
    assert.equal(mistakes.lost, 1);
    assert.equal(times.timeToConnect.count, operations);
    assert.ok(operations >= 2 && operations <= made - 2, `${operations} of ${made}`);
  });
});

describe('firstResponses', () => {
  const asked = (/** @type {boolean} */ isOpen) =>
    /** @type {any} */ ({ isOpen: (/** @type {number} */ loop) => loop === 0 && isOpen, onUnexpected() {} });

  it('rejects on an unexpected message while a first request is open, and not after that', async () => {
    const requester = asked(true);
    const failed = firstResponses([requester], [new Promise(() => {})]);
    requester.onUnexpected('duplicate');
    await assert.rejects(failed, { code: 'INTEGRITY', message: /returned another message \(duplicate\)$/ });
    requester.onUnexpected('corrupt');
    const answered = asked(false);
    let answer = (/** @type {unknown} */ _) => {};
    const there = firstResponses([answered], [new Promise((resolve) => (answer = resolve))]);
    answered.onUnexpected('corrupt');
    answer(undefined);
    await there;
  });
});

describe('MEMORY_PER_CONNECTION', () => {
  /** @param {number} furtherConnections @param {number} grownBytes @returns {any} */
  const report = (furtherConnections, grownBytes) => ({ values: { furtherConnections, grownBytes } });

  it('has a value from 64 connections on, if each process can read its memory', () => {
    const read = (/** @type {any[]} */ ...reports) =>
      /** @type {any} */ (MEMORY_PER_CONNECTION).read(reports);
    assert.equal(read(report(63, 6_300)), null);
    assert.equal(read(report(64, 6_400)), 100);
    assert.equal(read(report(32, 6_400), report(32, 0)), 100);
    assert.equal(read(report(64, 6_400), { values: {} }), null);
    assert.equal(read(report(64, 6_400), { values: { grownBytes: 640 } }), 110);
  });
});

describe('makeReceipts', () => {
  it('makes receipts of one character that differ from their neighbours', () => {
    const receipts = makeReceipts(Array(130).fill('x'));
    assert.ok(receipts.every((receipt, index) => /^[\w-]$/.test(receipt) && receipt !== receipts[index + 1]));
    assert.deepEqual([receipts[0], receipts[1], receipts[63], receipts[64], receipts[129]], [...'AB_AB']);
  });
});

describe('IdleEndpoint', () => {
  it('takes its pauses in turn, and times the first response after each separately from those without a pause', async (t) => {
    const parts = partsOf({ messages: 4 });
    const endpoint = new IdleEndpoint({ loops: 1 }, codec, parts, [1, 3]);
    const beganNs = process.hrtime.bigint();
    // The number of requests that follow is also limited in time, which a busy machine would exceed.
    let nowMs = performance.now();
    t.mock.method(performance, 'now', () => {
      nowMs += 0.001;
      return nowMs;
    });
    const report = await played(endpoint, parts.meter);
    assert.ok(process.hrtime.bigint() - beganNs >= 7_000_000n, 'two pauses of 1 and of 3 ms');
    assert.equal(report.operations, 4);
    assert.deepEqual(report.mistakes, NONE);
    assert.deepEqual(Object.keys(report.times), ['steady', 'after1ms', 'after3ms']);
    const counts = Object.values(report.times).map(({ count }) => count);
    // Of 20 requests without a pause the first 10 refill the caches.
    assert.deepEqual(counts, [40, 2, 2]);
    assert.equal(report.requests, 1 + 4 * 21);
  });

  it('ends its pause with the window', async () => {
    const parts = partsOf({ messages: null });
    const endpoint = new IdleEndpoint({ loops: 3 }, codec, parts, [600_000]);
    const over = played(endpoint, parts.meter, () => endpoint.closed());
    while (!parts.meter.isOpen) await new Promise((resolve) => setImmediate(resolve));
    parts.meter.finish();
    const { operations, times } = await over;
    assert.equal(operations, 0);
    assert.deepEqual(times, {}, 'no times');
  });
});

describe('Responder', () => {
  it('responds to each request, and counts those that it cannot decode', () => {
    /** @type {any[]} */
    const answers = [];
    const channel = { ...echoChannel(), send: (/** @type {any} */ wire) => answers.push(wire) > 0 };
    const parsing = {
      encode: (/** @type {any} */ message) => JSON.stringify(message),
      decode: (/** @type {string} */ wire) => JSON.parse(wire),
    };
    const responder = new Responder(parsing, ({ id, payload }) => ({ id, payload: payload.toUpperCase() }));
    responder.serve(channel);
    assert.deepEqual(responder.report().mistakes, { corrupt: 0 });
    for (const wire of ['{"id":1,"payload":"x"}', '{', '{"id":2,"payload":"y"}', '']) channel.onMessage(wire);
    assert.deepEqual(answers, ['{"id":1,"payload":"X"}', '{"id":2,"payload":"Y"}']);
    assert.deepEqual(responder.report().mistakes, { corrupt: 2 });
    assert.equal(responder.progress(), 2);
  });
});
