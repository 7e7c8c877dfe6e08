// The numbers of messages, of questions and of a stream's, which both its ends know: ten digits from the first to the last, so that no message is
// longer than another because of its number.

import { sharedNowMs } from '../machine/clock.js';

export const FIRST_ID = 1_000_000_000;
export const END_ID = 2_000_000_000;

/** Messages of which one is timed: both ends note when they saw it. A power of two. */
export const TIMED_EVERY = 64;

/** @param {number} count   of a stream's message, from 0 @returns {number} */
export function idOf(count) {
  return FIRST_ID + (count % (END_ID - FIRST_ID));
}

// So many are kept: a second of a stream of two million messages.
const MOST_SIGHTINGS = 40_000;

/**
 * @param {import('../types/scenarios.js').Sighting[]} sightings   gets one more, on the clock that all processes of a host
 *   share, unless there are too many: the first ones are kept
 * @param {number} count
 */
export function noteSighting(sightings, count) {
  if (sightings.length < MOST_SIGHTINGS) sightings.push([count, sharedNowMs()]);
}
