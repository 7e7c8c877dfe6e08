// Common parts of two exact rank methods. Both sort their comparisons (means of pairs, or differences), and use the distribution of the
// number of comparisons on one side of the truth. Interval and p agree: the 95 % interval excludes a shift exactly if its p is at most
// 0.05.

import { sum } from './sum.js';

/** @import { Estimate } from '../types/index.js' */

/**
 * Source: M. Hollander, D. A. Wolfe, "Nonparametric Statistical Methods", sections 3.2, 3.3, 4.2 and 4.3.
 * @param {Float64Array} comparisons ascending, at least one
 * @param {Float64Array} probabilities P(S = s) of the number on one side, from 0 to the centre
 * @param {number} level
 * @returns {{ estimate: number, low: number, high: number, level: number | null }} the median and the interval; level
 *   is null if even the extremes are no interval of that level
 */
export function intervalFrom(comparisons, probabilities, level) {
  const estimate = medianOfSorted(comparisons);
  const rank = criticalRank(probabilities, (1 - level) / 2);
  const last = comparisons.length - 1;
  if (rank === 0) return { estimate, low: comparisons[0], high: comparisons[last], level: null };
  return { estimate, low: comparisons[rank - 1], high: comparisons[last - rank + 1], level };
}

/**
 * @param {Float64Array} comparisons ascending, at least one
 * @param {Float64Array} probabilities P(S = s) of the number on one side, from 0 to the centre
 * @param {number} shift   the hypothesis
 * @returns {number} two-sided p; comparisons that equal the shift count on both sides, so ties only raise p
 */
export function pFrom(comparisons, probabilities, shift) {
  let below = 0;
  let above = 0;
  for (const value of comparisons) {
    if (value <= shift) below++;
    if (value >= shift) above++;
  }
  const statistic = Math.min(below, above);
  if (statistic >= probabilities.length) return 1;
  let cumulated = 0;
  for (let sum = 0; sum <= statistic; sum++) cumulated += probabilities[sum];
  return Math.min(1, 2 * cumulated);
}

/**
 * @param {Float64Array} probabilities
 * @param {number} level
 * @returns {number | null} the actual two-sided false-alarm rate of a test of this level: at most 1 - level,
 *   and less with few values; null if no outcome is rare enough
 */
export function attainedAlpha(probabilities, level) {
  const rank = criticalRank(probabilities, (1 - level) / 2);
  if (rank === 0) return null;
  return 2 * sum(probabilities.subarray(0, rank));
}

/**
 * @param {Float64Array} probabilities
 * @param {number} tail probability allowed on each side
 * @returns {number} the greatest c with P(S < c) ≤ tail: the interval runs from the c-th smallest comparison to the
 *   c-th greatest. 0 if not even the extremes suffice
 */
function criticalRank(probabilities, tail) {
  let cumulated = 0;
  let rank = 0;
  for (const probability of probabilities) {
    cumulated += probability;
    if (cumulated > tail) break;
    rank++;
  }
  return rank;
}

