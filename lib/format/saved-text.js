// Reads files that ipc-bench saved and other programs may have changed: it decodes other encodings, and describes files of other kinds with
// a remedy.

import { scanBrackets } from './brackets.js';
import { COMMAND, shellWord } from './flag-text.js';

/** @typedef {{ why: string, next: string }} Problem */

/**
 * First bytes of compressed files, with the program that decompresses them to stdout.
 * @type {readonly (readonly [start: string, what: string, command: string])[]}
 */
const PACKED = [
  ['1f8b', 'is compressed with gzip', 'gzip -dc'],
  ['28b52ffd', 'is compressed with zstd', 'zstd -dc'],
  ['fd377a585a', 'is compressed with xz', 'xz -dc'],
  ['425a68', 'is compressed with bzip2', 'bzip2 -dc'],
  ['504b0304', 'is a ZIP archive', 'unzip -p'],
];
const PNG_START = '89504e47';

const JSON_START = /^\s*[[{]/;

/**
 * @param {Uint8Array} bytes
 * @returns {string} text without a byte order mark, decoded from UTF-8 or from UTF-16, which PowerShell 5 writes
 */
export function decodeSavedText(bytes) {
  return new TextDecoder(findUtf16(bytes)?.encoding ?? 'utf-8').decode(bytes);
}

/**
 * @param {Uint8Array} bytes
 * @returns {{ encoding: 'utf-16le' | 'utf-16be', isMarked: boolean } | null} encoding, detected by the byte order mark or by
 *   zero bytes in the first characters; null for other encodings
 */
export function findUtf16([first, second, third, fourth]) {
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', isMarked: true };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', isMarked: true };
  if (first > 0 && second === 0 && third > 0 && fourth === 0)
    return { encoding: 'utf-16le', isMarked: false };
  if (first === 0 && second > 0 && third === 0 && fourth > 0)
    return { encoding: 'utf-16be', isMarked: false };
  return null;
}

/** @param {Uint8Array} bytes */
const startOf = (bytes) => Buffer.from(bytes.subarray(0, 8)).toString('hex');

/**
 * @param {Uint8Array} bytes
 * @returns {readonly [string, string] | undefined} the format of a compressed file, and the program that decompresses it to stdout
 */
export function findPacking(bytes) {
  const [, what, command] = PACKED.find(([start]) => startOf(bytes).startsWith(start)) ?? [];
  return what === undefined || command === undefined ? undefined : [what, command];
}

/** @param {Uint8Array} bytes @param {string} path @returns {Problem | null} null unless the file is compressed or a PNG picture */
export function packedProblem(bytes, path) {
  if (startOf(bytes).startsWith(PNG_START))
    return { why: 'it is a PNG picture', next: 'Name the results.json that it was drawn from' };
  const packing = findPacking(bytes);
  if (packing === undefined) return null;
  const [what, command] = packing;
  return { why: `it ${what}`, next: `Unpack it with ${command} ${shellWord(path)} > unpacked.json` };
}

/** @param {string} text   rejected by JSON.parse @param {string} path @returns {Problem} */
export function jsonProblem(text, path) {
  const word = shellWord(path);
  const named = { next: 'Name the file as ipc-bench saved it' };
  if (text.trim() === '') return { why: 'it is empty', ...named };
  if (/^\s*</.test(text))
    return { why: 'it is HTML or XML', next: 'Save the file itself, and not a page that shows it' };
  if (!JSON_START.test(text)) return { why: 'it is not JSON', ...named };
  const { depth, ends } = scanBrackets(text);
  if (depth > 0)
    return {
      why: 'it was cut off, or a bracket or quote is missing',
      next: 'Copy it again, or make it again',
    };
  if (ends.length < 2) return { why: 'it is damaged: brackets fit, but it is not JSON', ...named };
  return isTool(text.slice(0, 1_000))
    ? {
        why: `it holds ${ends.length} JSON documents, one behind the other`,
        next: `Take them apart, as the first one with jq -s '.[0]' ${word} > first.json`,
      }
    : { why: `it holds ${ends.length} JSON objects, as a file of messages does`, next: messagesNext(word) };
}

/** @param {string} text */
const isTool = (text) => /"(?:schemaVersion|ipc-bench(?: traffic)?)"/.test(text);

/** @param {string} word */
const messagesNext = (word) => `To measure with them: ${COMMAND} --message-file ${word}`;

/** @type {readonly [is: (document: any) => boolean, why: string, next: (word: string) => string][]} */
const KINDS = [
  [
    ({ format }) => format === 'ipc-bench traffic',
    'it is recorded traffic',
    (word) =>
      `${COMMAND} report ${word} shows it, and ${COMMAND} recommend --traffic ${word} measures with it`,
  ],
  [
    ({ kind }) => kind === 'comparison',
    'it is a comparison',
    () => 'Name the results.json of the runs that were compared',
  ],
  [
    ({ tool, outcomes }) => tool?.name === 'ipc-bench' && Array.isArray(outcomes),
    'it has results of a run',
    (word) => `${COMMAND} report ${word} shows them`,
  ],
  [({ tool }) => tool?.name === 'ipc-bench', 'it is another document of ipc-bench', () => ''],
  [
    ({ nodes, samples }) => Array.isArray(nodes) && Array.isArray(samples),
    'it is a CPU profile',
    () => 'Open it in Chrome DevTools',
  ],
  [
    ({ transport, codec, workers, launches }) =>
      [transport, codec, workers, launches].some((value) => ['string', 'number'].includes(typeof value)),
    'it has options, as a file for --config does',
    (word) => `To measure with them: ${COMMAND} --config ${word}`,
  ],
  [(document) => Array.isArray(document), 'it is a list, as a file of messages may be', messagesNext],
];

/** @param {any} document   parsed JSON of another kind @param {string} path @returns {Problem | null} null for an unknown kind */
export function kindProblem(document, path) {
  if (typeof document !== 'object' || document === null) return null;
  const [, why, next] = KINDS.find(([is]) => is(document)) ?? [];
  return why === undefined || next === undefined ? null : { why, next: next(shellWord(path)) };
}
