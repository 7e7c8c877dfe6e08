// Writes integers in decimal digits, as text or as bytes, in groups of three digits: consecutive integers usually differ in the last group
// only.

const THOUSAND = 1_000;
const LAST_DIGITS = Array.from({ length: THOUSAND }, (_, last) => String(last).padStart(3, '0'));
const DIGITS = 3; // length of each text in LAST_DIGITS
const LAST_BYTES = Buffer.from(LAST_DIGITS.join(''));

/**
 * V8 caches the texts of the last 16,384 numbers. The ids of messages do not repeat, so their cached texts would survive several
 * garbage collections, and each collection would take about four times as long. So V8 converts only the quotient of an id and 1,000, which
 * does repeat; the last three digits come from a table.
 * @param {number} integer   from 0 to 2147483647
 */
export function integerText(integer) {
  if (integer < THOUSAND) return `${integer}`;
  const thousands = (integer / THOUSAND) | 0;
  return `${thousands}${LAST_DIGITS[integer - thousands * THOUSAND]}`;
}

/** @param {Uint8Array} target @param {number} at @param {number} integer   from 0 to 2147483647 @returns {number} the position after it */
export function writeInteger(target, at, integer) {
  let end = at + 1;
  for (let least = 10; least <= integer; least *= 10) end += 1;
  let index = end;
  let rest = integer;
  while (rest >= THOUSAND) {
    const thousands = (rest / THOUSAND) | 0;
    const last = (rest - thousands * THOUSAND) * DIGITS;
    index -= DIGITS;
    target[index] = LAST_BYTES[last];
    target[index + 1] = LAST_BYTES[last + 1];
    target[index + 2] = LAST_BYTES[last + 2];
    rest = thousands;
  }
  for (let last = rest * DIGITS + 2; index > at; last -= 1) {
    index -= 1;
    target[index] = LAST_BYTES[last];
  }
  return end;
}
