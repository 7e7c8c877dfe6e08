// The numbers of a stream's messages, the same at both ends: ten digits from the first to the last, so that no message is
// longer than another because of its number.

export const FIRST_ID = 1_000_000_000;
const END_ID = 2_000_000_000;

/** Messages of which one is timed: both ends note when they saw it. A power of two. */
export const TIMED_EVERY = 64;

/** @param {number} count   from 0 @returns {number} */
export function idOf(count) {
  return FIRST_ID + (count % (END_ID - FIRST_ID));
}

/**
 * When messages were seen, by their count, on the clock that all processes of a host share.
 */
export class Sightings {
  /** @param {number} [most]   that are kept: the first ones */
  constructor(most = 40_000) {
    this.most = most;
    /** @type {[count: number, ms: number][]} */
    this.seen = [];
  }

  /** @param {number} count @param {number} ms */
  note(count, ms) {
    if (this.seen.length < this.most) this.seen.push([count, ms]);
  }
}
