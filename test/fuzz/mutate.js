// Inputs that nobody wrote: known ones, changed a little by chance, and joined to each other.

/** @typedef {() => number} Random    from 0 to 1, from a seed */

const INTERESTING_BYTES = [
  0x00, 0x01, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x3a, 0x40, 0x5b, 0x7b, 0x7f, 0x80, 0xc1, 0xdb, 0xff,
];
const TOKENS = [
  ...[
    '__proto__',
    'constructor',
    'null',
    'true',
    '1e309',
    '-1',
    '9007199254740993',
    '""',
    '[]',
    '{}',
    '[[[[',
    '\\u0000',
  ],
  ...['\ud83d\ude00', '\ufeff', 'NaN', '..', '*', ',', '1..9', '0', '1ms', '\n', '\0'],
].map((text) => Buffer.from(text));
const MAX_CHANGES = 6;
const MAX_BYTES = 16_384;

/**
 * @param {Random} random
 * @param {number} end    not included
 */
export function below(random, end) {
  return Math.floor(random() * end);
}

/**
 * @template T
 * @param {Random} random
 * @param {readonly T[]} list
 * @returns {T}
 */
export function oneOf(random, list) {
  return list[below(random, list.length)];
}

/** @type {((bytes: Buffer, random: Random, other: Buffer) => Buffer)[]} */
const CHANGES = [
  (bytes, random) => withByte(bytes, random, (byte) => byte ^ (1 << below(random, 8))),
  (bytes, random) => withByte(bytes, random, () => oneOf(random, INTERESTING_BYTES)),
  (bytes, random) => withByte(bytes, random, () => below(random, 256)),
  (bytes, random) => replaced(bytes, random, oneOf(random, TOKENS), 0),
  (bytes, random) => replaced(bytes, random, oneOf(random, TOKENS), 8),
  (bytes, random) => replaced(bytes, random, Buffer.of(), 1 + below(random, 16)), // left out
  (bytes, random) => bytes.subarray(0, below(random, bytes.length + 1)), // cut off
  (bytes, random) => replaced(bytes, random, part(bytes, random), 0), // said twice
  (bytes, random, other) => replaced(bytes, random, part(other, random), below(random, 32)),
  (bytes, _random, other) => Buffer.concat([bytes, other]),
];

/**
 * @param {Buffer} bytes
 * @param {Random} random
 * @param {(byte: number) => number} change
 */
function withByte(bytes, random, change) {
  const changed = Buffer.from(bytes);
  const at = below(random, changed.length);
  if (changed.length > 0) changed[at] = change(changed[at]);
  return changed;
}

/**
 * @param {Buffer} bytes
 * @param {Random} random
 * @param {Buffer} what      in place of some bytes
 * @param {number} lostBytes
 */
function replaced(bytes, random, what, lostBytes) {
  const at = below(random, bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at + lostBytes)]);
}

/**
 * @param {Buffer} bytes
 * @param {Random} random
 */
function part(bytes, random) {
  const from = below(random, bytes.length + 1);
  return bytes.subarray(from, from + below(random, 64));
}

/**
 * @param {readonly Buffer[]} corpus
 * @param {Random} random
 * @returns {Buffer}
 */
export function mutated(corpus, random) {
  let bytes = oneOf(random, corpus);
  const changes = 1 + below(random, MAX_CHANGES);
  for (let count = 0; count < changes; count += 1) {
    bytes = oneOf(random, CHANGES)(bytes, random, oneOf(random, corpus));
  }
  return bytes.subarray(0, MAX_BYTES);
}
