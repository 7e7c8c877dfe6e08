// What the loops send: different payloads in turn, so that an answer to another question cannot pass for the right one.

import { seededRandom } from '../statistics/random.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
const POOL_MAX_BYTES = 33_554_432; // two payloads of 16 MiB: memory must not decide what is measured
const TILE_BYTES = 4_096; // drawn at random, then repeated: drawing 16 MiB would take longer than the launch

/**
 * @param {number} seed
 * @param {number} payloadBytes
 * @param {number} loops   of this worker: each open question should carry a payload of its own
 * @returns {string[]} at least two, different where the alphabet allows it, each exactly `payloadBytes` long in UTF-8
 */
export function makePayloads(seed, payloadBytes, loops) {
  const random = seededRandom(seed);
  const affordable = Math.max(2, Math.floor(POOL_MAX_BYTES / payloadBytes));
  const payloads = [];
  for (let i = 0; i < Math.min(affordable, 2 * loops + 1); i += 1)
    payloads.push(makePayload(random, payloadBytes, i));
  return payloads;
}

/**
 * @param {() => number} random
 * @param {number} payloadBytes
 * @param {number} index
 */
function makePayload(random, payloadBytes, index) {
  const bytes = Buffer.allocUnsafe(payloadBytes);
  // The first character counts, so that even payloads of one byte differ from their neighbours.
  bytes[0] = ALPHABET.charCodeAt(index % ALPHABET.length);
  const drawnBytes = Math.min(payloadBytes, TILE_BYTES);
  for (let i = 1; i < drawnBytes; i += 1)
    bytes[i] = ALPHABET.charCodeAt(Math.floor(random() * ALPHABET.length));
  for (let filled = drawnBytes; filled < payloadBytes; filled *= 2) bytes.copyWithin(filled, 0, filled);
  return bytes.toString('latin1');
}
