// The recorder of a worker's hot path: counts integer nanoseconds into the cells of an HdrHistogram, allocating
// nothing. Merging and percentiles are latency.js's.

import { encodeLatency, HIGHEST_NS } from './encode-latency.js';

/** @import { Latency } from '../types/index.js' */

// Layout of an HdrHistogram with lowest discernible value 1 and 3 significant digits: 2,048 cells of width 1, then
// for every doubling 1,024 cells of twice the width. Source: http://hdrhistogram.org, G. Tene.
const HALF_BITS = 10;
const FIRST_BUCKET_MASK = 2 ** (HALF_BITS + 1) - 1;
const LAST_BIT_OF_FIRST_BUCKET = 31 - HALF_BITS;
const CELLS = indexOfLarge(HIGHEST_NS) + 1;

const SUM = 0;
const MIN = 1;
const MAX = 2;

/**
 * The slow, exact way for what does not fit into 32 bits.
 * @param {number} nanoseconds an integer in [2^31, 2^53)
 * @returns {number}
 */
function indexOfLarge(nanoseconds) {
  const bucket = 20 + LAST_BIT_OF_FIRST_BUCKET - Math.clz32(Math.floor(nanoseconds / 2 ** 20));
  return bucket * 2 ** HALF_BITS + Math.floor(nanoseconds / 2 ** bucket);
}

export class LatencyCounts {
  #counts = new Float64Array(CELLS);
  // Numbers in a typed array are never boxed; as fields they would be once they outgrow 31 bits.
  #totals = Float64Array.of(0, Infinity, 0);

  /**
   * @param {number} nanoseconds a whole number in [0, 2^42)
   * @throws {RangeError} on anything else: nothing is ever clamped
   */
  record(nanoseconds) {
    const totals = this.#totals;
    const word = nanoseconds >>> 0;
    if (word === nanoseconds) {
      const bucket = LAST_BIT_OF_FIRST_BUCKET - Math.clz32(word | FIRST_BUCKET_MASK);
      this.#counts[(bucket << HALF_BITS) + (word >>> bucket)]++;
    } else {
      if (!Number.isInteger(nanoseconds) || nanoseconds < 0 || nanoseconds > HIGHEST_NS) {
        throw new RangeError(`a latency is a whole number of ns from 0 to 2^42 - 1, got ${nanoseconds}`);
      }
      this.#counts[indexOfLarge(nanoseconds)]++;
    }
    totals[SUM] += nanoseconds;
    // Written each time: a branch that only a new extreme takes is new to the compiler at the first operation of a window.
    totals[MIN] = Math.min(totals[MIN], nanoseconds);
    totals[MAX] = Math.max(totals[MAX], nanoseconds);
  }

  /** @returns {Latency} */
  toLatency() {
    return encodeLatency({
      counts: this.#counts,
      minNs: this.#totals[MIN],
      maxNs: this.#totals[MAX],
      sumNs: this.#totals[SUM],
    });
  }
}
