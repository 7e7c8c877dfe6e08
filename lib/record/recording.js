// What all hooks of a recorded process or thread share: the writer of its facts, its links, its errors, and how they wrap functions.

import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { FactWriter } from './fact-writer.js';
import { NameReplacer } from './message-shape.js';
import { scriptLabel } from './program-label.cjs';
import { MeasureBudget, RecordedLink } from './recorded-link.js';
import { SETTINGS } from './recording-environment.js';

/** @import { Mechanism, LinkPeer, SentRequest, WrittenMessage } from './recorded-link.js' */

const MAX_LINKS = 20_000;
const MAX_ERRORS = 10;
const OWN_COST_EACH = 64; // one fact in this many is timed
const MAX_OWN_MS = 0.1; // longer times count as this, because they may include a wait for the CPU

const readClock = performance.now.bind(performance);
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - readClock();
/** @returns {number} ms of the system's monotonic clock */
export const now = () => readClock() + OFFSET_MS;

/** Settings for child processes, without the serialisation of this process's own channel. */
export const settings = String(process.env[SETTINGS]).replace('&advanced=1', '');
export const parameters = new URLSearchParams(process.env[SETTINGS]);
const folder = String(parameters.get('to'));
export const startedMs = now();
// Captured now, since the program may remove the script from process.argv.
const labelAtStart = scriptLabel(process.execArgv, process.argv[1]);
const wordsAtStart = process.argv.length;
export const writer = new FactWriter(
  join(folder, `${process.pid}-${threadId}-${Math.round(startedMs)}.facts`),
  join(folder, 'size'),
  Number(parameters.get('cap')),
  now,
);
const recording = {
  writer,
  now,
  budget: new MeasureBudget(),
  names: new NameReplacer(String(parameters.get('key'))),
  keepsContents: parameters.has('contents'),
};
let links = 0;
let unrecordedLinks = 0;
let isLabelled = isMainThread;
export const own = { facts: 0, timed: 0, ms: 0 };
/** @type {Map<string, number>} */
const errors = new Map();

/** @param {unknown} error   raised by the recorder */
export function keepError(error) {
  const { name, code = '', stack } = /** @type {NodeJS.ErrnoException} */ (error);
  // The message of an error is left out, because it may quote what the program sends.
  const text = `${name} ${code} ${stack?.match(/[\w-]+\.c?js:\d+:\d+/)?.[0] ?? ''}`;
  if (errors.size < MAX_ERRORS || errors.has(text)) errors.set(text, (errors.get(text) ?? 0) + 1);
}

/** @param {() => void} work */
export function guard(work) {
  try {
    work();
  } catch (error) {
    keepError(error);
  }
}

/**
 * @param {Mechanism} mechanism
 * @param {'json' | 'v8'} serialisation
 * @param {LinkPeer} peer
 * @returns {RecordedLink | null} null if there are MAX_LINKS already
 */
export function addLink(mechanism, serialisation, peer) {
  if (links === MAX_LINKS) {
    unrecordedLinks += 1;
    return null;
  }
  const link = new RecordedLink(links, { mechanism, serialisation, peer }, recording);
  links += 1;
  return link;
}

// Every OWN_COST_EACH-th fact is timed.

/** @returns {number} for `endFact`: the time at which writing the fact begins, in ms; 0 if it is not timed */
function beginFact() {
  own.facts += 1;
  return own.facts % OWN_COST_EACH === 0 ? now() : 0;
}

/** @param {number} beganMs */
function endFact(beganMs) {
  if (beganMs > 0) {
    own.timed += 1;
    own.ms += Math.min(MAX_OWN_MS, now() - beganMs);
  }
  if (!isLabelled) writeLabel();
}

/**
 * @param {RecordedLink} link
 * @param {any} message
 * @param {number} ms
 * @param {number} endMs
 * @param {WrittenMessage | null} wire
 * @param {number} [before]
 * @param {number} [request]   number of a request that has a port for its response
 */
export function noteSent(link, message, ms, endMs, wire, before, request) {
  if (writer.stoppedBy !== null) return;
  try {
    const beganMs = beginFact();
    link.onSent(message, ms, endMs, wire, before, request);
    endFact(beganMs);
  } catch (error) {
    keepError(error);
  }
}

/**
 * @param {RecordedLink | null | undefined} link
 * @param {any} message
 * @param {SentRequest | null} [request]   the request, if the message came at a port for one response
 */
export function noteReceived(link, message, request) {
  if (!link || writer.stoppedBy !== null) return;
  try {
    const beganMs = beginFact();
    link.onReceived(message, request);
    endFact(beganMs);
  } catch (error) {
    keepError(error);
  }
}

/**
 * @param {any} target
 * @param {string | symbol} name
 * @param {(original: any) => (this: any, ...args: any[]) => any} wrap
 */
export function replace(target, name, wrap) {
  const found = Object.getOwnPropertyDescriptor(target, name);
  const original = target[name];
  const wrapped = wrap(original);
  for (const property of ['name', 'length'])
    Object.defineProperty(wrapped, property, { value: original[property], configurable: true });
  Object.defineProperty(target, name, {
    writable: true,
    configurable: true,
    enumerable: false,
    ...found,
    value: wrapped,
  });
}

export function readLabel() {
  if (isMainThread) return labelAtStart;
  // Node.js inserts the script of a thread into process.argv, but only after the recorder is loaded, and no script that is a data: URL.
  return scriptLabel([], process.argv.length > wordsAtStart ? process.argv[1] : undefined);
}

function writeLabel() {
  isLabelled = true;
  writer.write({ label: readLabel() });
}

/** Writes the last facts: the label if it is not written yet, the cost of recording, and the errors of the recorder. */
export function endRecording() {
  if (!isLabelled) writeLabel();
  writer.end({
    own,
    unrecordedLinks,
    errors: [...errors].map(([text, count]) => (count === 1 ? text : `${text}, ${count} times`)),
  });
}