/** @param {Float64Array} sorted at least one */
export function medianOfSorted(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The typical value of a few launches: the Hodges–Lehmann estimate with the exact Wilcoxon signed-rank interval. It assumes only
// symmetry, and a few disturbed launches hardly move it.

/** Fewest values with a 95 % interval: the widest one holds with probability 1 - 2 / 2^n. */
export const LEAST_PAIRS = 6;

/** @type {Map<number, Float64Array>} */
const knownProbabilities = new Map();

/**
 * Sources: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963); M. Hollander, D. A. Wolfe,
 * "Nonparametric Statistical Methods", sections 3.2 and 3.3 (Tukey's interval).
 * @param {ArrayLike<number>} values at least one
 * @param {number} [level]
 * @returns {Estimate} the median of all pairwise means, and the interval between two of them, or the extremes of the
 *   values if they are too few for an interval of this level (below 6 at 95 %)
 */
export function signedRankInterval(values, level = 0.95) {
  const n = values.length;
  if (n === 0) throw new RangeError('nothing can be estimated from no values');
  const interval = intervalFrom(walshAverages(values), signedRankProbabilities(n), level);
  return { ...interval, n, method: interval.level === null ? 'range' : 'signed-rank' };
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
 * The exact null distribution for any n, in which a rank is part of the sum with probability 1/2. It takes about n³/8 additions, 1 ms for
 * 200 launches, so a normal approximation is not needed.
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

// The shift between two groups of launches that were not measured side by side: the Hodges–Lehmann shift with the exact Mann–Whitney
// interval and test. It assumes independent launches, and no shape of their distribution.

/**
 * @typedef {object} Shift
 * @property {number} estimate
 * @property {number} low
 * @property {number} high
 * @property {number | null} level    null if there are too few values, and low and high are the extremes
 */

/** Fewest values per side; 4 could reach 95 % too, but with little power. */
export const LEAST_A_SIDE = 5;

/** @type {Map<string, Float64Array>} */
const probabilitiesOfTwo = new Map();

/**
 * Sources: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963); M. Hollander, D. A. Wolfe,
 * "Nonparametric Statistical Methods", sections 4.2 and 4.3 (Moses' interval).
 * @param {ArrayLike<number>} values at least one
 * @param {ArrayLike<number>} references at least one
 * @param {number} [level]
 * @returns {Shift} the median of all differences of a value and a reference, and the interval between two of them
 */
export function rankSumShift(values, references, level = 0.95) {
  if (values.length === 0 || references.length === 0) {
    throw new RangeError('a shift needs at least one value on either side');
  }
  const probabilities = rankSumProbabilities(values.length, references.length);
  return intervalFrom(differences(values, references), probabilities, level);
}

/**
 * Source: H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947).
 * @param {ArrayLike<number>} values at least one
 * @param {ArrayLike<number>} references at least one
 * @param {number} [shift]   the hypothesis
 * @returns {number} exact two-sided p; ties count in favour of the shift
 */
export function rankSumP(values, references, shift = 0) {
  const probabilities = rankSumProbabilities(values.length, references.length);
  return pFrom(differences(values, references), probabilities, shift);
}

/**
 * @param {number} n
 * @param {number} m
 * @param {number} level
 * @returns {number | null} the false-alarm rate of the exact test of n and m values, or null if no outcome is rare enough
 */
export function rankSumAlpha(n, m, level) {
  return attainedAlpha(rankSumProbabilities(n, m), level);
}

/** @param {ArrayLike<number>} values @param {ArrayLike<number>} references @returns {Float64Array} ascending */
function differences(values, references) {
  const all = new Float64Array(values.length * references.length);
  let filled = 0;
  for (let first = 0; first < values.length; first++) {
    for (let second = 0; second < references.length; second++) {
      all[filled++] = values[first] - references[second];
    }
  }
  return all.sort();
}

/**
 * The exact null distribution, for any sizes: the generating function of U is the Gaussian binomial coefficient, the
 * product of (1 - x^(m+i)) / (1 - x^i) for i from 1 to n. Takes about n²m additions, once for each pair of sizes.
 * Source: F. N. David, D. E. Barton, "Combinatorial Chance", chapter 11.
 * @param {number} n
 * @param {number} m
 * @returns {Float64Array} P(U = u) for u up to the centre of the distribution
 */
function rankSumProbabilities(n, m) {
  const key = `${n} ${m}`;
  const known = probabilitiesOfTwo.get(key);
  if (known !== undefined) return known;
  const probabilities = new Float64Array(Math.floor((n * m) / 2) + 1);
  probabilities[0] = 1;
  for (let i = 1; i <= n; i++) {
    for (let u = probabilities.length - 1; u >= m + i; u--) probabilities[u] -= probabilities[u - m - i];
    // Divided by the number of arrangements step by step, or it would overflow.
    for (let u = i; u < probabilities.length; u++) probabilities[u] += probabilities[u - i];
    for (let u = 0; u < probabilities.length; u++) probabilities[u] *= i / (m + i);
  }
  probabilitiesOfTwo.set(key, probabilities);
  return probabilities;
}
