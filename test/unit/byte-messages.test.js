// Messages of bytes: that every changed byte is found, whatever form a codec gives to bytes, and which codecs are skipped.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import avro from '../../lib/codecs/builtin/avro.js';
import binary from '../../lib/codecs/builtin/binary.js';
import json from '../../lib/codecs/builtin/json.js';
import string from '../../lib/codecs/builtin/string.js';
import v8 from '../../lib/codecs/builtin/v8.js';
import { Meter } from '../../lib/measure/meter.js';
import { peerSkipReason, skipOfCell } from '../../lib/plan/skip-reasons.js';
import { Consumer } from '../../lib/workload/endpoints/consumer-endpoint.js';
import { byteMessages } from '../../lib/workload/messages/byte-messages.js';
import { idAt } from '../../lib/workload/messages/message-ids.js';
import { noMistakes } from '../../lib/workload/messages/mistakes.js';
import { makePayloads, prepareMessages } from '../../lib/workload/messages/payloads.js';
import firstAnswer from '../../scenarios/first-answer.js';
import roundTrip from '../../scenarios/round-trip.js';
import task from '../../scenarios/task.js';
import pipe from '../../transports/pipe.js';
import piscina from '../../transports/piscina/piscina.js';
import udp from '../../transports/udp.js';
import unix from '../../transports/unix.js';

/** @import { Cell, Codec } from '../../lib/types/index.js' */

const ID = 1_000_000_007;
const CELL = /** @type {Cell} */ ({ payloadBytes: 50, content: 'bytes', loops: 4, workers: 1 });

/** @param {Codec} codec @param {number} [payloadBytes] @param {number} [loops] */
function messagesOf(codec, payloadBytes = 50, loops = 4) {
  return byteMessages(makePayloads(1, { payloadBytes, content: 'bytes' }, loops), codec);
}

describe('byteMessages', () => {
  for (const codec of [json, v8, binary]) {
    it(`returns the payload itself for the same bytes, and another one for each changed byte: ${codec.name}`, () => {
      const { payloads, encode, decode } = messagesOf(codec);
      for (const payload of payloads) {
        const wire = encode({ id: ID, payload });
        assert.equal(decode(wire).id, ID);
        assert.equal(decode(wire).payload, payload);
        for (let at = 0; at < payload.length; at += 1) {
          const changed = Buffer.from(payload);
          changed[at] ^= 0x10;
          const got = decode(encode({ id: ID, payload: /** @type {any} */ (changed) }));
          assert.notEqual(got.payload, payload, `byte ${at}`);
        }
      }
    });

    it(`returns a payload that is no valid one for other lengths, and encodes that as well: ${codec.name}`, () => {
      const { payloads, encode, decode } = messagesOf(codec);
      for (const other of [payloads[1].subarray(0, 49), Buffer.concat([payloads[1], payloads[1]])]) {
        const got = decode(encode({ id: ID, payload: /** @type {any} */ (other) }));
        assert.ok(!payloads.includes(/** @type {any} */ (got.payload)));
        assert.equal(decode(encode(got)).payload, got.payload);
      }
    });

    it(`tells payloads of one and two bytes apart, of however many loops: ${codec.name}`, () => {
      for (const payloadBytes of [1, 2]) {
        const { payloads, encode, decode } = messagesOf(codec, payloadBytes, 400);
        assert.equal(payloads.length, payloadBytes === 1 ? 256 : 801);
        for (const payload of payloads) assert.equal(decode(encode({ id: ID, payload })).payload, payload);
      }
    });
  }

  it('reads and writes in place like in wires', () => {
    const { payloads, encode, inPlace } = messagesOf(binary);
    const [, payload] = payloads;
    const wire = /** @type {Buffer} */ (encode({ id: ID, payload }));
    assert.ok(inPlace);
    const memory = Buffer.alloc(wire.length);
    assert.equal(inPlace.encodeInto({ id: ID, payload }, memory, 0), wire.length);
    assert.ok(memory.equals(wire));
    assert.equal(inPlace.decodeFrom(memory, 0, memory.length, false).payload, payload);
    memory[20] ^= 1;
    assert.notEqual(inPlace.decodeFrom(memory, 0, memory.length, false).payload, payload);
  });

  it('takes what JSON makes of a Buffer, and nothing else', () => {
    const { payloads, decode } = messagesOf(json, 3);
    const wireOf = (/** @type {unknown} */ payload) => JSON.stringify({ id: ID, payload });
    const [, payload] = payloads;
    const data = [...payload];
    assert.equal(decode(wireOf({ type: 'Buffer', data })).payload, payload);
    for (const other of [data, new Uint8Array(data), payload.toString('base64'), { type: 'Other', data }])
      assert.throws(() => decode(wireOf(other)), /not a message/);
    for (const other of [data.map(String), [...data, 0], [], data.with(2, data[2] + 256)])
      assert.notEqual(decode(wireOf({ type: 'Buffer', data: other })).payload, payload);
  });
});

