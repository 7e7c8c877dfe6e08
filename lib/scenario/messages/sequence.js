// The numbers of messages, of questions and of a stream's, which both its ends know: ten digits from the first to the last, so that no message is
// longer than another because of its number.

import { sharedNowMs } from '../../machine/clock.js';

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

/** @param {number} [ratePerSecond]   of open load; absent: there is none @returns {number} messages of which one is timed: a power of two */
export function timedEvery(ratePerSecond) {
  if (ratePerSecond === undefined) return TIMED_EVERY;
  const every = 2 ** Math.ceil(Math.log2(ratePerSecond / MOST_TIMED_PER_SECOND));
  return Math.min(TIMED_EVERY, Math.max(1, every));
}

/** @param {number} count   of a stream's message, from 0 @returns {number} */
export function idAt(count) {
  return FIRST_ID + (count % (END_ID - FIRST_ID));
}

// So many are kept: a second of a stream of two million messages.
const MOST_SIGHTINGS = 40_000;

/**
 * @param {import('../../types/scenarios.js').TimestampSample[]} sightings   gets one more, on the clock that all processes of a host
 *   share, unless there are too many: the first ones are kept
 * @param {number} count
 * @param {number} [lagMs]   for which it was due already; absent: nothing was planned
 */
export function noteSighting(sightings, count, lagMs) {
  if (sightings.length >= MOST_SIGHTINGS) return;
  const nowMs = sharedNowMs();
  sightings.push(lagMs === undefined ? [count, nowMs] : [count, nowMs, nowMs - lagMs]);
}
