// What is typical of a few launches, and between which bounds: the Hodges–Lehmann estimate with the exact Wilcoxon
// signed-rank interval and test. It assumes symmetry only, and a few disturbed launches hardly move it.

import { attainedAlpha, intervalFrom, medianOfSorted, pFrom, smoothIntervalFrom } from './exact-rank.js';

/** @import { Estimate } from '../types/index.js' */

/** The fewest values that have a 95 % interval: the widest one holds with probability 1 - 2 / 2^n. */
export const LEAST_PAIRS = 6;

/** @type {Map<number, Float64Array>} */
const knownProbabilities = new Map();

/**
 * Sources: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963); M. Hollander, D. A. Wolfe,
 * "Nonparametric Statistical Methods", sections 3.2 and 3.3 (Tukey's interval).
 * @param {ArrayLike<number>} values at least one
 * @param {number} [level]
 * @returns {Estimate} the median of all pairwise means, and the interval between two of them; the extremes of the
 *   values when they are too few for any interval of this level (below 6 at 95 %)
 */
export function signedRankInterval(values, level = 0.95) {
  const n = values.length;
  if (n === 0) throw new RangeError('nothing can be estimated from no values');
  const interval = intervalFrom(walshAverages(values), signedRankProbabilities(n), level);
  return { ...interval, n, method: interval.level === null ? 'range' : 'signed-rank' };
}

/**
 * For sets of places, of which each asks again: what is too wide by a step of the ranks would be too wide at all of them.
 * @param {ArrayLike<number>} values at least one
 * @param {number} [level]
 * @returns {{ low: number, high: number } | null} between two steps of the ranks; null: too few values for any interval of this
 *   level
 */
export function smoothSignedRankInterval(values, level = 0.95) {
  return smoothIntervalFrom(walshAverages(values), signedRankProbabilities(values.length), level);
}

/**
 * Source: F. Wilcoxon, Biometrics Bulletin 1 (1945).
 * @param {ArrayLike<number>} values at least one
 * @param {number} [centre] the truth that is doubted
 * @returns {number} exact, two-sided; values on the centre speak for it
 */
export function signedRankP(values, centre = 0) {
  return pFrom(walshAverages(values), signedRankProbabilities(values.length), centre);
}

/**
 * @param {number} n
 * @param {number} level
 * @returns {number | null} the chance of a false alarm of the exact test of n values; null: no outcome is rare enough
 */
export function signedRankAlpha(n, level) {
  return attainedAlpha(signedRankProbabilities(n), level);
}

/**
 * @param {ArrayLike<number>} values
 * @returns {Float64Array} the means of every pair of values, each value paired with itself included, ascending
 */
function walshAverages(values) {
  const n = values.length;
  const means = new Float64Array((n * (n + 1)) / 2);
  let filled = 0;
  for (let first = 0; first < n; first++) {
    for (let second = first; second < n; second++) means[filled++] = (values[first] + values[second]) / 2;
  }
  return means.sort();
}

/**
 * The exact null distribution, for any n: each rank joins the sum or not, both with probability 1/2. No normal
 * approximation beyond some n: the sum takes n³/12 additions, 1 ms at 200 launches.
 * @param {number} n
 * @returns {Float64Array} P(W = w) for w up to the centre of the distribution
 */
function signedRankProbabilities(n) {
  const known = knownProbabilities.get(n);
  if (known !== undefined) return known;
  const probabilities = new Float64Array(Math.floor((n * (n + 1)) / 4) + 1);
  probabilities[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    const greatest = Math.min((rank * (rank + 1)) / 2, probabilities.length - 1);
    for (let sum = greatest; sum >= 0; sum--) {
      const joined = sum >= rank ? probabilities[sum - rank] : 0;
      probabilities[sum] = (probabilities[sum] + joined) / 2;
    }
  }
  knownProbabilities.set(n, probabilities);
  return probabilities;
}

/** @param {ArrayLike<number>} values at least one */
export function median(values) {
  return medianOfSorted(Float64Array.from(values).sort());
}
