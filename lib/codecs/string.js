// Concatenation and manual parsing: id, space, length, space, payload as it is. Nothing is escaped, so that the cost of
// a message hardly depends on what it holds.

import { checkedMessage } from '../codec-kit/message.js';

const ZERO = 48;
const MAX_DIGITS = 10; // of 2^31 - 1
const THOUSAND = 1_000;
const LAST_DIGITS = Array.from({ length: THOUSAND }, (_, last) => String(last).padStart(3, '0'));

/** @type {import('../types/messages.js').Codec} */
export default {
  name: 'string',
  summary: 'hand-rolled text: id, length and payload joined by spaces',
  look: { fill: 'tint', dash: [6, 3] },
  produces: 'text',
  encode: ({ id, payload }) => `${digitsOf(id)} ${payload.length} ${payload}`,
  decode(wire) {
    const idEnd = wire.indexOf(' ');
    const lengthEnd = wire.indexOf(' ', idEnd + 1);
    // The length is there to notice a wire that was cut off. It counts UTF-16 units: counting bytes would cost a scan.
    if (integerOf(wire, idEnd + 1, lengthEnd) !== wire.length - lengthEnd - 1) {
      throw new Error('not of the form id, length, payload, or not as long as it says');
    }
    return checkedMessage(integerOf(wire, 0, idEnd), wire.slice(lengthEnd + 1));
  },
};

/**
 * V8 keeps the texts of the last 16,384 numbers that became text. Ids never come again: their texts would only survive one
 * collection of garbage after the other, which makes each some ten times as long. Their thousands do come again.
 * @param {number} id @returns {string}
 */
function digitsOf(id) {
  if (id < THOUSAND) return `${id}`;
  const thousands = (id / THOUSAND) | 0;
  return `${thousands}${LAST_DIGITS[id - thousands * THOUSAND]}`;
}

/**
 * A loop over digits: Number(wire.slice(start, end)) makes decoding small messages 1.4 times as long, and reads '0x1f'.
 * @param {string} wire
 * @param {number} start
 * @param {number} end
 * @returns {number} NaN where anything but one to ten digits stands
 */
function integerOf(wire, start, end) {
  if (end <= start || end - start > MAX_DIGITS) return Number.NaN;
  let integer = 0;
  for (let at = start; at < end; at += 1) {
    const digit = wire.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    integer = integer * 10 + digit;
  }
  return integer;
}