describe('a receiver of bytes', () => {
  it('counts a changed byte as corrupt, and the payload of another message as swapped', () => {
    const { payloads, ...codec } = messagesOf(binary);
    const channel = /** @type {any} */ ({});
    const consumer = new Consumer({ channel, codec, payloads, meter: new Meter(), handleMs: 0 });
    const wireOf = (/** @type {number} */ count, /** @type {number} */ index) =>
      /** @type {Buffer} */ (codec.encode({ id: idAt(count), payload: payloads[index] }));
    channel.onMessage(wireOf(0, 0));
    assert.deepEqual(consumer.mistakes(), noMistakes());
    const changed = wireOf(1, 1);
    changed[changed.length - 1] ^= 1;
    channel.onMessage(changed);
    assert.deepEqual(consumer.mistakes(), { ...noMistakes(), corrupt: 1 });
    channel.onMessage(wireOf(2, 3));
    assert.deepEqual(consumer.mistakes(), { ...noMistakes(), corrupt: 1, swapped: 1 });
  });
});

describe('prepareMessages', () => {
  it('makes the same payloads in all processes, in an order of each worker', async () => {
    const [one, other] = [
      await prepareMessages({ cell: CELL, seed: 1 }, v8),
      await prepareMessages({ cell: CELL, seed: 1 }, v8),
    ];
    assert.deepEqual(one.payloadsOf('w0'), other.payloadsOf('w0'));
    assert.notDeepEqual(one.payloadsOf('w0'), one.payloadsOf('w1'));
    const sent = one.codec.encode({ id: ID, payload: one.payloadsOf('w0')[2] });
    assert.equal(other.codec.decode(sent).payload, other.payloadsOf('w0')[2]);
  });
});

describe('the plan', () => {
  /** @param {any} parts */
  function skipOf({ transport = unix, codec = json, scenario = roundTrip, ...cell }) {
    const parts = {
      transport,
      codec,
      scenario: { chosen: {}, ...scenario },
      cell: { ...CELL, transport: transport.name, codec: codec.name, settings: {}, ...cell },
      options: { messages: null, messageFile: null, brokerUrls: {} },
      schema: null,
    };
    return skipOfCell(/** @type {any} */ (parts), null).skip;
  }

  it('skips codecs without bytes where they encode, and names others', () => {
    for (const codec of [json, v8, binary, avro]) assert.equal(skipOf({ codec }), null);
    assert.match(String(skipOf({ codec: string })), /string carries text only.*--content.* v8/);
    assert.equal(skipOf({ codec: string, content: undefined }), null);
    for (const codec of [json, v8]) assert.equal(skipOf({ codec, transport: pipe }), null);
  });

  it('skips a message that fits as bytes, but not as a list of JSON', () => {
    const scenario = { ...roundTrip };
    const skipped = (/** @type {any} */ codec) =>
      String(skipOf({ transport: udp, codec, scenario, payloadBytes: 30_000 }));
    assert.doesNotMatch(skipped(binary), /carries at most/);
    assert.match(
      skipped(json),
      /udp carries at most 65,\d{3} bytes.*json makes 3\.6 characters of each byte/,
    );
  });

  it('skips a peer in another language, which carries texts', () => {
    const peer = /** @type {any} */ ({
      hello: { scenarios: ['round-trip'], transports: ['unix'], codecs: ['json'] },
    });
    const reasonOf = (/** @type {any} */ content) => {
      const cell = /** @type {any} */ ({ ...CELL, content, settings: {} });
      const parts = { transport: unix, codec: json, scenario: roundTrip, cell, schema: null };
      return peerSkipReason(peer, 'master', parts, 'linux');
    };
    assert.equal(reasonOf(undefined), null);
    assert.match(String(reasonOf('bytes')), /leave out --content bytes/);
  });

  it('leads from tasks, also those of pools, to task:data=bytes', () => {
    const ofTask = { transport: pipe, codec: v8, scenario: task };
    const chosen = { work: 0, result: 0, data: 'text' };
    assert.match(String(skipOf({ ...ofTask, scenario: { ...task, chosen } })), /task:data=bytes$/);
    const bytes = { ...chosen, data: 'bytes' };
    assert.equal(skipOf({ ...ofTask, scenario: { ...task, chosen: bytes } }), null);
    const ofPool = { transport: piscina, codec: v8, scenario: firstAnswer };
    assert.match(String(skipOf(ofPool)), /task:data=bytes$/);
    assert.equal(skipOf({ ...ofPool, transport: pipe }), null);
  });

  it('transfers bytes only', () => {
    const ofData = (/** @type {string} */ data) =>
      skipOf({
        transport: piscina,
        codec: v8,
        scenario: { ...task, chosen: { work: 0, result: 0, data } },
        content: data === 'bytes' ? 'bytes' : undefined,
        settings: { transfer: true },
      });
    assert.equal(ofData('bytes'), null);
    assert.match(String(ofData('text')), /--scenario task:data=bytes/);
  });
});
