// Finds requests and their responses among the messages that one end of a channel sends and receives, by a field whose values hardly
// ever repeat in sent messages and recur in a field of received messages.

import { US_PER_MS } from '../format/units.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { SavedHistogram } from './weighted-histogram.js' */
/**
 * @typedef {object} SavedPairs
 * @property {number} requests
 * @property {number} paired
 * @property {string} field   original name of the field
 * @property {SavedHistogram} roundTripUs
 * @property {SavedHistogram} inFlight   pending requests when a request is sent, including this one
 */
/**
 * @typedef {object} Candidate   a field of sent messages
 * @property {number} seen
 * @property {number} repeated
 * @property {Map<unknown, number>} sentMs   key: value of the field
 * @property {WeightedHistogram} inFlight
 * @property {Map<string, { paired: number, done: Set<unknown>, roundTripUs: WeightedHistogram }>} returns   key: field of received messages
 */

const ENOUGH_PAIRS = 16;
const FEWEST_PAIRS = 3; // suffices when the pairs are saved
const MOST_REPEATED = 0.02;
const ENOUGH_SEEN = 64;
const MOST_REPEATED_EARLY = 0.2;
const MOST_LEARNED = 500; // without ENOUGH_PAIRS among so many sent messages, the search ends
const MOST_CANDIDATES = 12;
const LONGEST_ID = 64;
const MOST_OPEN = 10_000;
const RECORDED_AT_FIRST = 2_000;
const RECORDED_EACH = 8;

/** @param {number} count @returns {boolean} true below RECORDED_AT_FIRST, and then for every RECORDED_EACH-th */
function isRecorded(count) {
  return count < RECORDED_AT_FIRST || count % RECORDED_EACH === 0;
}

/**
 * @param {any} message
 * @param {string} name
 * @returns {unknown} the value of the field, or undefined if it is not an id; never calls a getter
 */
function readId(message, name) {
  const value = Object.getOwnPropertyDescriptor(message, name)?.value;
  const isId =
    typeof value === 'string' ? value !== '' && value.length <= LONGEST_ID : typeof value === 'number';
  return isId ? value : undefined;
}

export class RequestPairs {
  constructor() {
    /** @type {'learning' | 'known' | 'none'} */
    this.state = 'learning';
    this.learned = 0;
    /** @type {Map<string, Candidate>} */
    this.candidates = new Map();
    this.field = '';
    this.returnField = '';
    this.requests = 0;
    this.paired = 0;
    this.roundTripUs = new WeightedHistogram();
    this.inFlight = new WeightedHistogram();
    /** @type {Map<unknown, number>} */
    this.open = new Map();
  }

  /** @param {any} message   an object @param {number} ms */
  sent(message, ms) {
    if (this.state === 'known') {
      const value = readId(message, this.field);
      if (value === undefined) return;
      this.requests += 1;
      this.open.set(value, ms);
      if (isRecorded(this.requests)) this.inFlight.record(this.open.size);
      if (this.open.size > MOST_OPEN) this.open.delete(this.open.keys().next().value);
    } else if (this.state === 'learning') this.learn(message, ms);
  }

  /** @param {any} message   an object @param {number} ms */
  received(message, ms) {
    if (this.state === 'known') {
      const value = readId(message, this.returnField);
      const sentMs = this.open.get(value);
      if (sentMs === undefined) return;
      this.open.delete(value);
      this.paired += 1;
      if (isRecorded(this.paired)) this.roundTripUs.record((ms - sentMs) * US_PER_MS);
    } else if (this.state === 'learning' && this.candidates.size > 0) this.match(message, ms);
  }

  /** @param {any} message @param {number} ms */
  learn(message, ms) {
    this.learned += 1;
    if (this.learned > MOST_LEARNED) {
      this.candidates.clear();
      this.state = 'none';
      return;
    }
    // Later messages are only checked for the remaining candidates, to save time.
    const isEarly = this.learned <= ENOUGH_SEEN;
    const names = isEarly ? Object.keys(message).slice(0, MOST_CANDIDATES) : this.candidates.keys();
    for (const name of names) {
      const value = readId(message, name);
      if (value === undefined) continue;
      let candidate = this.candidates.get(name);
      if (candidate === undefined) {
        if (this.candidates.size === MOST_CANDIDATES) continue;
        candidate = {
          seen: 0,
          repeated: 0,
          sentMs: new Map(),
          inFlight: new WeightedHistogram(),
          returns: new Map(),
        };
        this.candidates.set(name, candidate);
      }
      candidate.seen += 1;
      if (!isEarly && candidate.repeated > MOST_REPEATED_EARLY * candidate.seen) {
        this.candidates.delete(name);
        continue;
      }
      if (candidate.sentMs.has(value)) candidate.repeated += 1;
      candidate.sentMs.set(value, ms);
      const returned = Math.max(0, ...[...candidate.returns.values()].map(({ done }) => done.size));
      candidate.inFlight.record(candidate.sentMs.size - returned);
    }
  }

  /** @param {any} message @param {number} ms */
  match(message, ms) {
    for (const name of Object.keys(message).slice(0, MOST_CANDIDATES)) {
      const value = readId(message, name);
      if (value === undefined) continue;
      for (const candidate of this.candidates.values()) {
        const sentMs = candidate.sentMs.get(value);
        if (sentMs === undefined) continue;
        let pair = candidate.returns.get(name);
        if (pair === undefined) {
          pair = { paired: 0, done: new Set(), roundTripUs: new WeightedHistogram() };
          candidate.returns.set(name, pair);
        }
        if (pair.done.has(value)) continue;
        pair.done.add(value);
        pair.paired += 1;
        pair.roundTripUs.record((ms - sentMs) * US_PER_MS);
      }
    }
    const best = this.findBest(ENOUGH_PAIRS);
    if (best !== null) this.settle(best);
  }

  /** @param {number} least   fewest pairs */
  findBest(least) {
    let best = null;
    for (const [field, candidate] of this.candidates) {
      if (candidate.repeated > MOST_REPEATED * candidate.seen) continue;
      for (const [returnField, pair] of candidate.returns) {
        if (pair.paired < least || (best !== null && pair.paired <= best.pair.paired)) continue;
        best = { field, returnField, candidate, pair };
      }
    }
    return best;
  }

  /** @param {NonNullable<ReturnType<RequestPairs['findBest']>>} best */
  settle({ field, returnField, candidate, pair }) {
    this.state = 'known';
    this.field = field;
    this.returnField = returnField;
    this.requests = candidate.seen;
    this.paired = pair.paired;
    this.roundTripUs = pair.roundTripUs;
    this.inFlight = candidate.inFlight;
    for (const [value, ms] of candidate.sentMs) if (!pair.done.has(value)) this.open.set(value, ms);
    this.candidates.clear();
  }

  /** @returns {SavedPairs | null} */
  save() {
    if (this.state === 'learning') {
      const best = this.findBest(FEWEST_PAIRS);
      if (best === null) return null;
      const { field, candidate, pair } = best;
      return {
        requests: candidate.seen,
        paired: pair.paired,
        field,
        roundTripUs: pair.roundTripUs.save(),
        inFlight: candidate.inFlight.save(),
      };
    }
    if (this.state === 'none') return null;
    const { requests, paired, field } = this;
    return { requests, paired, field, roundTripUs: this.roundTripUs.save(), inFlight: this.inFlight.save() };
  }
}
