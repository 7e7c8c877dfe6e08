// What a sweep with a limit of response times needs: windows that hold enough samples, and the rates at which what it
// finds is then measured in full.

import { MS_PER_S } from '../format/units.js';

/** @import { PercentileName, Slo } from '../types/index.js' */

/** Shares of the rate found, what matters most first: itself, one beyond, and the way up to it. */
export const CURVE = Object.freeze([1, 1.1, 0.5, 0.75, 0.25, 0.9]);
/** @type {Readonly<Record<PercentileName, number>>} samples of which ten lie beyond (M-18) */
export const SAMPLES_FOR = Object.freeze({ p50: 20, p90: 100, p99: 1_000, p999: 10_000 });
const SPARE_SAMPLES = 1.2; // of Poisson arrivals there are now and then fewer than planned

/**
 * @param {Slo | null} slo
 * @param {number | undefined} ratePerSecond
 * @returns {number} ms that a window must last at the least to tell whether the limit is kept
 */
export function windowForSlo(slo, ratePerSecond) {
  if (slo === null || ratePerSecond === undefined) return 0;
  return Math.ceil((SPARE_SAMPLES * SAMPLES_FOR[slo.percentile] * MS_PER_S) / ratePerSecond);
}
