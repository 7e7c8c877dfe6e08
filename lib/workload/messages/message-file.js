// Reads the messages of --message-file: lines of text, lines of JSON, or one JSON list. Errors name the line of an unusable message.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { BenchError } from '../../errors.js';
import { Brackets, scanBrackets, TOKENS } from '../../format/brackets.js';
import { printable } from '../../format/printable.js';
import { decodeText } from '../../format/saved-text.js';
import { MIB } from '../../format/units.js';
import { findChannel, makeMessages, parseTraffic } from '../../record/traffic-file.js';
import { sum } from '../../statistics/sum.js';

/** @import { MessageFile } from '../../types/index.js' */

/** @typedef {{ line: number, text: string, value: any }} FileMessage   text: compact JSON for objects; value: null for texts */
/** @typedef {Pick<MessageFile, 'path' | 'format' | 'channel'>} Place */

const GREATEST_MESSAGE_BYTES = 16 * MIB;
const GREATEST_FILE_BYTES = 32 * MIB; // each process of a launch loads it
const MOST_DEPTH = 100;
const NEWLINE = 10;
const BLANK = /^\s*$/;
const UTF_16 = 'is UTF-16; convert it, as with iconv -f UTF-16 -t UTF-8';
/** First bytes of other formats, with the remedy. @type {readonly [number[], string][]} */
const OTHER_FORMATS = [
  [[0x1f, 0x8b], 'is compressed with gzip; unpack it first, as with gunzip'],
  [[0xff, 0xfe], UTF_16],
  [[0xfe, 0xff], UTF_16],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed with zstd; unpack it first, as with unzstd'],
];

/**
 * @param {Place & { sha256?: string }} file   sha256: the expected hash
 * @returns {{ messages: FileMessage[], sha256: string }} at least one message
 * @throws {BenchError} BAD_ARGUMENT
 */
export function readMessages({ path, format, channel, sha256: expected }) {
  const bytes = readBytes(path);
  const other = OTHER_FORMATS.find(([start]) => start.every((byte, place) => bytes[place] === byte));
  if (other !== undefined && channel === undefined) refuse(path, other[1]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (expected !== undefined && sha256 !== expected) {
    refuse(path, 'has changed since the run began; measure anew');
  }
  const lines =
    channel === undefined ? splitLines(bytes, path) : recordedLines(bytes, path, { channel, format });
  const isList =
    channel === undefined &&
    format === 'json' &&
    lines.find(({ text }) => !BLANK.test(text))?.text.trimStart()[0] === '[';
  const parts = isList
    ? elementsIn(lines, (line, why) => refuseLine(path, line, why))
    : lines.filter(({ text }) => !BLANK.test(text));
  const messages =
    format === 'text'
      ? parts.map((part) => ({ ...part, value: null }))
      : parts.map((part) => parsed(part, path, isList));
  if (messages.length === 0) refuse(path, 'holds no message; write one on each line');
  return { messages, sha256 };
}

/** @param {Buffer} bytes @param {string} path @param {{ channel: number, format: MessageFile['format'] }} wanted @returns {{ line: number, text: string }[]} line: index in the sample, from 1 */
function recordedLines(bytes, path, wanted) {
  const channel = findChannel(parseTraffic(decodeText(bytes), path), wanted.channel, path);
  return makeMessages(channel, wanted.format).map((text, place) => ({ line: place + 1, text }));
}

/** @param {MessageFile} file   recorded traffic @returns {number[]} gaps between the messages of the channel, with a mean of 1 */
export function readGaps({ path, channel }) {
  const { arrivals } = findChannel(parseTraffic(decodeText(readBytes(path)), path), channel, path);
  const gaps = arrivals.slice(1).map((ms, place) => ms - arrivals[place]);
  const mean = sum(gaps) / gaps.length;
  return mean > 0 ? gaps.map((gap) => gap / mean) : [1];
}

/** @param {string} path @param {string} why @returns {never} */
function refuse(path, why) {
  throw new BenchError('BAD_ARGUMENT', `--message-file: ${printable(path)} ${why}`);
}

/** @param {string} path @param {number} line @param {string} why @returns {never} */
function refuseLine(path, line, why) {
  throw new BenchError('BAD_ARGUMENT', `--message-file: line ${line} of ${printable(path)} ${why}`);
}

/** @param {string} path @returns {Buffer} at most one byte more than allowed */
function readBytes(path) {
  try {
    if (!statSync(path).isFile()) refuse(path, 'is no file; give the path of one');
    const descriptor = openSync(path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(Math.min(statSync(path).size, GREATEST_FILE_BYTES + 1));
      let length = 0;
      for (let read = -1; read !== 0 && length < buffer.length; length += read) {
        read = readSync(descriptor, buffer, length, buffer.length - length, null);
      }
      return buffer.subarray(0, length);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof BenchError) throw error;
    return refuse(path, `cannot be read (${/** @type {any} */ (error).code}); check the path`);
  }
}

/** @param {Buffer} bytes @param {string} path @returns {{ line: number, text: string }[]} blank ones included */
function splitLines(bytes, path) {
  const lines = [];
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end - start > GREATEST_MESSAGE_BYTES)
      refuseLine(path, line, `has more than ${GREATEST_MESSAGE_BYTES / MIB} MiB; leave it out`);
    if (end > GREATEST_FILE_BYTES) {
      const many = `lies behind the first ${GREATEST_FILE_BYTES / MIB} MiB, which each process keeps in its memory`;
      refuseLine(path, line, `${many}; take a sample of the lines, as with shuf -n 10000`);
    }
    try {
      const text = decoder.decode(bytes.subarray(start, end)).replace(/\r$/, '');
      lines.push({ line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text });
    } catch {
      refuseLine(path, line, 'is not UTF-8; convert the file, as with iconv -f LATIN1 -t UTF-8');
    }
    start = end + 1;
  }
  return lines;
}

