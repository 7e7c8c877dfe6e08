// The payloads of a launch, generated or from a file, and the codec that carries them. Codecs that carry objects get the objects of a
// file, and all others get their compact JSON as texts.

import { parseWorkerId } from '../../cell/connections.js';
import { seededRandom, seedFrom, shuffled } from '../../statistics/random.js';

/** @import { Cell, ContentKind, MessageFile, ValueSchema } from '../../types/index.js' */
/** @import { KitCodec } from '../scenario-kit.js' */

/**
 * @template {KitCodec} C
 * @typedef {object} PreparedMessages   identical in all processes of the launch
 * @property {C} codec
 * @property {(workerId: string) => any[]} payloadsOf
 * @property {any[] | null} responses   null if each response repeats its request
 * @property {(got: any, expected: any) => boolean} [isSame]   compares payloads that are objects
 */

/**
 * @template {KitCodec} C
 * @param {{ cell: Cell, seed: number, messageFile?: MessageFile | null, tasks?: { resultBytes: number, isBytes?: boolean } | null }} launch
 * @param {C} codec
 * @param {{ isUncoded?: boolean }} [how]   `isUncoded` passes objects on without a codec
 * @returns {Promise<PreparedMessages<C>>}
 */
export async function prepareMessages(
  { cell, seed, messageFile = null, tasks },
  codec,
  { isUncoded = false } = {},
) {
  // Each worker sends all messages in turn, in its own order.
  /** @type {<T>(payloads: T[]) => (workerId: string) => T[]} */
  const inTurn = (payloads) => (workerId) => shuffled(payloads, seededRandom(seedFrom(seed, workerId)));
  if (cell.content === 'bytes' && !tasks?.isBytes) {
    const { byteMessages } = await import('./byte-messages.js');
    const { payloads, ...ofBytes } = byteMessages(makePayloads(seed, cell, cell.loops), codec);
    return { codec: { ...codec, ...ofBytes }, payloadsOf: inTurn(payloads), responses: null };
  }
  if (messageFile === null || cell.content !== messageFile.content) {
    return { codec, payloadsOf: payloadsIn(seed, cell), responses: null };
  }
  const { requests: messages, responses } = await readBothWays(messageFile);
  // Tasks of bytes, and results of another length than the payload, are made from texts.
  const isOfTexts = messageFile.format === 'text' || tasks?.isBytes || Boolean(tasks?.resultBytes);
  if (isOfTexts || (codec.values === undefined && !isUncoded)) {
    const texts = responses.map(({ text }) => text);
    return {
      codec,
      payloadsOf: inTurn(messages.map(({ text }) => text)),
      responses: texts.length === 0 ? null : texts,
    };
  }
  const { inferSchema } = await import('../../codecs/shapes.js');
  const values = [...messages, ...responses].map(({ value }) => value);
  const schema = inferSchema(values);
  if (isUncoded) {
    const { sameness } = await import('../../codecs/same-value.js');
    const isAlike = sameness(schema.shape);
    return {
      codec,
      payloadsOf: inTurn(values.slice(0, messages.length)),
      responses: responses.length === 0 ? null : values.slice(messages.length),
      isSame: (got, expected) => got === expected || isAlike(got, expected),
    };
  }
  const { valueMessages } = await import('./value-messages.js');
  const { produces = 'value', values: carried } = codec;
  const { names, encode, decode } = valueMessages(values, schema, { produces, values: carried });
  return {
    codec: { ...codec, encode, decode, inPlace: undefined },
    payloadsOf: inTurn(names.slice(0, messages.length)),
    responses: responses.length === 0 ? null : names.slice(messages.length),
  };
}

/** @param {MessageFile} file */
async function readBothWays({ responses, ...file }) {
  const { readMessages } = await import('./message-file.js');
  return {
    requests: readMessages(file).messages,
    responses: responses === undefined ? [] : readMessages({ ...file, channel: responses.channel }).messages,
  };
}

/** @param {MessageFile | undefined} file @returns {Promise<ValueSchema | null>} schema of the objects, or null if the file has none */
export async function schemaOfFile(file) {
  if (file === undefined || file.format === 'text') return null;
  const { requests, responses } = await readBothWays(file);
  const { inferSchema } = await import('../../codecs/shapes.js');
  return inferSchema([...requests, ...responses].map(({ value }) => value));
}

// Generated payloads differ, so that a response to another request is detected.

const POOL_MAX_BYTES = 33_554_432; // enough for two payloads of 16 MiB

/**
 * @param {number} seed
 * @param {Pick<Cell, 'payloadBytes' | 'content'>} cell   `content` is ascii by default
 * @param {number} loops   each open request should have a different payload
 * @returns {any[]} texts, or Buffers of `bytes`; at least two, different if their length allows, each exactly `payloadBytes` long in UTF-8
 */
export function makePayloads(seed, { payloadBytes, content }, loops) {
  const random = seededRandom(seed);
  const affordable = Math.max(2, Math.floor(POOL_MAX_BYTES / payloadBytes));
  const makePayload = CONTENTS[/** @type {ContentKind} */ (content ?? 'ascii')];
  const payloads = [];
  for (let i = 0; i < Math.min(affordable, 2 * loops + 1); i += 1)
    payloads.push(makePayload(random, payloadBytes, i));
  return payloads;
}

/**
 * @param {number} seed
 * @param {Cell} cell
 * @returns {(id: string) => any[]} returns the payloads of a worker by the id of a connection, identical in all
 *   processes of the launch
 */
