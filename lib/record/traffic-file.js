// The text of the file that `ipc-bench record` writes, the choice of a channel in it, and the messages of a replay. The checksum of the
// file is verified, because a replay of edited traffic would give results for a program that does not exist.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { serialize } from 'node:v8';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { decodeSavedText, jsonProblem, kindProblem } from '../format/saved-text.js';
import { MIB } from '../format/units.js';
import { seedFrom } from '../statistics/random.js';
import { sumBy } from '../statistics/sum.js';
import { measureShape, nestsDeeper } from '../types/shape-limits.js';
import { makeValue } from './shaped-values.js';

/** @import { SavedHistogram } from './weighted-histogram.js' */
/** @import { RecordedTraffic as Traffic, ReplaySizes, TrafficChannel } from '../types/index.js' */

const FORMAT = 'ipc-bench traffic';
const VERSION = 3;
const HEAD = /^\s*\{\s*"format"\s*:\s*"ipc-bench traffic"/;
const HEAD_BYTES = 100;
const MAX_LEVELS_OF_JSON = 1_000; // the file nests three levels for each level of a message; JSON.stringify() fails at some thousands
const MAX_REPLAYED = 32 * MIB; // characters, as for --message-file: each process of a launch keeps the messages in its memory
const TOLERATED_SHARE = 0.1;
const TOLERATED_BYTES = 1; // an empty message is replayed as one byte

/** @param {object} content */
function sumOf(content) {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** @param {object} content @returns {string} the text of the file, with the checksum of the content */
export function serialiseTraffic(content) {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, sha256: sumOf(content), ...content })}\n`;
}

/** @param {Buffer} bytes   of a file, from its beginning @returns {boolean} */
export const beginsLikeTraffic = (bytes) => HEAD.test(decodeSavedText(bytes.subarray(0, HEAD_BYTES)));

/** @param {string} path @returns {boolean} whether it begins like a traffic file; false if it cannot be read */
export function isTrafficFile(path) {
  try {
    if (!statSync(path).isFile()) return false; // Opening a FIFO would wait for its writer.
    const descriptor = openSync(path, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    const bytes = readSync(descriptor, head);
    closeSync(descriptor);
    return beginsLikeTraffic(head.subarray(0, bytes));
  } catch {
    return false;
  }
}

export const ANEW = 'Record the program again';
export const OTHER = 'Name a file that ipc-bench record saved';

/** @param {string} path @param {string} why @param {string} next @param {unknown} [cause] @returns {never} */
export function refuse(path, why, next, cause) {
  const message = `${printable(path)} cannot be read as recorded traffic: ${why}. ${next}.`;
  throw new BenchError('BAD_ARGUMENT', message, { cause });
}

/** @param {string} text @param {string} path   used in error messages @returns {Traffic} @throws {BenchError} BAD_ARGUMENT */
export function parseTraffic(text, path) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const { why, next } = jsonProblem(text, path);
    refuse(path, why, next, error);
  }
  if (document?.format !== FORMAT) {
    const { why = 'it is of another kind', next = OTHER } = kindProblem(document, path) ?? {};
    refuse(path, why, next || OTHER);
  }
  const { format: _format, version, sha256, ...content } = document;
  if (Number.isInteger(version) && version > VERSION) {
    const tool = printable(String(content.tool)).slice(0, 40);
    refuse(
      path,
      `it is of version ${version}, written by ipc-bench ${tool}, newer than this one`,
      'Update ipc-bench',
    );
  }
  if (version !== VERSION)
    refuse(path, `it is of version ${printable(String(version))}, which is not read any more`, ANEW);
  if (nestsDeeper(content, MAX_LEVELS_OF_JSON)) refuse(path, 'it is nested too deeply', ANEW);
  if (sumOf(content) !== sha256) refuse(path, 'it was changed after it was recorded', ANEW);
  return content;
}

// The messages of a channel, for its replay.

/** @param {TrafficChannel} channel @returns {'json' | 'text'} 'text' if most messages are texts or bytes */
export function messageFormat({ kinds }) {
  return kinds.text + kinds.bytes > kinds.value ? 'text' : 'json';
}

/**
 * @param {TrafficChannel} channel
 * @param {'json' | 'text'} [format]   format of the requests, if the channel has the responses
 * @returns {string[]} texts, or JSON of objects, made from the channel's sample
 */
export function makeMessages(channel, format = messageFormat(channel)) {
  let left = MAX_REPLAYED;
  const fitting = channel.sample.filter((sampled) => {
    left -=
      'value' in sampled ? JSON.stringify(sampled.value).length : measureShape(sampled.shape).characters;
    return left >= 0;
  });
  const values = fitting.map((sampled, index) =>
    'value' in sampled ? sampled.value : makeValue(sampled.shape, seedFrom(channel.number, index)),
  );
  /** @param {unknown} value */
  const isText = (value) => typeof value === 'string';
  const ofFormat = values.filter((value) => isText(value) === (messageFormat(channel) === 'text'));
  if (format === 'json') return ofFormat.map((value) => JSON.stringify(isObject(value) ? value : { value }));
  return ofFormat
    .map((value) => (isText(value) ? value : JSON.stringify(value)))
    .map((text) => (/^\s*$/.test(text) ? 'x' : text));
}

/**
 * Sizes differ if messages are too large for a sample, or contain values that JSON does not have.
 * @param {TrafficChannel} channel
 * @param {{ text: string, value: any }[]} messages   messages of its replay, at least one; value is null for texts
 * @returns {ReplaySizes[]} sizes of the channel; empty if no size was recorded
 */
export function compareSizes({ number, serialisation, bytes }, messages) {
  if (bytes.count === 0) return [];
  const replayed = sumBy(messages, ({ text, value }) =>
    serialisation === 'v8' && value !== null ? serialize(value).length : Buffer.byteLength(text),
  );
  return [
    {
      channel: number,
      recordedBytes: Math.round(bytes.sum / bytes.count),
      replayedBytes: Math.round(replayed / messages.length),
    },
  ];
}

/**
 * @param {readonly ReplaySizes[]} sizes
 * @returns {ReplaySizes[]} channels whose replayed messages clearly differ in size from the recorded ones
 */
export function differingSizes(sizes) {
  return sizes.filter(
    ({ recordedBytes, replayedBytes }) =>
      Math.abs(replayedBytes - recordedBytes) > Math.max(TOLERATED_SHARE * recordedBytes, TOLERATED_BYTES),
  );
}

/**
 * @param {Pick<Traffic, 'channels'>} traffic
 * @param {TrafficChannel} channel   channel of the requests
 * @returns {TrafficChannel | null} null if there are no responses, or none was sampled
 */
export function findResponses({ channels }, { number, pairs, mechanism, from, to }) {
  if (pairs === null) return null;
  const of = pairs.field === null ? 'MessagePort' : mechanism;
  const found = channels.find(
    (other) =>
      other.number !== number &&
      other.mechanism === of &&
      other.from === to &&
      other.to === from &&
      other.sample.length > 0,
  );
  return found ?? null;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {Traffic} traffic
 * @param {number | undefined} number   number of a channel; by default that of the channel that takes the most time
 * @param {string} path
 */
export function findChannel({ channels }, number, path) {
  const byTime = channels.toSorted((one, other) => timeOf(other) - timeOf(one));
  const found = number === undefined ? byTime[0] : channels.find((channel) => channel.number === number);
  if (found !== undefined && found.sample.length > 0) return found;
  if (found === undefined && number !== undefined) return refuseChannel(channels, path);
  const other = byTime.find(({ sample }) => sample.length > 0);
  if (found === undefined || other === undefined)
    return refuse(path, 'none of its messages was sampled', ANEW);
  // Nothing is known of the time of a channel whose sender was not recorded.
  const isUnrecorded = found.sendUs.count === 0;
  if (number === undefined && isUnrecorded) return other;
  const which = `channel ${found.number}${number === undefined ? ', which takes the most time,' : ''}`;
  const why = isUnrecorded ? 'its sender was not recorded' : 'its messages exceed the limits of a sample';
  const next = `Choose another one, such as --channel ${other.number}`;
  return refuse(path, `${which} has no sample of messages, since ${why}`, next);
}

/** @param {TrafficChannel[]} channels @param {string} path @returns {never} */
export function refuseChannel(channels, path) {
  const numbers = channels.length === 1 ? 'only channel 1' : `channels 1 to ${channels.length}`;
  const next = 'npx ipc-bench report shows them';
  throw new BenchError('BAD_ARGUMENT', `--channel: ${printable(path)} has ${numbers}; ${next}`);
}

/** @param {TrafficChannel} channel @returns {number} estimated time that both ends spend on the channel, in µs */
function timeOf({ messages, sendUs, decodeUs }) {
  /** @param {SavedHistogram} histogram */
  const mean = ({ sum, count }) => (count === 0 ? 0 : sum / count);
  return messages * (mean(sendUs) + mean(decodeUs));
}
