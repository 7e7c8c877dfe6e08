// What both ends of a load share about its messages: their numbers, the receipts of jobs, and the kinds of mistakes.

import { sharedNowMs } from '../../machine/clock.js';

/** @import { Mistakes } from '../../types/index.js' */

export const FIRST_ID = 1_000_000_000;
export const END_ID = 2_000_000_000;

/** @param {unknown} id   of what came @returns {boolean} a message may have it */
export function isMessageId(id) {
  return typeof id === 'number' && Number.isInteger(id) && id >= FIRST_ID && id < END_ID;
}

/** Messages of which one is timed: both ends note when they saw it. A power of two. */
export const TIMED_EVERY = 64;

// Under open load each message is, up to this rate: at a low one there would be too few.
const MOST_TIMED_PER_SECOND = 5_000;

/** @param {number} [ratePerSecond]   of open load @returns {number} one message of so many is timed; a power of two */
export function timedEvery(ratePerSecond) {
  if (ratePerSecond === undefined) return TIMED_EVERY;
  const every = 2 ** Math.ceil(Math.log2(ratePerSecond / MOST_TIMED_PER_SECOND));
  return Math.min(TIMED_EVERY, Math.max(1, every));
}

/** @param {number} count   of a stream's message, from 0 */
export function idAt(count) {
  return FIRST_ID + (count % (END_ID - FIRST_ID));
}

// So many are kept: a second of a stream of two million messages.
const MOST_SIGHTINGS = 40_000;

/**
 * @param {import('../../types/scenarios.js').TimestampSample[]} sightings   gets one more, on the clock that all processes of a host
 *   share, unless there are too many: the first ones are kept
 * @param {number} count
 * @param {number} [lagMs]   time since it was due, in a plan
 */
export function noteSighting(sightings, count, lagMs) {
  if (sightings.length >= MOST_SIGHTINGS) return;
  const nowMs = sharedNowMs();
  sightings.push(lagMs === undefined ? [count, nowMs] : [count, nowMs, nowMs - lagMs]);
}

// What can be wrong with messages, counted by each verifier, and summed over all of them.

export function noMistakes() {
  return { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
}

/** @param {Iterable<Partial<Mistakes>>} all */
export function summedMistakes(all) {
  const total = noMistakes();
  for (const mistakes of all) {
    for (const [kind, count] of Object.entries(mistakes))
      total[/** @type {keyof Mistakes} */ (kind)] += count;
  }
  return total;
}

/** @param {unknown} got @param {unknown} expected */
export const isIdentical = (got, expected) => got === expected;

/**
 * @param {Mistakes} mistakes   gets one more
 * @param {unknown[]} payloads   that are sent
 * @param {unknown} payload     of a message that should have another
 * @param {(got: any, expected: any) => boolean} [isSame]   for payloads that are not texts
 */
export function countWrongPayload(mistakes, payloads, payload, isSame = isIdentical) {
  if (payloads.some((each) => isSame(payload, each))) mistakes.swapped += 1;
  else mistakes.corrupt += 1;
}

// The jobs of a queue, as both ends define them: each has a number, a payload that follows from the number, and a
// receipt that follows from it as well. An acknowledgement carries the number and the receipt: one character, so that it is never
// longer than the job was.

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
/** What `next` gives when there is no job. */
export const NO_JOB = 0;

/** @param {string[]} payloads @returns {string[]} one for each of them, not the same as its neighbours' */
export function makeReceipts(payloads) {
  return payloads.map((_, index) => LETTERS[index % LETTERS.length]);
}

/** @param {number} id   of a job @param {number} payloads   that there are @returns {number} the place of its own, and of its receipt */
export function payloadIndex(id, payloads) {
  return (id - FIRST_ID) % payloads;
}

/** Those that the master has to offer: new ones without end, and first of all those that are offered again. */
export class Jobs {
  /** @param {{ readonly isOver: boolean }} meter   of the load */
  constructor(meter) {
    this.meter = meter;
    this.offered = 0;
    /** @type {number[]} numbers of jobs whose worker has died */
    this.again = [];
  }

  /** @returns {number} its number; NO_JOB: no more are offered */
  next() {
    if (this.again.length > 0) return /** @type {number} */ (this.again.shift());
    if (this.meter.isOver) return NO_JOB;
    const id = idAt(this.offered);
    this.offered += 1;
    return id;
  }
}
