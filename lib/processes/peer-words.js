// What a peer says on its stdout, one JSON object a line, read with distrust: it is a program of somebody else's. The protocol
// stands in docs/peers.md.

import { BenchError } from '../errors.js';
import { printable } from '../words/printable.js';
import { quoted } from '../words/quoted.js';

/** Of the words: a peer of another version is refused. */
export const PEER_PROTOCOL = 1;

/** @import { PeerHello, PeerWord } from '../types/index.js' */

/** @param {unknown} value @returns {value is number} */
const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @param {unknown} value @returns {value is string[]} */
const isNames = (value) => Array.isArray(value) && value.every((name) => typeof name === 'string');
/** @param {unknown} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {unknown} value */
const isText = (value) => typeof value === 'string' && value !== '' && value.length <= 200;

/** @param {any} word */
const hasCounts = (word) => [word.operations, word.undecodable, word.strangers].every(isCount);
/** @param {any} sighting */
const isSighting = (sighting) =>
  Array.isArray(sighting) && sighting.length === 2 && isCount(sighting[0]) && Number.isFinite(sighting[1]);
/** @param {any} stream */
const isStream = (stream) =>
  isObject(stream) &&
  [stream.taken, stream.wrong, stream.outOfOrder].every(isCount) &&
  (stream.sightings === undefined || (Array.isArray(stream.sightings) && stream.sightings.every(isSighting)));

/** What each word has to have. @type {Record<string, (word: any) => boolean>} */
const SHAPES = {
  hello: ({ protocol, runtime, version, transports, codecs, scenarios, settings = {} }) =>
    isCount(protocol) &&
    [runtime, version].every(isText) &&
    [transports, codecs, scenarios].every(isNames) &&
    isObject(settings) &&
    Object.values(settings).every(isNames),
  listening: ({ port = 0, nowMs }) => isCount(port) && port < 65_536 && Number.isFinite(nowMs),
  count: hasCounts,
  report: (word) =>
    hasCounts(word) &&
    (word.atOpen === undefined || isCount(word.atOpen)) &&
    (word.bins === undefined || (Array.isArray(word.bins) && word.bins.every(isCount))) &&
    (word.streams === undefined || (isObject(word.streams) && Object.values(word.streams).every(isStream))),
  failed: ({ message }) => typeof message === 'string',
};

/**
 * @param {string} line
 * @returns {PeerWord}
 * @throws {BenchError} PROTOCOL, quoting the line
 */
export function peerWord(line) {
  const refused = (/** @type {string} */ why) =>
    new BenchError('PROTOCOL', `${why}: ${quoted(printable(line))}; docs/peers.md has the words`);
  let word;
  try {
    word = JSON.parse(line);
  } catch {
    throw refused('it said on stdout what is no line of JSON');
  }
  if (!isObject(word) || !Object.hasOwn(SHAPES, word.control))
    throw refused('it said what is no word of a peer');
  if (!SHAPES[word.control](word)) throw refused(`its word ${word.control} lacks what belongs to it`);
  return /** @type {PeerWord} */ (word);
}

/** @param {PeerHello} hello @returns {string | null} null: it is understood */
export function whyNoPeer({ protocol }) {
  if (protocol === PEER_PROTOCOL) return null;
  return `it speaks version ${protocol} of the words of a peer, and this is version ${PEER_PROTOCOL}`;
}
