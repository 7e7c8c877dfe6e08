// What msgpackr and cbor-x make of a record is mended where their native part is missing: then they read longer texts by
// a TextDecoder, which takes U+FEFF at the front for a byte order mark, and drops it. Its first byte is 0xef.

import { checkedMessage } from './message.js';
import { utf8Slice } from './wire-bytes.js';

/** @import { Message } from '../types/messages.js' */

/**
 * @param {{ id: unknown, payload: unknown }} record
 * @param {Uint8Array} wire
 * @param {number} textStart     where the bytes of the payload start, up to the end of the wire
 * @returns {Message}
 */
export function recordMessage({ id, payload }, wire, textStart) {
  if (wire[textStart] !== 0xef) return checkedMessage(id, payload);
  return checkedMessage(id, utf8Slice.call(wire, textStart, wire.length));
}