/** @param {{ line: number, text: string }} part @param {string} path @param {boolean} isList @returns {FileMessage} */
function parsed({ line, text }, path, isList) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuseLine(path, line, isList ? `is not JSON (${messageOf(error)})` : whyNoJson(text, error));
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  if (kind !== 'a object') refuseLine(path, line, `is ${kind}, and no object; a message has fields`);
  const fault = faultIn(value, 0);
  if (fault !== null) refuseLine(path, line, fault);
  // Compact, since codecs that carry objects do not send the blanks and escapes of the file.
  return { line, text: JSON.stringify(value), value };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON requires them to be escaped
const CONTROL_CHARACTER = /[\u0000-\u001f]/;
const JQ = 'write each message on a line of its own, as jq -c . does';

/** @param {string} text   a line @param {unknown} error   of JSON.parse @returns {string} reason and remedy */
function whyNoJson(text, error) {
  const [control] = text.replaceAll('\t', ' ').match(CONTROL_CHARACTER) ?? [];
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).padStart(4, '0');
    return `has the control character U+${code.toUpperCase()}; in JSON it is written \\u${code}`;
  }
  if (!/^\s*[[{]/.test(text))
    return `does not begin with an object; if its lines are plain text, add --message-format text`;
  const { depth, ends } = scanBrackets(text);
  if (depth > 0) return `ends inside an object, which goes on in the next line or is cut off; ${JQ}`;
  if (ends > 1) return `has several objects; ${JQ}`;
  return `is not JSON (${messageOf(error)})`;
}

/** @param {unknown} error */
function messageOf(error) {
  return printable(/** @type {Error} */ (error).message);
}

/** @param {any} value @param {number} depth @returns {string | null} a property of the value that some codec does not preserve */
function faultIn(value, depth) {
  if (typeof value === 'string')
    return !/\p{Surrogate}/u.test(value) ? null : 'has half of a surrogate pair in a text';
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'has a number that no number can hold';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MOST_DEPTH) return `is nested deeper than ${MOST_DEPTH} times`;
  if (Object.hasOwn(value, '__proto__')) return 'has a field __proto__, which readers take away';
  for (const inner of [...Object.keys(value), ...Object.values(value)]) {
    const fault = faultIn(inner, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

// Splits a list in JSON into its elements, each as text with its first line, since JSON.parse does not report where a fault is.

/** @typedef {{ line: number, text: string }} Line */

/**
 * @param {Line[]} lines    the first one that is not blank begins with a bracket
 * @param {(line: number, why: string) => never} refuse
 */
function elementsIn(lines, refuse) {
  /** @type {Line[]} */
  const elements = [];
  let text = '';
  let startLine = 0;
  const brackets = new Brackets();
  let isOver = false;
  /** @param {number} line   on which it ends */
  const end = (line) => {
    elements.push({ line: startLine || line, text });
    text = '';
    startLine = 0;
  };
  for (const { line, text: whole } of lines) {
    for (const [token] of whole.matchAll(TOKENS)) {
      if (isOver && !BLANK.test(token)) refuse(line, 'goes on behind the end of the list');
      const wasOutside = brackets.depth === 0;
      brackets.take(token);
      if (wasOutside) continue;
      const { depth, isText } = brackets;
      if (depth === 0) {
        isOver = true;
        if (startLine > 0 || elements.length > 0) end(line);
      } else if (!isText && depth === 1 && token === ',') end(line);
      else if (startLine > 0 || !BLANK.test(token)) {
        startLine ||= line;
        text += token;
      }
    }
    // JSON strings do not continue on the next line.
    if (startLine > 0) text += '\n';
  }
  if (!isOver) refuse(lines.at(-1)?.line ?? 1, 'ends before the list does');
  return elements;
}
