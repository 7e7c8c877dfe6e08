// Finds requests and their responses among the messages that one end of a channel sends and receives, by a field whose values hardly ever
// repeat in sent messages and recur in a field of received ones.

import { US_PER_MS } from '../format/units.js';
import { MAX_FIELDS } from './fact-format.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { SavedHistogram } from './weighted-histogram.js' */
/**
 * @typedef {object} SavedPairs
 * @property {number} requests
 * @property {number} paired
 * @property {number | null} field   the field of requests that pairs them with responses, as the number of its bit; null if each has a port
 *                                   for its response
 * @property {SavedHistogram} roundTripUs
 * @property {SavedHistogram} inFlight   pending requests when a request is sent, including this one
 */
/** @typedef {{ isSent: boolean, ms: number, present: number, hashes: Uint32Array }} PairedMessage */

const LEARNED = 2_000; // messages in both directions, from which the fields are found
const MIN_PAIRS = 3;
const MAX_REPEATED = 0.02;
const MIN_PAIRED = 0.01; // share of requests, or of all messages if each request has a port for its response
const MAX_OPEN = 10_000;

/** Requests whose responses have a key of theirs. */
export class OpenRequests {
  constructor() {
    this.requests = 0;
    this.paired = 0;
    this.roundTripUs = new WeightedHistogram();
    this.inFlight = new WeightedHistogram();
    /** @type {Map<number, number>} key of a pending request → its time in ms */
    this.open = new Map();
  }

  /** @param {number} key @param {number} ms */
  send(key, ms) {
    this.requests += 1;
    this.open.set(key, ms);
    this.inFlight.record(this.open.size);
    if (this.open.size > MAX_OPEN) this.open.delete(Number(this.open.keys().next().value));
  }

  /** @param {number} key @param {number} ms */
  receive(key, ms) {
    const sentMs = this.open.get(key);
    if (sentMs === undefined) return;
    this.open.delete(key);
    this.paired += 1;
    this.roundTripUs.record((ms - sentMs) * US_PER_MS);
  }

  /**
   * @param {number | null} field
   * @param {number} [messages]   of the channel
   * @returns {SavedPairs | null} null if fewer than MIN_PAIRS requests, or less than the share MIN_PAIRED of the messages, have a response
   */
  save(field, messages = this.requests) {
    const { requests, paired } = this;
    if (paired < Math.max(MIN_PAIRS, MIN_PAIRED * messages)) return null;
    return { requests, paired, field, roundTripUs: this.roundTripUs.save(), inFlight: this.inFlight.save() };
  }
}

export class RequestPairs {
  constructor() {
    /** @type {PairedMessage[]} the first messages, until the fields are known */
    this.first = [];
    this.isLearning = true;
    /**
     * The fields that pair requests with responses, as numbers of their bits; null while learning, and if no fields give MIN_PAIRS pairs.
     * @type {{ sent: number, received: number } | null}
     */
    this.fields = null;
    this.all = new OpenRequests();
  }

  /**
   * @param {boolean} isSent
   * @param {number} ms
   * @param {number} present   bits of the fields that the message has
   * @param {Uint32Array} hashes   hash of the latest value of each field, by the number of its bit; the reader reuses the array
   */
  add(isSent, ms, present, hashes) {
    if (!this.isLearning) {
      this.pair(isSent, ms, present, hashes);
      return;
    }
    if (present !== 0) this.first.push({ isSent, ms, present, hashes: hashes.slice() });
    if (this.first.length === LEARNED) this.learn();
  }

  learn() {
    this.isLearning = false;
    this.fields = findFields(this.first);
    for (const { isSent, ms, present, hashes } of this.first) this.pair(isSent, ms, present, hashes);
    this.first = [];
  }

  /** @param {boolean} isSent @param {number} ms @param {number} present @param {Uint32Array} hashes */
  pair(isSent, ms, present, hashes) {
    if (this.fields === null) return;
    const field = isSent ? this.fields.sent : this.fields.received;
    if (((present >> field) & 1) === 0) return;
    if (isSent) this.all.send(hashes[field], ms);
    else this.all.receive(hashes[field], ms);
  }

  /** @returns {SavedPairs | null} null if too few requests have a response */
  save() {
    if (this.isLearning) this.learn();
    return this.fields === null ? null : this.all.save(this.fields.sent);
  }
}

/**
 * @param {PairedMessage[]} messages
 * @returns {{ sent: number, received: number } | null} the fields that pair the most messages; null if none pair MIN_PAIRS
 */
function findFields(messages) {
  let best = null;
  let most = MIN_PAIRS - 1;
  for (let sent = 0; sent < MAX_FIELDS; sent += 1) {
    if (repeats(messages, sent)) continue;
    for (let received = 0; received < MAX_FIELDS; received += 1) {
      const paired = countPairs(messages, sent, received);
      if (paired <= most) continue;
      most = paired;
      best = { sent, received };
    }
  }
  return best;
}

/**
 * @param {PairedMessage[]} messages
 * @param {number} field
 * @returns {boolean} whether its values in sent messages repeat too often for an id
 */
function repeats(messages, field) {
  const values = messages.flatMap(({ isSent, present, hashes }) =>
    isSent && (present >> field) & 1 ? hashes[field] : [],
  );
  return values.length - new Set(values).size > MAX_REPEATED * values.length;
}

/** @param {PairedMessage[]} messages @param {number} sent @param {number} received */
function countPairs(messages, sent, received) {
  const open = new Set();
  let paired = 0;
  for (const { isSent, present, hashes } of messages) {
    const field = isSent ? sent : received;
    if (((present >> field) & 1) === 0) continue;
    if (isSent) open.add(hashes[field]);
    else if (open.delete(hashes[field])) paired += 1;
  }
  return paired;
}
