// Tests that a codec writes and reads the same in place as with wires: bytes, messages and rejections.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '../../lib/statistics/random.js';
import { garbageBytes } from './codec-garbage-bytes.js';
import * as inputs from './codec-inputs.js';
import { arrived, outcomeOf, SMALL } from './codec-outcome.js';

/** @import { Codec, InPlace, Message } from '../../lib/types/index.js' */

const BEFORE = 5; // bytes of memory in front of a wire
const UTF8_BYTES_PER_UNIT = 3;
const FILLED = 0x5a;

/** @param {Codec} codec @param {InPlace} inPlace   of it */
export function describeInPlace(codec, inPlace) {
  const random = seededRandom(2);
  const payloads = [...inputs.trickyPayloads(), 'x'.repeat(100_000), '😀'.repeat(30_000)];
  for (let i = 0; i < 200; i += 1) payloads.push(inputs.randomPayload(random));
  const messages = [
    ...payloads.map((payload) => ({ id: 1_234_567_890, payload })),
    ...inputs.IDS.map(messageOf),
  ];

  it('writes the same bytes in place, within its bounds', () => {
    for (const message of messages) {
      const wire = bytesOf(codec.encode(message));
      const room = inPlace.headBytes + message.payload.length * UTF8_BYTES_PER_UNIT;
      const memory = Buffer.alloc(BEFORE + room + BEFORE, FILLED);
      const written = inPlace.encodeInto(message, memory, BEFORE);
      const isAsciiText = codec.produces === 'text' && wire.every((byte) => byte < 0x80);
      assert.equal(written, isAsciiText ? ~wire.length : wire.length, 'bytes, inverted for a text of ASCII');
      const end = BEFORE + wire.length;
      assert.ok(memory.subarray(BEFORE, end).equals(wire), 'the bytes of encode()');
      const beside = [memory.subarray(0, BEFORE), memory.subarray(end)];
      assert.ok(
        beside.every((bytes) => bytes.every((byte) => byte === FILLED)),
        'nothing before and behind',
      );
      assert.ok(
        wire.length <= inPlace.headBytes + Buffer.byteLength(message.payload),
        'headBytes are the most',
      );
    }
  });

  it('reads the same messages in place, and keeps no reference to the memory', () => {
    for (const message of messages) {
      const wire = bytesOf(codec.encode(message));
      const memory = inMemory(wire);
      const read = inPlace.decodeFrom(memory, BEFORE, BEFORE + wire.length, isAscii(codec, wire));
      memory.fill(0x21);
      assert.deepEqual(Reflect.ownKeys(read), ['id', 'payload']);
      assert.ok(
        read.id === message.id && read.payload === message.payload,
        `of ${message.payload.length} units`,
      );
    }
  });

  it('rejects the same noise in place as in a wire: random, truncated, continued, and with one changed bit', () => {
    const wire = bytesOf(codec.encode(SMALL));
    const spoiled = garbageBytes().map((bytes) => Buffer.from(bytes));
    for (let end = 0; end < wire.length; end += 1) spoiled.push(wire.subarray(0, end));
    for (let bit = 0; bit < 8 * wire.length; bit += 1) {
      const flipped = Buffer.from(wire);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      spoiled.push(flipped);
    }
    spoiled.push(Buffer.concat([wire, Buffer.of(0x20)]), Buffer.concat([wire, wire]));
    for (const bytes of spoiled) {
      const asWire = outcomeOf(codec, codec.produces === 'text' ? bytes.toString() : arrived(bytes));
      assert.deepEqual(outcomeInPlace(codec, inPlace, bytes), asWire);
    }
  });
}

/** @param {number} id @returns {Message} */
const messageOf = (id) => ({ id, payload: 'x' });

/** @param {import('../../lib/types/messages.js').Wire} wire */
const bytesOf = (wire) => Buffer.from(/** @type {any} */ (wire));

/** @param {Buffer} wire @returns {Buffer} it lies somewhere in other memory */
function inMemory(wire) {
  const memory = Buffer.alloc(BEFORE + wire.length + BEFORE, '7');
  wire.copy(memory, BEFORE);
  return memory;
}

/** @param {Codec} codec @param {Buffer} wire @returns {boolean} as a header says of it */
const isAscii = ({ produces }, wire) => produces === 'text' && wire.every((byte) => byte < 0x80);

/** @param {Codec} codec @param {InPlace} inPlace @param {Buffer} wire @returns {Message | 'refused'} */
function outcomeInPlace(codec, inPlace, wire) {
  try {
    return inPlace.decodeFrom(inMemory(wire), BEFORE, BEFORE + wire.length, isAscii(codec, wire));
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(error.message.length <= 200, 'quotes nothing of the wire');
    return 'refused';
  }
}
