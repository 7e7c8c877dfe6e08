// The messages that both ends send, which both know, so that each can check them.

import { createHash } from 'node:crypto';
import { IS_LONG } from './long-form.js';

/** @import { Wire, WireKind } from '../../lib/types/index.js' */
/** @typedef {'difficult' | 'random' | 'numbered' | 'sized' | 'bulk'} Recipe */
/**
 * @typedef {object} Speech
 * @property {Recipe} recipe
 * @property {WireKind} kind
 * @property {string} speaker          the same words from two speakers would hide a message gone astray
 * @property {number} greatestBytes    nothing larger is said
 * @property {number} share            one message of so many is said
 */

const NUMBERED_MESSAGES = IS_LONG ? 5_000 : 2_000;
const RANDOM_MESSAGES = 200;
const DIFFICULT_FEW = 5;
const FEW_SHARE = 100; // from here on also for difficult messages
const BULK_TOTAL_BYTES = 20_971_520;
// Around the chunk size of pipes and sockets, and the limits of codec lengths.
const SIZES_BYTES = [1, 65_535, 65_536, 65_537, 1_048_576, 16_777_216];
// A prime, so that a lost or repeated piece of any size shifts the rest.
const PATTERN_OF_67 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_+*/';

const DIFFICULT_TEXTS = [
  'a',
  '\0',
  '\n',
  '\r\n',
  'one line\nand another\n',
  '\n\nleading and trailing\n\n',
  'NUL \0 in the \0 middle',
  '"quotes", \'single\' and `back` \\ \\n \\u0000',
  '\u0001\u0002\u001b[31m\u007f\u0080\u009f',
  '\ufeffbegins with a byte order mark',
  'line separators \u2028 and \u2029',
  'é ß ñ: two bytes',
  '€ 漢字 \ufffd \uffff: three bytes',
  '😀 𝒳 \u{10ffff}: four bytes',
  '👩‍👩‍👧‍👦 e\u0301 \u202e right to left',
  '{"id":1,"payload":"x"}',
  '{"control":"ready"}',
  '__proto__',
  'null',
  '-1',
  ' ',
  'welcome',
  'ping',
  'close',
  '4\nabcd',
  '*3\r\n$7\r\nPUBLISH\r\n$1\r\na\r\n$1\r\nb\r\n',
];

/**
 * @param {Speech} speech
 * @returns {Wire[]}
 */
export function wiresOf(speech) {
  const { recipe, kind, greatestBytes } = speech;
  const contents = CONTENTS[recipe](speech);
  const wires = contents.filter((content) => Buffer.byteLength(content) <= greatestBytes);
  return wires.map((content, index) => wireOf(kind, content, index + 1));
}

/**
 * @param {WireKind} kind
 * @param {string | Buffer} content
 * @param {number} [id]
 * @returns {Wire}
 */
export function wireOf(kind, content, id = 1) {
  if (kind === 'bytes') return Buffer.from(/** @type {string} */ (content));
  return kind === 'text' ? content.toString() : { id, payload: content.toString() };
}

/**
 * @param {number} bytes
 * @returns {string} of one byte per character
 */
export function contentOf(bytes) {
  return Buffer.alloc(bytes, PATTERN_OF_67, 'latin1').toString('latin1');
}

/** @type {Record<Recipe, (speech: Speech) => (string | Buffer)[]>} */
const CONTENTS = {
  difficult({ kind, share }) {
    const isFew = share >= FEW_SHARE;
    if (kind !== 'bytes') return isFew ? DIFFICULT_TEXTS.slice(0, DIFFICULT_FEW) : DIFFICULT_TEXTS;
    const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    if (isFew) return [...DIFFICULT_TEXTS.slice(0, DIFFICULT_FEW), allBytes];
    const everyByte = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte));
    return [...DIFFICULT_TEXTS, allBytes, ...everyByte];
  },
  random({ kind, speaker, share }) {
    return Array.from({ length: Math.ceil(RANDOM_MESSAGES / share) }, (_, index) => {
      const bytes = randomBytes(`${speaker} ${index}`, 3 + ((index * 41) % 900));
      return kind === 'bytes' ? bytes : randomText(bytes);
    });
  },
  numbered({ speaker, share }) {
    return Array.from({ length: NUMBERED_MESSAGES / share }, (_, index) => {
      // Most fit into one chunk with others; some need several.
      const filler = index % 500 === 9 ? 70_000 : (index * 37) % 211;
      return `${speaker} ${index}\n${contentOf(filler)}`;
    });
  },
  sized({ kind }) {
    const plain = SIZES_BYTES.map(contentOf);
    // The first byte makes each boundary of 2 or 4 bytes split a character.
    return kind === 'bytes' ? plain : [...plain, `a${'😀'.repeat(16_384)}`, `a${'€'.repeat(65_536)}`];
  },
  bulk({ speaker, greatestBytes }) {
    const messages = Math.ceil(BULK_TOTAL_BYTES / greatestBytes);
    const filler = contentOf(greatestBytes);
    return Array.from({ length: messages }, (_, index) =>
      `${speaker} ${index} ${filler}`.slice(0, greatestBytes),
    );
  },
};

/**
 * Differs for each label, and is the same in each run and in both processes.
 * @param {string} label
 * @param {number} bytes
 */
function randomBytes(label, bytes) {
  return createHash('shake256', { outputLength: bytes }).update(label).digest();
}

/**
 * @param {Buffer} bytes      three for each character
 * @returns {string} of characters of one, two, three and four bytes; no surrogates, which UTF-8 cannot carry
 */
function randomText(bytes) {
  let text = '';
  for (let at = 0; at + 3 <= bytes.length; at += 3) {
    const random = bytes.readUIntBE(at, 3);
    const span = [0x80, 0x800, 0xd800, 0x11_0000][random & 3];
    const codePoint = (random >>> 2) % span;
    text += String.fromCodePoint(codePoint >= 0xd800 && codePoint <= 0xdfff ? 0xfffd : codePoint);
  }
  return text;
}

/**
 * @param {WireKind} kind
 * @param {any} got
 * @param {any} expected
 */
export function isSameWire(kind, got, expected) {
  if (kind === 'text') return got === expected;
  if (kind === 'bytes') return got instanceof Uint8Array && expected.equals(got);
  return (
    got !== null &&
    typeof got === 'object' &&
    Object.keys(got).length === 2 &&
    got.id === expected.id &&
    got.payload === expected.payload
  );
}

/**
 * @param {any} wire
 * @returns {string} short enough for a message
 */
export function describeWire(wire) {
  if (wire instanceof Uint8Array) {
    return `${wire.length} bytes <${Buffer.from(wire.subarray(0, 16)).toString('hex')}>`;
  }
  if (typeof wire === 'string') return `${wire.length} characters ${JSON.stringify(wire.slice(0, 40))}`;
  return wire?.payload === undefined ? `a ${typeof wire}` : `id ${wire.id}, ${describeWire(wire.payload)}`;
}
