// Text of a file that ipc-bench saved, after other programs had it: other encodings are read, and a file that is something else is named
// for what it is, with what mends it.

import { scanBrackets } from './brackets.js';
import { COMMAND, shellWord } from './flag-text.js';

/** @typedef {{ why: string, next: string }} Problem */

/** First bytes of other formats. @type {readonly [bytes: string, what: string, next: (path: string) => string][]} */
const PACKED = [
  ['1f8b', 'it is compressed with gzip', (path) => `Unpack it with gunzip ${path}`],
  ['28b52ffd', 'it is compressed with zstd', (path) => `Unpack it with unzstd ${path}`],
  ['fd377a585a', 'it is compressed with xz', (path) => `Unpack it with unxz ${path}`],
  ['425a68', 'it is compressed with bzip2', (path) => `Unpack it with bunzip2 ${path}`],
  ['504b0304', 'it is a ZIP archive', (path) => `Unpack it with unzip ${path}`],
  ['89504e47', 'it is a PNG picture', () => 'Name the results.json that it was drawn from'],
];

const JSON_START = /^\s*[[{]/;

/** @param {Uint8Array} bytes @returns {string} of UTF-8, or of UTF-16 as PowerShell 5 writes it, without a byte order mark */
export function decodeText(bytes) {
  const isLittle = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] > 0 && bytes[1] === 0);
  const isBig = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[1] > 0);
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes);
}

/** @param {Uint8Array} bytes @param {string} path @returns {Problem | null} it is of a format that holds no text */
export function packedProblem(bytes, path) {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('hex');
  const [, why, next] = PACKED.find(([first]) => start.startsWith(first)) ?? [];
  return why === undefined || next === undefined ? null : { why, next: next(shellWord(path)) };
}

/** @param {string} text   that JSON.parse rejects @param {string} path @returns {Problem} */
export function jsonProblem(text, path) {
  const word = shellWord(path);
  const named = { next: 'Name the file as ipc-bench saved it' };
  if (text.trim() === '') return { why: 'it is empty', ...named };
  if (/^\s*</.test(text))
    return { why: 'it is HTML or XML', next: 'Save the file itself, and not a page that shows it' };
  if (!JSON_START.test(text)) return { why: 'it is no JSON', ...named };
  const { depth, ends } = scanBrackets(text);
  if (depth > 0)
    return {
      why: 'it was cut off, or a bracket or quote is missing',
      next: 'Copy it again, or make it again',
    };
  if (ends < 2) return { why: 'it is damaged: brackets fit, but it is no JSON', ...named };
  return isTool(text.slice(0, 1_000))
    ? {
        why: `it holds ${ends} JSON documents, one behind the other`,
        next: `Take them apart, as the first one with jq -s '.[0]' ${word} > first.json`,
      }
    : { why: `it holds ${ends} JSON objects, as a file of messages does`, next: messagesNext(word) };
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

/** @param {any} document   parsed JSON, but no such file @param {string} path @returns {Problem | null} null for an unknown kind */
export function kindProblem(document, path) {
  if (typeof document !== 'object' || document === null) return null;
  const [, why, next] = KINDS.find(([is]) => is(document)) ?? [];
  return why === undefined || next === undefined ? null : { why, next: next(shellWord(path)) };
}
