// Tests that a codec carries payloads of bytes: every value and length, in wires and in place, and damaged wires.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '../../lib/statistics/random.js';
import { garbageTexts, garbageValues } from './codec-garbage.js';
import { bitFlips, garbageBytes } from './codec-garbage-bytes.js';
import { IDS } from './codec-inputs.js';
import { arrived, assertSurvives, SMALL } from './codec-outcome.js';

/** @import { ByteMessage, Codec, CodecOfBytes } from '../../lib/types/index.js' */

const LENGTHS = [0, 1, 2, 3, 4, 5, 31, 32, 255, 256, 4_096, 65_535, 65_536, 65_537, 1_048_576];
const BEFORE = 5; // bytes of memory in front of a wire
const BYTES_PER_UNIT = 3; // of the room for a payload

/** @param {Codec} codec @param {CodecOfBytes} bytes   of it */
export function describeBytes(codec, bytes) {
  const random = seededRandom(3);
  const drawn = (/** @type {number} */ length) => Buffer.from(Array.from({ length }, () => random() * 256));
  const every = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  const small = { id: 1_234_567_890, payload: every.subarray(0, 20) };
  const messages = [
    ...[every, Buffer.from('text'), ...LENGTHS.map(drawn)].map((payload) => ({ id: 7, payload })),
    ...IDS.map((id) => ({ id, payload: drawn(3) })),
  ];

  /** @param {unknown} wire @param {ByteMessage} message */
  function assertDecodes(wire, { id, payload }) {
    const got = bytes.decode(wire);
    assert.deepEqual(Reflect.ownKeys(got), ['id', 'payload']);
    assert.equal(got.id, id);
    assert.equal(Array.isArray(got.payload), bytes.isList === true);
    assert.ok(payload.equals(Uint8Array.from(got.payload)), `other bytes, of ${payload.length}`);
  }

  it('decodes payloads of bytes unchanged, and afterwards texts', () => {
    for (const message of messages) {
      assertDecodes(arrived(bytes.encode(message)), message);
      assertSurvives(codec, SMALL);
    }
  });

  it('does not change a wire of bytes when it encodes the next', () => {
    for (const message of messages) {
      const wire = bytes.encode(message);
      for (let id = 10; id < 30; id += 1) bytes.encode({ id, payload: drawn(1_000) });
      assertDecodes(arrived(wire), message);
    }
  });

  it('decodes or rejects noise in place of bytes, and works afterwards', () => {
    const noise = { text: garbageTexts, bytes: garbageBytes, value: garbageValues };
    const wire = bytes.encode(small);
    const flipped =
      codec.produces === 'value'
        ? []
        : bitFlips(Buffer.from(/** @type {any} */ (wire))).map((one) =>
            codec.produces === 'text' ? Buffer.from(one).toString() : one,
          );
    for (const spoiled of [...noise[codec.produces](), ...flipped]) {
      assertDecodesOrThrows(bytes, spoiled);
      assertDecodes(arrived(wire), small);
    }
  });

  if (codec.produces !== 'value') describeTruncation(codec, bytes, small);
  if (codec.produces === 'bytes') {
    it('decodes bytes in memory shared by threads', () => {
      for (const message of messages) {
        const wire = /** @type {Uint8Array} */ (bytes.encode(message));
        const shared = Buffer.from(new SharedArrayBuffer(wire.length));
        shared.set(wire);
        assertDecodes(shared, message);
      }
    });
  }

  const { inPlace } = bytes;
  if (inPlace === undefined) return;
  it('writes and reads the same bytes in place, within its bounds', () => {
    for (const message of messages) {
      const wire = Buffer.from(/** @type {any} */ (bytes.encode(message)));
      const room = inPlace.headBytes + message.payload.length * BYTES_PER_UNIT;
      const memory = Buffer.alloc(BEFORE + room, '7');
      assert.equal(inPlace.encodeInto(message, memory, BEFORE), wire.length);
      assert.ok(wire.length <= inPlace.headBytes + message.payload.length, 'headBytes are the most');
      const end = BEFORE + wire.length;
      assert.ok(memory.subarray(BEFORE, end).equals(wire), 'the bytes of encode()');
      assert.deepEqual(inPlace.decodeFrom(memory, BEFORE, end, false), bytes.decode(wire));
    }
  });
}

/** @param {Codec} codec @param {CodecOfBytes} bytes @param {ByteMessage} small */
function describeTruncation({ trustsLength }, bytes, small) {
  it('rejects a truncated wire of bytes, at every place', { skip: trustsLength }, () => {
    const wire = /** @type {string | Uint8Array} */ (bytes.encode(small));
    for (let end = 0; end < wire.length; end += 1) {
      assert.ok(!assertDecodesOrThrows(bytes, wire.slice(0, end)), `cut off after ${end} of ${wire.length}`);
    }
  });
}

/** @param {CodecOfBytes} bytes @param {unknown} wire @returns {boolean} true if it decodes to a message of bytes */
function assertDecodesOrThrows({ decode, isList }, wire) {
  let got;
  try {
    got = decode(wire);
  } catch (error) {
    assert.ok(error instanceof Error, 'throws an Error');
    assert.ok(error.message.length <= 200, 'quotes nothing of the wire');
    return false;
  }
  assert.ok(Number.isInteger(got.id) && got.id >= 1 && got.id < 2 ** 31, `id ${got.id}`);
  assert.ok(isList ? Array.isArray(got.payload) : got.payload instanceof Uint8Array);
  return true;
}
