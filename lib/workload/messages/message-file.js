// Reads the messages of --message-file: lines of text, lines of JSON, one JSON list, or a channel of recorded traffic. Errors name the
// line of an unusable message.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { BenchError } from '../../errors.js';
import { Brackets, scanBrackets, TOKENS } from '../../format/brackets.js';
import { shellWord } from '../../format/flag-text.js';
import { printable, quoted } from '../../format/printable.js';
import { decodeSavedText, findPacking, findUtf16 } from '../../format/saved-text.js';
import { MIB } from '../../format/units.js';
import { beginsLikeTraffic, findChannel, makeMessages, parseTraffic } from '../../record/traffic-file.js';
import { seededRandom, shuffled } from '../../statistics/random.js';
import { sum } from '../../statistics/sum.js';

/** @import { MessageFile } from '../../types/index.js' */

/**
 * @typedef {{ line: number, text: string, value: any, isRounded?: boolean }} FileMessage   `text` is compact JSON for objects, `value` is
 *   null for texts, and `isRounded` marks numbers that lose digits
 */
/** @typedef {Pick<MessageFile, 'path' | 'format' | 'channel'>} MessageSource */
/**
 * @typedef {{ isList: boolean, parts: readonly { text: string }[], index: number }} PartPosition   the message `parts[index]`; `parts` are
 *   the elements of the list if `isList`, otherwise lines
 */

const MAX_MESSAGE_BYTES = 16 * MIB;
const MAX_FILE_BYTES = 32 * MIB; // each process of a launch loads it
const MAX_DEPTH = 100;
const NEWLINE = 10;
const BLANK = /^\s*$/;
const UTF_32_MARK = [0xff, 0xfe, 0, 0];

/**
 * @param {Buffer} bytes
 * @returns {readonly [string, string] | undefined} what the file is, such as 'is UTF-16', and the command that converts it; undefined if it
 *   needs no conversion
 */
function findOtherFormat(bytes) {
  const packing = findPacking(bytes);
  if (packing !== undefined) return packing;
  if (UTF_32_MARK.every((byte, index) => bytes[index] === byte))
    return ['is UTF-32', 'iconv -f UTF-32 -t UTF-8'];
  const utf16 = findUtf16(bytes);
  if (utf16 === null) return undefined;
  // Without a byte order mark, iconv needs the byte order in the name.
  const name = utf16.isMarked ? 'UTF-16' : utf16.encoding.toUpperCase();
  return ['is UTF-16', `iconv -f ${name} -t UTF-8`];
}

/** @param {string} command @param {string} path @param {MessageFile['format']} [format] @returns {string} */
function mendingCommand(command, path, format = 'json') {
  return `${command} ${shellWord(printable(path))} > mended.${format === 'text' ? 'txt' : 'ndjson'}`;
}

/**
 * @param {MessageSource & { sha256?: string }} file   `sha256` is the expected hash
 * @returns {{ messages: FileMessage[], sha256: string }} at least one message
 * @throws {BenchError} BAD_ARGUMENT
 */
