// Concatenation and manual parsing: id, space, length, space, payload. Nothing is escaped, so quotes and line breaks in a payload cost
// nothing extra.

import { integerText, writeInteger } from '../decimals.js';
import { checkedMessage } from '../message.js';
import { latin1Slice, utf8Slice, utf8Write } from '../wire-bytes.js';

const MALFORMED = 'not of the form id, length, payload, or not as long as it says';
const SPACE = 32;
const ZERO = 48;
const MAX_DIGITS = 10; // number of digits of 2^31 - 1

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'string',
  summary: 'hand-rolled text: id, length and payload joined by spaces',
  look: { fill: 'tint', dash: [6, 3] },
  produces: 'text',
  encode: ({ id, payload }) => `${integerText(id)} ${payload.length} ${payload}`,
  decode(wire) {
    const idEnd = wire.indexOf(' ');
    const lengthEnd = wire.indexOf(' ', idEnd + 1);
    // The length detects a truncated wire. It counts UTF-16 code units, since counting bytes would need a scan.
    if (parseInteger(wire, idEnd + 1, lengthEnd) !== wire.length - lengthEnd - 1) {
      throw new Error(MALFORMED);
    }
    return checkedMessage(parseInteger(wire, 0, idEnd), wire.slice(lengthEnd + 1));
  },
  inPlace: {
    headBytes: 2 * (MAX_DIGITS + 1),
    encodeInto({ id, payload }, target, at) {
      const payloadAt = writeDigits(target, writeDigits(target, at, id), payload.length);
      const payloadBytes = utf8Write.call(target, payload, payloadAt, target.length - payloadAt);
      const bytes = payloadAt - at + payloadBytes;
      return payloadBytes === payload.length ? ~bytes : bytes; // only ASCII has one byte per code unit
    },
    decodeFrom(source, start, end, isAscii) {
      // Two loops instead of calls, which would be a tenth of the cost of a small message.
      let at = start;
      let id = 0;
      for (let digit = source[at] - ZERO; at < end && digit >= 0 && digit <= 9; digit = source[at] - ZERO) {
        id = id * 10 + digit;
        at += 1;
      }
      const idEnd = at;
      let length = 0;
      at += 1;
      for (let digit = source[at] - ZERO; at < end && digit >= 0 && digit <= 9; digit = source[at] - ZERO) {
        length = length * 10 + digit;
        at += 1;
      }
      if (
        at < end &&
        source[idEnd] === SPACE &&
        source[at] === SPACE &&
        areDigits(idEnd - start, at - idEnd - 1)
      ) {
        const payload = (isAscii ? latin1Slice : utf8Slice).call(source, at + 1, end);
        if (length === payload.length) return checkedMessage(id, payload);
      }
      throw new Error(MALFORMED);
    },
  },
};

/** @param {number} idDigits @param {number} lengthDigits @returns {boolean} true if both integers have one to ten digits */
function areDigits(idDigits, lengthDigits) {
  return idDigits > 0 && idDigits <= MAX_DIGITS && lengthDigits > 0 && lengthDigits <= MAX_DIGITS;
}

/** @param {Buffer} target @param {number} at @param {number} integer @returns {number} the position after the integer and a space */
function writeDigits(target, at, integer) {
  const end = writeInteger(target, at, integer);
  target[end] = SPACE;
  return end + 1;
}

/**
 * With Number(wire.slice(start, end)), which also accepts '0x1f', decoding small messages would take 1.4 times as long.
 * @param {string} wire
 * @param {number} start
 * @param {number} end
 * @returns {number} NaN for anything but one to ten digits
 */
function parseInteger(wire, start, end) {
  if (end <= start || end - start > MAX_DIGITS) return Number.NaN;
  let integer = 0;
  for (let at = start; at < end; at += 1) {
    const digit = wire.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    integer = integer * 10 + digit;
  }
  return integer;
}
