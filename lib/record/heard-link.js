// What one end of a channel hears: how many messages, how large, when, how long sending takes, which of them are requests, and
// the shapes of some. All of it is bounded, and looking into messages costs at most a fixed share of the time.

import { deserialize, serialize } from 'node:v8';
import { MS_PER_S, US_PER_MS } from '../format/units.js';
import { isInert, readShape } from './message-shape.js';
import { RequestPairs } from './request-pairs.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { NameReplacer, Shape } from './message-shape.js' */
/** @import { SavedPairs } from './request-pairs.js' */
/** @import { SavedHistogram } from './weighted-histogram.js' */

/** @typedef {'process.send' | 'postMessage' | 'MessagePort'} Mechanism */
/** @typedef {{ mechanism: Mechanism, serialisation: 'json' | 'v8', peer: Peer }} LinkFacts */
/** @typedef {{ pid: number } | { parentProcess: true } | { thread: number } | { parentThread: true } | { port: string } | { unknownPort: number }} Peer */
/** @typedef {{ key: number, shape: Shape } | { key: number, value: any }} SampledMessage   key: the greatest of all are kept */
/**
 * @typedef {object} SavedLink
 * @property {Mechanism} mechanism
 * @property {'json' | 'v8'} serialisation
 * @property {Peer} peer
 * @property {number} sent
 * @property {number} received
 * @property {{ text: number, bytes: number, value: number }} kinds    of what was sent
 * @property {number} withTransfer
 * @property {number} unsized       that were looked at in vain: serialising them again would run code of the program
 * @property {SavedHistogram} bytes
 * @property {SavedHistogram} sendUs
 * @property {SavedHistogram} decodeUs
 * @property {number | null} firstMs
 * @property {number | null} lastMs
 * @property {number} busiestSecond
 * @property {number} busiest10Ms
 * @property {number[]} arrivals    of the first messages, ms of the clock of all processes
 * @property {SavedPairs | null} pairs
 * @property {SampledMessage[]} sample
 */

/** @typedef {{ bytes: number, shape?: Shape, value?: any, decodeUs: number, weight: number } | null} Look */

const MOST_SAMPLED = 200;
const MOST_ARRIVALS = 1_000;
const MOST_STRIDE = 4_096;
const TIMED_EACH = 8;
const TIMED_AT_FIRST = 256;
const BURST_MS = 10;
const MOST_KEPT_CHARACTERS = 2 ** 20;
const LOOK_MS = 0.1;
const LOOK_MS_PER_BYTE = 2e-5;

/** Time for looking into messages: of a process or a thread. */
export class LookBudget {
  /** @param {() => number} now   ms @param {number} [startMs] @param {number} [share]   of all time, beyond the first looks */
  constructor(now, startMs = 50, share = 0.005) {
    this.now = now;
    this.startMs = startMs;
    this.share = share;
    this.beganMs = now();
    this.spentMs = 0;
  }

  /** @param {number} ms */
  spend(ms) {
    this.spentMs += ms;
  }

  /** @returns {number} above 1: too much was spent */
  used() {
    return this.spentMs / (this.startMs + this.share * (this.now() - this.beganMs));
  }
}

/**
 * @typedef {object} Surroundings
 * @property {() => number} now             ms of a clock that all processes share
 * @property {LookBudget} budget
 * @property {NameReplacer} names
 * @property {boolean} keepsContents
 */

export class HeardLink {
  /** @param {LinkFacts} facts @param {Surroundings} surroundings */
  constructor(facts, { now, budget, names, keepsContents }) {
    this.facts = facts;
    this.now = now;
    this.budget = budget;
    this.names = names;
    this.keepsContents = keepsContents;
    this.count = 0;
    this.timedCount = 0; // messages when one was timed last
    this.received = 0;
    this.kinds = { text: 0, bytes: 0, value: 0 };
    this.withTransfer = 0;
    this.unsized = 0;
    this.bytes = new WeightedHistogram();
    this.sendUs = new WeightedHistogram();
    this.decodeUs = new WeightedHistogram();
    this.firstMs = Number.NaN;
    this.lastMs = Number.NaN;
    this.second = { at: 0, count: 0, most: 0 };
    this.burst = { at: 0, count: 0, most: 0 };
    /** @type {number[]} */
    this.arrivals = [];
    this.pairs = new RequestPairs();
    this.stride = 1;
    this.toSkip = 0;
    this.skipped = 0;
    /** @type {SampledMessage[]} */
    this.sample = [];
    this.leastKey = 0;
    this.keptCharacters = 0;
  }

  /** @returns {boolean} whether the next message is timed as it is sent */
  isTimed() {
    return this.count < TIMED_AT_FIRST || this.count - this.timedCount >= TIMED_EACH - 1;
  }

  /** @param {number} us   that sending the last message took: it counts for those since the last one that was timed, too */
  tookUs(us) {
    this.sendUs.record(us, this.count - this.timedCount);
    this.timedCount = this.count;
  }

