// Records one end of a channel: number, sizes and times of messages, the cost of sending and deserialising them, pairs of requests and
// responses, and the shapes or contents of sampled messages. Its memory is bounded, and a TimeBudget limits the time for measuring.

import { deserialize, serialize } from 'node:v8';
import { US_PER_MS } from '../format/units.js';
import { MOST_LEVELS, nestsDeeper } from '../types/shape-limits.js';
import { isInert, readShape } from './message-shape.js';
import { RequestPairs } from './request-pairs.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { MessageShape as Shape } from '../types/shape-limits.js' */
/** @import { NameReplacer } from './message-shape.js' */
/** @import { SavedPairs } from './request-pairs.js' */
/** @import { SavedHistogram } from './weighted-histogram.js' */

/** @typedef {'process.send' | 'postMessage' | 'MessagePort'} Mechanism */
/** @typedef {{ mechanism: Mechanism, serialisation: 'json' | 'v8', peer: Peer }} LinkFacts */
/** @typedef {{ pid: number } | { parentProcess: true } | { thread: number } | { parentThread: true } | { port: string } | { unknownPort: number }} Peer */
/**
 * @typedef {{ key: number, characters: number, shape: Shape } | { key: number, characters: number, value: any }} SampledMessage
 *   key: the messages with the greatest keys are kept; characters: length of the JSON of the shape or the value
 */
/**
 * @typedef {object} SavedLink
 * @property {Mechanism} mechanism
 * @property {'json' | 'v8'} serialisation
 * @property {Peer} peer
 * @property {number} sent
 * @property {number} failed   messages whose sending failed
 * @property {number} received
 * @property {{ text: number, bytes: number, value: number }} kinds   number of sent messages by kind
 * @property {number} withTransfer
 * @property {number} unsized   messages that were not measured, because serialising them fails or would run code of the program
 * @property {SavedHistogram} bytes
 * @property {SavedHistogram} sendUs
 * @property {SavedHistogram} decodeUs
 * @property {number | null} firstMs
 * @property {number | null} lastMs
 * @property {number[]} arrivals   times at which the first messages were sent, in ms
 * @property {SavedPairs | null} pairs
 * @property {SampledMessage[]} sample
 */

/** @typedef {{ bytes: number, decodeUs: number, weight: number } | null} Measured   weight: number of messages that this one represents */

const MOST_SAMPLED = 200;
const MOST_CHARACTERS = 2 ** 19; // per sample; a single message may have half as many
const MOST_ARRIVALS = 1_000;
const MOST_STRIDE = 4_096;
const TIMED_EACH = 8;
const TIMED_AT_FIRST = 256;
// A message takes at most MEASURE_MS, and MEASURE_MS_PER_BYTE per byte, from the budget; a longer time includes a wait for the CPU.
const MEASURE_MS = 1;
const MEASURE_MS_PER_BYTE = 1e-4;

/** Limits the time that a process or thread spends on measuring messages. */
export class TimeBudget {
  /**
   * @param {() => number} now   in ms
   * @param {number} startMs   initial budget
   * @param {number} share   this share of the elapsed time is added to the budget
   */
  constructor(now, startMs, share) {
    this.now = now;
    this.allowedMs = startMs;
    this.share = share;
    this.sinceMs = now();
    this.spentMs = 0;
  }

  /** @param {number} share   applies from now on */
  setShare(share) {
    const ms = this.now();
    this.allowedMs += this.share * (ms - this.sinceMs);
    this.sinceMs = ms;
    this.share = share;
  }

  /** @param {number} ms */
  spend(ms) {
    this.spentMs += ms;
  }

  /** @returns {number} the share of the allowed time that was spent; above 1 if it was exceeded */
  used() {
    return this.spentMs / (this.allowedMs + this.share * (this.now() - this.sinceMs));
  }
}

/**
 * @typedef {object} Surroundings
 * @property {() => number} now             ms
 * @property {TimeBudget} budget
 * @property {NameReplacer} names
 * @property {boolean} keepsContents
 */

export class RecordedLink {
  /** @param {LinkFacts} facts @param {Surroundings} surroundings */
  constructor(facts, { now, budget, names, keepsContents }) {
    this.facts = facts;
    this.now = now;
    this.budget = budget;
    this.names = names;
    this.keepsContents = keepsContents;
    this.count = 0;
    this.timedCount = 0; // count at the last timed message
    this.failed = 0;
    this.received = 0;
    this.kinds = { text: 0, bytes: 0, value: 0 };
    this.withTransfer = 0;
    this.unsized = 0;
    this.bytes = new WeightedHistogram();
    this.sendUs = new WeightedHistogram();
    this.decodeUs = new WeightedHistogram();
    this.firstMs = Number.NaN;
    this.lastMs = Number.NaN;
    /** @type {number[]} */
    this.arrivals = [];
    this.pairs = new RequestPairs();
    this.stride = 1;
    this.toSkip = 0;
    this.skipped = 0;
    /** @type {SampledMessage[]} */
    this.sample = [];
    this.isFull = false;
  }

  /** @returns {boolean} whether sending the next message is timed */
  isTimed() {
    return this.count < TIMED_AT_FIRST || this.count - this.timedCount >= TIMED_EACH - 1;
  }