export function readMessages({ path, format, channel, sha256: expected }) {
  const bytes = channel === undefined ? readMessageBytes(path, format) : readBytes(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (expected !== undefined && sha256 !== expected) {
    refuse(path, 'has changed since the run began; measure again');
  }
  const isList = channel === undefined && format === 'json' && beginsWithList(bytes);
  const lines =
    channel === undefined
      ? splitLines(bytes, path, { format, isList })
      : recordedLines(bytes, path, { channel, format });
  const parts = isList ? elementsIn(lines, path) : lines.filter(({ text }) => !BLANK.test(text));
  const checksKeys = expected === undefined; // a file with a known hash was checked when its hash was computed
  const messages =
    format === 'text'
      ? parts.map((part) => ({ ...part, value: null }))
      : parts.map((part, index) => parsed(part, path, { isList, checksKeys, parts, index }));
  if (messages.length === 0) {
    refuse(
      path,
      isList ? 'has an empty list; add objects to it' : 'holds no message; write one on each line',
    );
  }
  return { messages, sha256 };
}

/**
 * @param {Buffer} bytes
 * @param {string} path
 * @param {{ channel: number, format: MessageFile['format'] }} wanted
 * @returns {{ line: number, text: string }[]} line: number of the message, from 1
 */
function recordedLines(bytes, path, wanted) {
  const channel = findChannel(parseTraffic(decodeSavedText(bytes), path), wanted.channel, path);
  return makeMessages(channel, wanted.format).map((text, index) => ({ line: index + 1, text }));
}

/**
 * The recorded stretches follow each other in random order, so that a short window has messages of all parts of the recording.
 * @param {MessageFile} file   recorded traffic
 * @param {number} seed
 * @returns {number[]} gaps between the messages of the channel, with a mean of 1
 */
export function readGaps({ path, channel }, seed) {
  const { arrivals } = findChannel(parseTraffic(decodeSavedText(readBytes(path)), path), channel, path);
  const times = shuffled(arrivals.stretches, seededRandom(seed)).flatMap((stretch, index) =>
    stretch.map((ms) => index * arrivals.ms + ms),
  );
  const gaps = times.slice(1).map((ms, index) => ms - times[index]);
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

/**
 * @param {string} path
 * @param {MessageFile['format']} [format]
 * @returns {Buffer} the content, of which at most one byte more than MAX_FILE_BYTES is read
 * @throws {BenchError} BAD_ARGUMENT if the file is unreadable, compressed, UTF-16, UTF-32, or recorded traffic
 */
export function readMessageBytes(path, format) {
  const bytes = readBytes(path);
  if (beginsLikeTraffic(bytes)) refuse(path, 'is recorded traffic; measure with its messages by --traffic');
  const other = findOtherFormat(bytes);
  if (other !== undefined) refuse(path, `${other[0]}; convert it: ${mendingCommand(other[1], path, format)}`);
  return bytes;
}

/** @param {string} path @returns {Buffer} the content, of which at most one byte more than MAX_FILE_BYTES is read */
function readBytes(path) {
  try {
    if (!statSync(path).isFile()) refuse(path, 'is not a file; give the path of one');
    const descriptor = openSync(path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(Math.min(statSync(path).size, MAX_FILE_BYTES + 1));
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

const FIRST_SIGN = /[^\s\uFEFF]/;
const LOOKED_AT_BYTES = MIB;

/** @param {Buffer} bytes @returns {boolean} */
function beginsWithList(bytes) {
  return FIRST_SIGN.exec(bytes.toString('utf8', 0, LOOKED_AT_BYTES))?.[0] === '[';
}

/**
 * @param {Buffer} bytes
 * @param {string} path
 * @param {{ format: MessageFile['format'], isList: boolean }} shape   a line of a list may be longer than a message
 * @returns {{ line: number, text: string }[]} includes blank lines
 */
function splitLines(bytes, path, { format, isList }) {
  const lines = [];
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end - start > MAX_MESSAGE_BYTES && !isList) refuseLongLine(path, line, newline === -1);
    if (end > MAX_FILE_BYTES) {
      const many = `is after the first ${MAX_FILE_BYTES / MIB} MiB, which each process keeps in its memory`;
      const what = line === 1 ? `continues ${many.slice('is '.length)}` : many;
      refuseLine(path, line, `${what}; ${sampleRemedy(bytes, path, { format, isList })}`);
    }
    try {
      const text = decoder.decode(bytes.subarray(start, end)).replace(/\r$/, '');
      lines.push({ line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text });
    } catch {
      if (bytes.includes(0)) refuse(path, 'is binary data; write its messages as lines of JSON or text');
      const command = mendingCommand('iconv -f LATIN1 -t UTF-8', path, format);
      refuseLine(path, line, `is not UTF-8; if the file is Latin-1, convert it: ${command}`);
    }
    start = end + 1;
  }
  return lines;
}

/** @param {string} path @param {number} line @param {boolean} isLast @returns {never} */
function refuseLongLine(path, line, isLast) {
  const isAll = line === 1 && isLast;
  const list = mendingCommand("jq -c '.items[]'", path);
  const next = isAll ? `if its messages are in a list, such as items: ${list}` : 'leave it out';
  return refuseLine(path, line, `has more than ${MAX_MESSAGE_BYTES / MIB} MiB; ${next}`);
}

/**
 * @param {Buffer} bytes   the beginning of a file that is too long
 * @param {string} path
 * @param {{ format: MessageFile['format'], isList: boolean }} shape
 * @returns {string} names a command that takes about half as many messages as fit
 */
function sampleRemedy(bytes, path, { format, isList }) {
  const text = bytes.toString('utf8', 0, LOOKED_AT_BYTES).replace(/^\uFEFF/, '');
  const { ends } = scanBrackets(isList ? text.slice(text.indexOf('[') + 1) : text);
  const [first = ''] = text.trimStart().split('\n', 1);
  const hasOnePerLine = format === 'text' || (!isList && scanBrackets(first).depth === 0);
  const perMib = hasOnePerLine ? text.split('\n').length - 1 : ends.length;
  const count = (Math.max(perMib, 1) * MAX_FILE_BYTES) / LOOKED_AT_BYTES / 2;
  if (hasOnePerLine) return `take a sample: ${mendingCommand(`shuf -n ${count}`, path, format)}`;
  const isOneObject = !isList && ends.length === 0;
  const what = isOneObject ? 'take a sample of the list in its object, such as items' : 'take a sample';
  const filter = (isList && "'.[]'") || (isOneObject ? "'.items[]'" : '.');
  return `${what}: jq -c ${filter} ${shellWord(printable(path))} | shuf -n ${count} > mended.ndjson`;
}

/**
 * @param {{ line: number, text: string }} part
 * @param {string} path
 * @param {PartPosition & { checksKeys: boolean }} position
 * @returns {FileMessage}
 */
function parsed({ line, text: whole }, path, { checksKeys, ...position }) {
  const text = whole.replace(/^\uFEFF/, ''); // concatenated files have a byte order mark in each part
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuseLine(path, line, jsonFaultText(text, { error, path, ...position }));
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  if (kind !== 'a object') refuseLine(path, line, notObject(kind, path, position.isList));
  const fault = faultIn(value, 0);
  if (fault !== null) refuseLine(path, line, fault);
  // Compact JSON, since codecs that carry objects do not send the spaces and escapes of the file.
  const compact = JSON.stringify(value);
  if (position.isList && text.length > MAX_MESSAGE_BYTES && Buffer.byteLength(compact) > MAX_MESSAGE_BYTES)
    refuseLine(path, line, `begins an object of more than ${MAX_MESSAGE_BYTES / MIB} MiB; leave it out`);
  const twice = checksKeys && text !== compact ? repeatedKey(text, value) : undefined;
  if (twice !== undefined) {
    const next = `keep one, as jq does: ${mendingCommand(position.isList ? "jq -c '.[]'" : 'jq -c .', path)}`;
    refuseLine(path, line, `has the key ${quoted(twice)} twice in one object; ${next}`);
  }
  return { line, text: compact, value, ...(hasRounded(text) && { isRounded: true }) };
}

/** @param {string} kind @param {string} path @param {boolean} isList @returns {string} */
function notObject(kind, path, isList) {
  if (!isList) return `is ${kind}, not an object; a message has fields`;
  return `has ${kind} in a list, and a message is an object; ${listIsMessage(path)}`;
}

/** @param {string} token   the first one after the end of a list @param {string} path @returns {string} */
function whatFollows(token, path) {
  const next = token === '[' ? listIsMessage(path) : 'remove what follows, or write each message on a line';
  return `continues after the end of the list; ${next}`;
}

/** @param {string} path @returns {string} */
function listIsMessage(path) {
  return `if each list is one message: ${mendingCommand("jq -c '{list: .}'", path)}`;
}

const KEYS = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/**
 * @param {string} text   valid JSON
 * @param {unknown} value   parsed from it
 * @returns {string | undefined} a key that an object has twice
 */
function repeatedKey(text, value) {
  /** @type {Map<string, number>} */
  const surplus = new Map();
  for (const [, written, colon] of text.matchAll(KEYS)) {
    if (colon === undefined) continue;
    const key = JSON.parse(`"${written}"`);
    surplus.set(key, (surplus.get(key) ?? 0) + 1);
  }
  const values = [value];
  for (let next = values.pop(); next !== undefined; next = values.pop()) {
    for (const [key, inner] of Object.entries(/** @type {object} */ (next))) {
      if (!Array.isArray(next)) surplus.set(key, (surplus.get(key) ?? 0) - 1);
      if (typeof inner === 'object' && inner !== null) values.push(inner);
    }
  }
  return [...surplus].find(([, count]) => count > 0)?.[0];
}

const MANY_DIGITS = /\d[\d.]{15}/;
const TEXTS_AND_NUMBERS = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @param {string} text   valid JSON @returns {boolean} true if JSON.parse rounds a number, such as 2^53 + 1 */
function hasRounded(text) {
  if (!MANY_DIGITS.test(text)) return false;
  return (text.match(TEXTS_AND_NUMBERS) ?? []).some(
    (token) =>
      token[0] !== '"' && MANY_DIGITS.test(token) && normalised(token) !== normalised(String(Number(token))),
  );
}

/** @param {string} number @returns {string} a canonical form: '-12e3' for '-12000' */
function normalised(number) {
  const [, sign, whole, decimals = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(number) ?? [];
  const digits = (whole + decimals).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${sign}${kept}e${Number(exponent) - decimals.length + digits.length - kept.length}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON requires them to be escaped
const CONTROL_CHARACTER = /[\u0000-\u001f]/;
/** What is wrong with a line that does not begin with an object, by patterns of other formats. @type {readonly [RegExp, string][]} */
const OTHER_TEXTS = [
  [/^\s*<[?!a-z]/i, 'is XML or HTML; write each message as a line of JSON'],
  [/^[^{]+\{.*\}\s*$/s, "has text before its object; leave it out, as sed 's/^[^{]*//' does"],
  [/^(?:---|[\w-]+: |- )/, 'looks like YAML; write each message as a line of JSON, as yq -o json -I 0 does'],
  [/^(?:[^,]+,)+[^,\s][^,]*$|\t|;\S/, 'looks like CSV; convert it, as mlr --icsv --ojsonl cat does'],
];

/**
 * @param {string} text   a line, or an element of a list
 * @param {PartPosition & { error: unknown, path: string }} found   `error` is the error of JSON.parse
 * @returns {string} reason and remedy
 */
function jsonFaultText(text, found) {
  const { error, path, isList, parts, index } = found;
  const [control] = text.replaceAll(/[\t\n]/g, ' ').match(CONTROL_CHARACTER) ?? [];
  if (control === '\r') return `ends with CR alone: ${mendingCommand("tr '\\r' '\\n' <", path)}`;
  if (text[0] === '\u001e')
    return `begins with a record separator: ${mendingCommand("tr -d '\\036' <", path)}`;
  const isObject = /^\s*[[{]/.test(text);
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).padStart(4, '0');
    const remedy = isObject ? `in JSON it is written \\u${code}` : 'the file is neither JSON nor plain text';
    return `has the control character U+${code.toUpperCase()}; ${remedy}`;
  }
  if (isList && BLANK.test(text))
    return 'is not JSON: a comma of the list has no object after or before it; remove it';
  if (!isObject && !isList) {
    const what = OTHER_TEXTS.find(([start]) => start.test(text))?.[1] ?? 'does not begin with an object';
    return index === 0 ? `${what}; if its lines are plain text, name it .txt` : what;
  }
  const { depth, ends } = scanBrackets(text);
  const lines = `write each message on a line of its own: ${mendingCommand('jq -c .', path)}`;
  if (depth > 0) {
    const following = parts.slice(index).map((part) => part.text);
    const object = firstObject(following.join('\n'));
    if (object === undefined)
      return 'ends inside an object, and so does the file; complete the object or leave it out';
    return parseFaultText(object, found) ?? `ends inside an object, which goes on in the next line; ${lines}`;
  }
  if (ends.length > 1)
    return parseFaultText(text.slice(0, ends[0]), found) ?? `has several objects; ${lines}`;
  if (/[}\]]\s*,\s*$/.test(text))
    return `ends with a comma; remove it: ${mendingCommand("sed 's/,[[:space:]]*$//'", path)}`;
  const why = `is not JSON (${printableMessage(error)})`;
  if (/,\s*[}\]]/.test(text)) return `${why}; remove the comma before a closing bracket`;
  if (/[{,]\s*(?:'|[A-Za-z_$][\w$]*\s*:)/.test(text))
    return `${why}; names and texts need double quotes, as JSON.stringify writes them`;
  if (/\b(?:NaN|Infinity|None|True|False|undefined)\b/.test(text))
    return `${why}; JSON has null, true and false instead`;
  return why;
}

/** @param {string} text   begins with an object @returns {string | undefined} undefined if the object does not end */
function firstObject(text) {
  const [end] = scanBrackets(text).ends;
  return end === undefined ? undefined : text.slice(0, end);
}

/** @param {string} object @param {Parameters<typeof jsonFaultText>[1]} found @returns {string | null} reason and remedy; null if it is JSON */
function parseFaultText(object, found) {
  try {
    JSON.parse(object);
    return null;
  } catch (error) {
    return jsonFaultText(object, { ...found, error });
  }
}

/** @param {unknown} error */
function printableMessage(error) {
  return printable(/** @type {Error} */ (error).message);
}

/** @param {any} value @param {number} depth @returns {string | null} why not every codec preserves the value, or null if all do */
function faultIn(value, depth) {
  if (typeof value === 'string')
    return !/\p{Surrogate}/u.test(value) ? null : 'has half of a surrogate pair in a text';
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'has a number that JavaScript cannot represent';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} times`;
  if (Object.hasOwn(value, '__proto__')) return 'has a field __proto__, which parsers remove';
  for (const inner of [...Object.keys(value), ...Object.values(value)]) {
    const fault = faultIn(inner, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

// Splits a JSON list into the texts of its elements, each with the number of its first line, since not every error of JSON.parse contains a
// position.

/** @typedef {{ line: number, text: string }} FileLine */

/** @param {FileLine[]} lines   the first one that is not blank begins with a bracket @param {string} path @returns {FileLine[]} */
function elementsIn(lines, path) {
  /** @type {FileLine[]} */
  const elements = [];
  let text = '';
  let startLine = 0;
  const brackets = new Brackets();
  let isOver = false;
  /** @param {number} line   last line of the element */
  const end = (line) => {
    elements.push({ line: startLine || line, text });
    text = '';
    startLine = 0;
  };
  for (const { line, text: whole } of lines) {
    for (const [token] of whole.matchAll(TOKENS)) {
      if (isOver && !BLANK.test(token)) refuseLine(path, line, whatFollows(token, path));
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
    // Keeps the line break, so that JSON.parse refuses a string that continues on the next line.
    if (startLine > 0) text += '\n';
  }
  if (!isOver) refuseLine(path, lines.at(-1)?.line ?? 1, 'ends before the list does; complete it with ]');
  return elements;
}
