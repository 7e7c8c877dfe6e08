// Decodes wires for the codec suite, and checks that this causes no harm.

import assert from 'node:assert/strict';

/** @import { Codec, Message } from '../../lib/types/index.js' */

const SECRET = 'Vd8q'; // begins each payload of an invalid wire; errors must not quote it
/** @type {Readonly<Message>} */
export const SMALL = Object.freeze({ id: 1_234_567_890, payload: `${SECRET} é漢😀 "\\\n\0 end` });
// Limits of time and of memory: noise of up to a megabyte is rejected within a few milliseconds, and announced lengths are not
// allocated.
const GARBAGE_MAX_MS = 2_000;
const GARBAGE_MAX_BYTES = 256 * 2 ** 20;
const OBJECT_KEYS = Reflect.ownKeys(Object.prototype);

/**
 * Decodes a wire that may be invalid, and checks that this causes no harm.
 * @param {Codec} codec
 * @param {unknown} wire
 * @returns {Message | 'refused'}
 */
export function outcomeOf(codec, wire) {
  const startBytes = memoryBytes();
  const startMs = performance.now();
  /** @type {Message | 'refused'} */
  let outcome = 'refused';
  try {
    outcome = codec.decode(wire);
  } catch (error) {
    assert.ok(error instanceof Error, 'throws an Error');
    assert.ok(error.message.length <= 200 && !error.message.includes(SECRET), 'quotes nothing of the wire');
    assert.equal(error.cause, undefined);
  }
  assert.ok(performance.now() - startMs < GARBAGE_MAX_MS, 'comes to an end');
  assert.ok(memoryBytes() - startBytes < GARBAGE_MAX_BYTES, 'allocates in proportion to the wire');
  if (outcome !== 'refused') assertIsMessage(outcome);
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
  assert.deepEqual(Reflect.ownKeys(Object.prototype), OBJECT_KEYS);
  assertSurvives(codec, SMALL);
  return outcome;
}

function memoryBytes() {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/** @param {Message} message */
function assertIsMessage(message) {
  assert.deepEqual(Reflect.ownKeys(message), ['id', 'payload']);
  assert.ok(Number.isInteger(message.id) && message.id >= 1 && message.id < 2 ** 31, `id ${message.id}`);
  assert.equal(typeof message.payload, 'string');
}

/**
 * @param {Codec} codec
 * @param {Message} message
 */
export function assertSurvives(codec, message) {
  const decoded = codec.decode(arrived(codec.encode(message)));
  assert.equal(decoded.id, message.id);
  // Not assert.equal, which would print the difference of two texts of 16 MiB.
  assert.ok(
    decoded.payload === message.payload,
    `another payload than ${JSON.stringify(message.payload).slice(0, 80)}`,
  );
}

/**
 * @param {import('../../lib/types/messages.js').Wire} wire
 * @returns {unknown} the wire as a channel may deliver it: bytes as a plain Uint8Array somewhere within other memory
 */
export function arrived(wire) {
  if (!(wire instanceof Uint8Array)) return typeof wire === 'string' ? wire : structuredClone(wire);
  const memory = new Uint8Array(wire.length + 6).fill(0x7e);
  memory.set(wire, 3);
  return memory.subarray(3, 3 + wire.length);
}