  /**
   * @param {any} message
   * @param {number} ms   start of sending
   * @param {number} endMs   0 if it was not timed
   * @param {{ measured: Measured, byteLength?: number }} [before]   measured before the buffers of the message were transferred
   */
  onSent(message, ms, endMs, before) {
    this.count += 1;
    if (this.count === 1) this.firstMs = ms;
    this.lastMs = ms;
    if (this.arrivals.length < MOST_ARRIVALS) this.arrivals.push(Math.round(ms * US_PER_MS) / US_PER_MS);
    if (endMs > 0) {
      // The time represents all messages since the last timed one.
      this.sendUs.record((endMs - ms) * US_PER_MS, this.count - this.timedCount);
      this.timedCount = this.count;
    }
    const isText = typeof message === 'string';
    if (isText) {
      this.kinds.text += 1;
      this.bytes.record(Buffer.byteLength(message));
    } else if (isBytes(message)) {
      this.kinds.bytes += 1;
      this.bytes.record(before?.byteLength ?? message.byteLength);
    } else {
      this.kinds.value += 1;
      if (typeof message === 'object' && message !== null) this.pairs.sent(message, ms);
    }
    if (before !== undefined) this.withTransfer += 1;
    const measured = before === undefined ? this.measureSome(message) : before.measured;
    if (measured === null) return;
    if (!isText && !isBytes(message)) this.bytes.record(measured.bytes, measured.weight);
    this.decodeUs.record(measured.decodeUs, measured.weight);
  }

  /** @param {any} message */
  onReceived(message) {
    this.received += 1;
    if (typeof message === 'object' && message !== null) this.pairs.received(message, this.now());
  }

  /** @returns {number} the number of messages that the next one represents; 0 if it is not measured */
  nextWeight() {
    if (this.toSkip > 0) {
      this.toSkip -= 1;
      this.skipped += 1;
      return 0;
    }
    // Includes the skipped messages, so that all weights add up to the number of messages.
    const weight = 1 + this.skipped;
    this.skipped = 0;
    this.toSkip = this.stride === 1 ? 0 : Math.floor(Math.random() * (2 * this.stride - 1));
    return weight;
  }

  /** @param {any} message @returns {Measured} null if the message is skipped or cannot be measured */
  measureSome(message) {
    const weight = this.nextWeight();
    if (weight === 0) return null;
    const beganMs = this.now();
    /** @type {Measured} */
    let measured = null;
    try {
      measured = this.measure(message, weight);
      return measured;
    } finally {
      const mostMs = MEASURE_MS + (measured?.bytes ?? 0) * MEASURE_MS_PER_BYTE;
      this.budget.spend(Math.min(mostMs, this.now() - beganMs));
      const used = this.budget.used();
      if (used > 1) this.stride = Math.min(MOST_STRIDE, this.stride * 2);
      else if (used < 0.5 && this.stride > 1) this.stride /= 2;
    }
  }

  /** @param {any} message @param {number} weight @returns {Measured} */
  measure(message, weight) {
    const asJson = this.facts.serialisation === 'json';
    try {
      if (!isInert(message, asJson)) throw new TypeError('it has code of the program');
      const text = asJson ? JSON.stringify(message) : '';
      const clone = asJson ? Buffer.alloc(0) : serialize(message);
      const deserialise = () => (asJson ? JSON.parse(text) : deserialize(clone));
      // If messages are skipped, the deserialiser runs once unmeasured: cold, it is 2–4 times slower than in a program that uses it for every
      // message.
      if (this.stride > 1) deserialise();
      const beganMs = this.now();
      deserialise();
      const decodeUs = (this.now() - beganMs) * US_PER_MS;
      this.keep(message, weight);
      return { bytes: asJson ? Buffer.byteLength(text) : clone.length, decodeUs, weight };
    } catch {
      this.unsized += weight; // serialising it would run code of the program, or fails, as for a port
      return null;
    }
  }

  /**
   * Samples by weight into a reservoir: P. Efraimidis, P. Spirakis, IPL 97 (2006), algorithm A-Res.
   * @param {any} message
   * @param {number} weight
   */
  keep(message, weight) {
    const key = Math.random() ** (1 / weight);
    if (this.isFull && key <= (this.sample.at(-1)?.key ?? 0)) return;
    try {
      const kept = this.keepsContents
        ? { value: JSON.parse(JSON.stringify(message)) }
        : { shape: readShape(message, this.facts.serialisation === 'json', this.names) };
      const characters = JSON.stringify(kept).length;
      if (characters > MOST_CHARACTERS / 2 || ('value' in kept && nestsDeeper(kept.value, MOST_LEVELS)))
        return;
      const all = [...this.sample, { key, characters, ...kept }];
      this.sample = selectSample(all);
      this.isFull = this.sample.length < all.length;
    } catch {} // the message has too many parts, or content that JSON does not have
  }

  /** @returns {SavedLink} */
  save() {
    return {
      ...this.facts,
      sent: this.count,
      failed: this.failed,
      received: this.received,
      kinds: this.kinds,
      withTransfer: this.withTransfer,
      unsized: this.unsized,
      bytes: this.bytes.save(),
      sendUs: this.sendUs.save(),
      decodeUs: this.decodeUs.save(),
      firstMs: this.count === 0 ? null : this.firstMs,
      lastMs: this.count === 0 ? null : this.lastMs,
      arrivals: this.arrivals,
      pairs: this.pairs.save(),
      sample: this.sample,
    };
  }
}

/** @param {SampledMessage[]} messages @returns {SampledMessage[]} the messages of the sample, in descending order of their keys */
export function selectSample(messages) {
  let left = MOST_CHARACTERS;
  return messages
    .sort((one, other) => other.key - one.key)
    .slice(0, MOST_SAMPLED)
    .filter(({ characters }) => {
      left -= characters;
      return left >= 0;
    });
}

/** @param {unknown} value @returns {value is ArrayBufferView | ArrayBuffer} */
function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}