  /**
   * @param {any} message
   * @param {number} ms         when sending began
   * @param {number} endMs      0: it was not timed
   * @param {{ look: Look, byteLength?: number }} [before]   of what is transferred, and cannot be looked at any more
   */
  sent(message, ms, endMs, before) {
    this.countOne(ms);
    if (endMs > 0) this.tookUs((endMs - ms) * US_PER_MS);
    if (typeof message === 'string') {
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
    const taken = before === undefined ? this.lookAt(message) : before.look;
    if (taken !== null) this.take(taken, typeof message === 'string' || isBytes(message));
  }

  /** @param {number} ms */
  countOne(ms) {
    this.count += 1;
    if (this.count === 1) this.firstMs = ms;
    this.lastMs = ms;
    if (this.arrivals.length < MOST_ARRIVALS) this.arrivals.push(Math.round(ms * US_PER_MS) / US_PER_MS);
    countIn(this.second, Math.floor(ms / MS_PER_S));
    countIn(this.burst, Math.floor(ms / BURST_MS));
  }

  /**
   * Who receives every message has the code that deserialises it in its caches. Where one of many is looked at, the first time would take two
   * to four times as long.
   * @param {() => unknown} work
   * @returns {number} µs
   */
  timeWarm(work) {
    if (this.stride > 1) work();
    return timeUs(this.now, work);
  }

  /** @param {any} message */
  receivedOne(message) {
    this.received += 1;
    if (typeof message === 'object' && message !== null) this.pairs.received(message, this.now());
  }

  /** @returns {number} 0: the next message is not looked at; otherwise the messages that it represents */
  takeTurn() {
    if (this.toSkip > 0) {
      this.toSkip -= 1;
      this.skipped += 1;
      return 0;
    }
    // It counts for those that were skipped before it as well, so that all weights together are the number of messages.
    const weight = 1 + this.skipped;
    this.skipped = 0;
    this.toSkip = this.stride === 1 ? 0 : Math.floor(Math.random() * (2 * this.stride - 1));
    return weight;
  }

  /** @param {number} beganMs   looking into a message @param {number} bytes */
  spent(beganMs, bytes) {
    // What takes longer was interrupted by another process, or is not compiled yet.
    const mostMs = LOOK_MS + bytes * LOOK_MS_PER_BYTE;
    this.budget.spend(Math.min(mostMs, this.now() - beganMs));
    const used = this.budget.used();
    if (used > 1) this.stride = Math.min(MOST_STRIDE, this.stride * 2);
    else if (used < 0.5 && this.stride > 1) this.stride /= 2;
  }

  /** @param {any} message @returns {Look} null: it is not its turn, or cannot be looked at */
  lookAt(message) {
    const weight = this.takeTurn();
    if (weight === 0) return null;
    const beganMs = this.now();
    /** @type {Look} */
    let look = null;
    try {
      look = this.measure(message, weight);
      return look;
    } finally {
      this.spent(beganMs, look?.bytes ?? 0);
    }
  }

  /** @param {any} message @param {number} weight @returns {Look} */
  measure(message, weight) {
    const asJson = this.facts.serialisation === 'json';
    if (!isInert(message, asJson)) {
      this.unsized += weight;
      return null;
    }
    let bytes;
    let decodeUs;
    let text = '';
    try {
      if (asJson) {
        text = JSON.stringify(message);
        bytes = Buffer.byteLength(text);
        decodeUs = this.timeWarm(() => JSON.parse(text));
      } else {
        const serialised = serialize(message);
        bytes = serialised.length;
        decodeUs = this.timeWarm(() => deserialize(serialised));
      }
    } catch {
      this.unsized += weight; // a port, shared memory
      return null;
    }
    const key = Math.random() ** (1 / weight);
    const isKept = this.sample.length < MOST_SAMPLED || key > this.leastKey;
    const look = { bytes: isBytes(message) ? message.byteLength : bytes, decodeUs, weight };
    if (!isKept) return look;
    if (this.keepsContents && this.keptCharacters < MOST_KEPT_CHARACTERS) {
      const copy = text === '' ? jsonText(message) : text;
      if (copy !== undefined && this.keptCharacters + copy.length <= MOST_KEPT_CHARACTERS) {
        this.keptCharacters += copy.length;
        this.keep({ key, value: JSON.parse(copy) });
        return look;
      }
    }
    this.keep({ key, shape: readShape(message, this.names) });
    return look;
  }

  /** Weighted sampling with a reservoir: P. Efraimidis, P. Spirakis, IPL 97 (2006), algorithm A-Res. @param {SampledMessage} message */
  keep(message) {
    this.sample = strongest([...this.sample, message], MOST_SAMPLED);
    this.leastKey = this.sample[this.sample.length - 1].key;
  }

  /** @param {NonNullable<Look>} look @param {boolean} isSized   already */
  take({ bytes, decodeUs, weight }, isSized) {
    if (!isSized) this.bytes.record(bytes, weight);
    this.decodeUs.record(decodeUs, weight);
  }

  /** @returns {SavedLink} */
  save() {
    return {
      ...this.facts,
      sent: this.count,
      received: this.received,
      kinds: this.kinds,
      withTransfer: this.withTransfer,
      unsized: this.unsized,
      bytes: this.bytes.save(),
      sendUs: this.sendUs.save(),
      decodeUs: this.decodeUs.save(),
      firstMs: this.count === 0 ? null : this.firstMs,
      lastMs: this.count === 0 ? null : this.lastMs,
      busiestSecond: Math.max(this.second.most, this.second.count),
      busiest10Ms: Math.max(this.burst.most, this.burst.count),
      arrivals: this.arrivals,
      pairs: this.pairs.save(),
      sample: this.sample,
    };
  }
}

/** @param {SampledMessage[]} messages @param {number} most @returns {SampledMessage[]} the greatest key first */
export function strongest(messages, most) {
  return messages.sort((left, right) => right.key - left.key).slice(0, most);
}

/** @param {{ at: number, count: number, most: number }} window @param {number} at */
function countIn(window, at) {
  if (window.at !== at) {
    if (window.count > window.most) window.most = window.count;
    window.at = at;
    window.count = 0;
  }
  window.count += 1;
}

/** @param {unknown} value @returns {value is ArrayBufferView | ArrayBuffer} */
function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** @param {() => number} now @param {() => unknown} work */
function timeUs(now, work) {
  const beganMs = now();
  work();
  return (now() - beganMs) * US_PER_MS;
}

/** @param {unknown} value @returns {string | undefined} undefined: JSON cannot hold it */
function jsonText(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
