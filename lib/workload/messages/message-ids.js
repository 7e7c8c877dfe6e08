// The ids of messages, and which messages are timed.

import { sharedNowMs } from '../../machine/clock.js';

/** @import { TimestampSample } from '../../types/index.js' */

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
