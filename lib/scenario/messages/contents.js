// What payloads can be made of: each maker fills exactly so many bytes of UTF-8, at random but from a seed, and begins with
// something that counts, so that even payloads of one byte differ from their neighbours.
//
// One question each: ascii is what no codec has to change; utf8 what has to be converted and never escaped; binary and
// json what JSON has to escape and nobody to convert, the one a quarter of all characters, most of them to six, the other
// quotes, as many as documents have. So binary is bytes from 0 to 127. Those above take two bytes of UTF-8 each: they would
// ask for conversion as well, and leave open which of the two was dear. Base64, as programs send bytes in JSON, is ascii.

/** @typedef {() => number} Random    from 0 to 1 */
/** @typedef {(random: Random, payloadBytes: number, index: number) => string} Maker */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
const BYTES_TO_127 = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
const TILE_BYTES = 4_096; // drawn at random, then repeated: drawing 16 MiB would take longer than the launch

// The first and the number of characters of one to four bytes: Cyrillic, Chinese, symbols; of one byte are the letters.
const BLOCKS = { 2: [0x400, 256], 3: [0x4e00, 20_902], 4: [0x1f300, 768] };
const WIDEST_BYTES = 4;

const RECORD_BYTES = 48;
const RECORDS_PER_TILE = Math.floor(TILE_BYTES / RECORD_BYTES);
const NAME_LETTERS = 14;
const FEWEST_IN_LIST = 5; // bytes of ["x"]

/** @type {Readonly<Record<import('../../types/plans.js').ContentKind, Maker>>} */
export const CONTENTS = Object.freeze({
  ascii: makerFor(LETTERS),
  utf8: utf8Text,
  binary: makerFor(BYTES_TO_127),
  json: jsonDocument,
});

/** @param {string} alphabet   of one byte each @returns {Maker} */
function makerFor(alphabet) {
  return (random, payloadBytes, index) => {
    const bytes = Buffer.allocUnsafe(payloadBytes);
    bytes[0] = alphabet.charCodeAt(index % alphabet.length);
    const drawnBytes = Math.min(payloadBytes, TILE_BYTES);
    for (let i = 1; i < drawnBytes; i += 1)
      bytes[i] = alphabet.charCodeAt(Math.floor(random() * alphabet.length));
    for (let filled = drawnBytes; filled < payloadBytes; filled *= 2) bytes.copyWithin(filled, 0, filled);
    return bytes.toString('latin1');
  };
}

/** @type {Maker} as many characters of one byte as of two, three and four */
function utf8Text(random, payloadBytes, index) {
  if (payloadBytes === 1) return LETTERS[index % LETTERS.length];
  const [first, count] = BLOCKS[2];
  const head = String.fromCodePoint(first + (index % count));
  const left = payloadBytes - 2;
  const tiles = Math.floor(left / TILE_BYTES);
  const tile = tiles === 0 ? '' : drawnCharacters(random, TILE_BYTES);
  return flat(head + tile.repeat(tiles) + drawnCharacters(random, left % TILE_BYTES));
}

/** @param {Random} random @param {number} bytes    to be filled with whole characters */
function drawnCharacters(random, bytes) {
  let text = '';
  for (let left = bytes; left > 0; ) {
    const width = 1 + Math.floor(random() * Math.min(WIDEST_BYTES, left));
    text += width === 1 ? drawnLetters(random, 1) : drawnCharacter(random, /** @type {2 | 3 | 4} */ (width));
    left -= width;
  }
  return text;
}

/** @param {Random} random @param {2 | 3 | 4} width */
function drawnCharacter(random, width) {
  const [first, count] = BLOCKS[width];
  return String.fromCodePoint(first + Math.floor(random() * count));
}

/** @type {Maker} a list of records, and a text of what is left; a number where that does not fit */
function jsonDocument(random, payloadBytes, index) {
  if (payloadBytes < FEWEST_IN_LIST) {
    const least = 10 ** (payloadBytes - 1);
    return String(least + (index % (9 * least)));
  }
  const left = payloadBytes - FEWEST_IN_LIST;
  const records = Math.floor(left / RECORD_BYTES);
  const tile = Array.from({ length: Math.min(records, RECORDS_PER_TILE) }, () => drawnRecord(random));
  const wholeTiles = tile.join('').repeat(Math.floor(records / RECORDS_PER_TILE));
  const rest = tile.slice(0, records % RECORDS_PER_TILE).join('');
  const filler = LETTERS[index % LETTERS.length] + drawnLetters(random, left % RECORD_BYTES);
  return flat(`[${wholeTiles}${rest}"${filler}"]`);
}

/** @param {Random} random @returns {string} always as long */
function drawnRecord(random) {
  const id = 10_000 + Math.floor(random() * 90_000);
  const record = { id, name: drawnLetters(random, NAME_LETTERS), tag: drawnLetters(random, 2) };
  return `${JSON.stringify(record)},`;
}

/** @param {Random} random @param {number} count */
function drawnLetters(random, count) {
  let text = '';
  for (let i = 0; i < count; i += 1) text += LETTERS[Math.floor(random() * LETTERS.length)];
  return text;
}

/** @param {string} text    that V8 keeps as a tree of its parts, and would join when the first message is encoded */
function flat(text) {
  return Buffer.from(text).toString();
}
