// Common definitions of both ends: ids of messages, which messages are timed, kinds of mistakes, and the jobs of a queue with their
// receipts.

import { sharedNowMs } from '../../machine/clock.js';

/** @import { Mistakes, TimestampSample } from '../../types/index.js' */

export const FIRST_ID = 1_000_000_000;
export const END_ID = 2_000_000_000;

/** @param {unknown} id @returns {boolean} */
export function isMessageId(id) {
  return typeof id === 'number' && Number.isInteger(id) && id >= FIRST_ID && id < END_ID;
}

/** Interval of the messages that both ends time; a power of two. */
export const TIMED_EVERY = 64;

// Up to this rate of open load every message is timed, since there would be too few samples otherwise.
const MAX_TIMED_PER_SECOND = 5_000;

/** @param {number} [ratePerSecond]   only with open load @returns {number} interval of timed messages; a power of two */
export function timedEvery(ratePerSecond) {
  if (ratePerSecond === undefined) return TIMED_EVERY;
  const every = 2 ** Math.ceil(Math.log2(ratePerSecond / MAX_TIMED_PER_SECOND));
  return Math.min(TIMED_EVERY, Math.max(1, every));
}

/** @param {number} count   index of a message in its stream */
export function idAt(count) {
  return FIRST_ID + (count % (END_ID - FIRST_ID));
}

// Most timestamps of one end of a stream. One in TIMED_EVERY messages is timed, so this is enough for one second of two million messages.
const MAX_SIGHTINGS = 40_000;

/**
 * Adds a timestamp on the clock that all processes of a host share, up to a maximum number.
 * @param {TimestampSample[]} sightings
 * @param {number} count
 * @param {number} [lagMs]   time since the scheduled instant
 */
export function noteSighting(sightings, count, lagMs) {
  if (sightings.length >= MAX_SIGHTINGS) return;
  const nowMs = sharedNowMs();
  sightings.push(lagMs === undefined ? [count, nowMs] : [count, nowMs, nowMs - lagMs]);
}

// Mistakes, counted by each verifier and summed over all of them.

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
 * @param {Mistakes} mistakes
 * @param {unknown[]} payloads   all valid payloads at this end
 * @param {unknown} payload     differs from the expected one
 * @param {(got: any, expected: any) => boolean} [isSame]   compares payloads that are not texts
 */
export function countWrongPayload(mistakes, payloads, payload, isSame = isIdentical) {
  if (payloads.some((each) => isSame(payload, each))) mistakes.swapped += 1;
  else mistakes.corrupt += 1;
}

// The jobs of a queue. Payload and receipt follow from the id of a job. An acknowledgement carries the id and the receipt, which is one
// character, so it is never longer than the job.

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
/** Returned by `next` if there is no job. */
export const NO_JOB = 0;

/** @param {string[]} payloads @returns {string[]} one for each payload, different from its neighbours */
export function makeReceipts(payloads) {
  return payloads.map((_, index) => LETTERS[index % LETTERS.length]);
}

/** @param {number} id @param {number} payloads   number of payloads @returns {number} index of the payload and of the receipt */
export function payloadIndex(id, payloads) {
  return (id - FIRST_ID) % payloads;
}

/** The jobs that the master offers: first the jobs of dead workers again, then new jobs. */
export class Jobs {
  /** @param {{ readonly isOver: boolean }} meter */
  constructor(meter) {
    this.meter = meter;
    this.offered = 0;
    /** @type {number[]} ids of jobs whose worker has died */
    this.again = [];
  }

  /** @returns {number} id, or NO_JOB when the load is over */
  next() {
    if (this.again.length > 0) return /** @type {number} */ (this.again.shift());
    if (this.meter.isOver) return NO_JOB;
    const id = idAt(this.offered);
    this.offered += 1;
    return id;
  }
}
