// What msgpackr and cbor-x make of a record is mended where their native part is missing: then they read longer texts by
// a TextDecoder, which takes U+FEFF at the front for a byte order mark, and drops it. Its first byte is 0xef.

import { checkedMessage } from './message.js';
import { utf8Slice } from './wire-bytes.js';

/** @import { ValueSchema } from '../types/index.js' */

const MOST_SHARED = 32; // both have one byte for as many, or a tag each

/**
 * @param {{ id: unknown, payload: unknown }} record
 * @param {Uint8Array} wire
 * @param {number} textStart     where the bytes of the payload start, up to the end of the wire
 */
export function recordMessage({ id, payload }, wire, textStart) {
  if (wire[textStart] !== 0xef) return checkedMessage(id, payload);
  return checkedMessage(id, utf8Slice.call(wire, textStart, wire.length));
}

/**
 * What both are made with where they carry values: records that both ends know beforehand, so that no field names travel. Objects
 * of more layouts than that are maps, with their names.
 * @param {ValueSchema} schema
 * @returns {{ useRecords: true, structures: string[][] } | { useRecords: false }}
 */
export function sharedRecords({ layouts }) {
  if (layouts.length === 0 || layouts.length > MOST_SHARED || layouts.some(({ length }) => length === 0)) {
    return { useRecords: false };
  }
  return { useRecords: true, structures: layouts.map((names) => [...names]) };
}
