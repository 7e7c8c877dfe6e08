// Records of msgpackr and cbor-x. Without their native parts, both decode longer texts by a TextDecoder, which drops U+FEFF at the
// beginning as a byte order mark. Its first byte is 0xef.

import { checkedMessage } from './message.js';
import { utf8Slice } from './wire-bytes.js';

/** @import { ValueSchema } from '../types/index.js' */

const MAX_SHARED = 32; // the default limit of msgpackr, which throws for more; cbor-x allows 128

/**
 * @param {{ id: unknown, payload: unknown }} record
 * @param {Uint8Array} wire
 * @param {number} textStart     position of the payload's text, which ends with the wire
 */
export function recordMessage({ id, payload }, wire, textStart) {
  if (wire[textStart] !== 0xef) return checkedMessage(id, payload);
  return checkedMessage(id, utf8Slice.call(wire, textStart, wire.length));
}

/**
 * Options for values: both ends have the records, so no field names are sent. If there are no layouts, too many, or an empty one, objects
 * are sent as maps with field names.
 * @param {ValueSchema} schema
 * @returns {{ useRecords: true, structures: string[][] } | { useRecords: false }}
 */
export function sharedRecords({ layouts }) {
  if (layouts.length === 0 || layouts.length > MAX_SHARED || layouts.some(({ length }) => length === 0)) {
    return { useRecords: false };
  }
  return { useRecords: true, structures: layouts.map((names) => [...names]) };
}