export function payloadsIn(seed, cell) {
  /** @type {Map<string, any[]>} shared by the connections of a worker, to save memory */
  const made = new Map();
  return (id) => {
    const worker = parseWorkerId(id);
    const payloads = made.get(worker) ?? makePayloads(seedFrom(seed, worker), cell, cell.loops);
    made.set(worker, payloads);
    return payloads;
  };
}

// Generators of payloads. Each fills an exact number of bytes of UTF-8 from seeded random numbers and a counter, so that even payloads of
// one byte differ from their neighbours.
//
// Each kind isolates one cost of codecs. In ascii, no character changes. In utf8, characters are converted but never escaped. In binary and
// json, JSON escapes characters but never converts them: in binary a quarter of them, mostly to six characters, in json the usual number of
// quotes of documents. Binary consists of bytes from 0 to 127, since those above take two bytes of UTF-8 and would mix conversion with
// escaping. Programs that send bytes as Base64 in JSON send ascii. Only bytes makes no texts: its payloads are Buffers of any bytes.

/** @typedef {() => number} Random    from 0 to 1 */
/** @typedef {(random: Random, payloadBytes: number, index: number) => string} Maker */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
const BYTES_TO_127 = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
const TILE_BYTES = 4_096; // random, then repeated, since drawing 16 MiB of characters would delay the launch

// First character and number of characters, by the number of bytes of a character: Cyrillic, Chinese, symbols.
const BLOCKS = { 2: [0x400, 256], 3: [0x4e00, 20_902], 4: [0x1f300, 768] };
const MAX_BYTES = 4;

const RECORD_BYTES = 48;
const RECORDS_PER_TILE = Math.floor(TILE_BYTES / RECORD_BYTES);
const NAME_LETTERS = 14;
const MIN_IN_LIST = 5; // bytes: ["x"]

/** @type {Readonly<Record<ContentKind, Maker | typeof drawnBytes>>} */
const CONTENTS = Object.freeze({
  ascii: makerFor(LETTERS),
  utf8: utf8Text,
  binary: makerFor(BYTES_TO_127),
  json: jsonDocument,
  bytes: drawnBytes,
});

/** @param {string} alphabet   characters of one byte @returns {Maker} */
function makerFor(alphabet) {
  return (random, payloadBytes, index) => {
    const bytes = Buffer.allocUnsafe(payloadBytes);
    bytes[0] = alphabet.charCodeAt(index % alphabet.length);
    fillFrom(bytes, 1, () => alphabet.charCodeAt(Math.floor(random() * alphabet.length)));
    return bytes.toString('latin1');
  };
}

/** @param {Random} random @param {number} payloadBytes @param {number} index */
function drawnBytes(random, payloadBytes, index) {
  // The payload has separate memory, since a structured clone of a view copies all of the memory that it views.
  const bytes = Buffer.allocUnsafeSlow(payloadBytes);
  bytes[0] = index;
  fillFrom(bytes, 1, () => Math.floor(random() * 256));
  return bytes;
}

/**
 * Draws the bytes of one tile, and repeats the tile to the end.
 * @param {Buffer} bytes
 * @param {number} from   the first byte to draw, less than TILE_BYTES
 * @param {() => number} draw   returns a byte
 */
function fillFrom(bytes, from, draw) {
  const drawn = Math.min(bytes.length, TILE_BYTES);
  for (let i = from; i < drawn; i += 1) bytes[i] = draw();
  for (let filled = drawn; filled < bytes.length; filled *= 2) bytes.copyWithin(filled, 0, filled);
}

/** @type {Maker} characters of one to four bytes, equally often */
function utf8Text(random, payloadBytes, index) {
  if (payloadBytes === 1) return LETTERS[index % LETTERS.length];
  const [first, count] = BLOCKS[2];
  const head = String.fromCodePoint(first + (index % count));
  const left = payloadBytes - 2;
  const tiles = Math.floor(left / TILE_BYTES);
  const tile = tiles === 0 ? '' : drawnCharacters(random, TILE_BYTES);
  return flat(head + tile.repeat(tiles) + drawnCharacters(random, left % TILE_BYTES));
}

/** @param {Random} random @param {number} bytes    total size of the characters */
function drawnCharacters(random, bytes) {
  let text = '';
  for (let left = bytes; left > 0; ) {
    const width = 1 + Math.floor(random() * Math.min(MAX_BYTES, left));
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

/** @type {Maker} a list of records and a text that fills the remaining bytes, or a number if a list does not fit */
function jsonDocument(random, payloadBytes, index) {
  if (payloadBytes < MIN_IN_LIST) {
    const least = 10 ** (payloadBytes - 1);
    return String(least + (index % (9 * least)));
  }
  const left = payloadBytes - MIN_IN_LIST;
  const records = Math.floor(left / RECORD_BYTES);
  const tile = Array.from({ length: Math.min(records, RECORDS_PER_TILE) }, () => drawnRecord(random));
  const wholeTiles = tile.join('').repeat(Math.floor(records / RECORDS_PER_TILE));
  const rest = tile.slice(0, records % RECORDS_PER_TILE).join('');
  const filler = LETTERS[index % LETTERS.length] + drawnLetters(random, left % RECORD_BYTES);
  return flat(`[${wholeTiles}${rest}"${filler}"]`);
}

/** @param {Random} random @returns {string} RECORD_BYTES long */
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

/** Flattens a string that V8 stores as a tree, so that the first encoding does not include this work. @param {string} text */
function flat(text) {
  return Buffer.from(text).toString();
}
