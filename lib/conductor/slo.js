// Whether a launch kept the limit of a sweep: in time, without errors, and without a backlog that grows.

import { latencyPercentiles } from '../statistics/latency.js';
import { achievedShare } from './judge-open.js';

/** @typedef {import('../types.js').Launch} Launch */
/** @typedef {import('../types.js').Slo} Slo */

const LEAST_ACHIEVED = 0.99;
const SPARE_SAMPLES = 1.2; // of Poisson arrivals there are now and then fewer than planned
/** @type {Readonly<Record<import('../types.js').PercentileName, number>>} samples of which ten lie beyond (M-18) */
const SAMPLES_FOR = Object.freeze({ p50: 20, p90: 100, p99: 1_000, p999: 10_000 });

/**
 * @param {Slo | null} slo
 * @param {number | undefined} ratePerSecond
 * @returns {number} ms that a window must last at the least to tell whether the limit is kept
 */
export function windowForSlo(slo, ratePerSecond) {
  if (slo === null || ratePerSecond === undefined) return 0;
  return Math.ceil((SPARE_SAMPLES * SAMPLES_FOR[slo.percentile] * 1_000) / ratePerSecond);
}

/**
 * @param {Launch} launch   under open load
 * @param {Slo} slo
 * @returns {{ us: number | null, keeps: boolean, why: string }} us: of the percentile; why: it does not keep
 */
export function judgedBySlo(launch, { percentile, us }) {
  if (launch.status === 'failed') return { us: null, keeps: false, why: `failed: ${launch.message}` };
  const { open } = launch;
  if (open === undefined) throw new TypeError('a limit of response times is for launches under open load');
  const found = latencyPercentiles(open.response)[percentile];
  if (found === null || open.response.count < SAMPLES_FOR[percentile]) {
    return { us: null, keeps: false, why: `${open.response.count} samples are too few` };
  }
  const achieved = achievedShare(open);
  if (achieved < LEAST_ACHIEVED) {
    return { us: found, keeps: false, why: `the backlog grew: ${(100 * achieved).toFixed(1)} % were sent` };
  }
  return { us: found, keeps: found < us, why: found < us ? '' : 'too slow' };
}
