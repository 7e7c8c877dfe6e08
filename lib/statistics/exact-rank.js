// What the two exact rank tests share: each lines up all its comparisons (means of pairs, or differences) and knows how
// the number of those on one side of the truth is distributed. Interval and p are two readings of the same line, and
// agree: the 95 % interval leaves out a shift exactly when its p is at most 0.05.

import { sum } from './sum.js';

/**
 * Source: M. Hollander, D. A. Wolfe, "Nonparametric Statistical Methods", sections 3.2, 3.3, 4.2 and 4.3.
 * @param {Float64Array} comparisons ascending, at least one
 * @param {Float64Array} probabilities P(S = s) of the number on one side, from 0 to the centre
 * @param {number} level
 * @returns {{ estimate: number, low: number, high: number, level: number | null }} the median and the interval; level
 *   null where even the extremes are no interval of that level
 */
export function intervalFrom(comparisons, probabilities, level) {
  const estimate = medianOfSorted(comparisons);
  const rank = criticalRank(probabilities, (1 - level) / 2);
  const last = comparisons.length - 1;
  if (rank === 0) return { estimate, low: comparisons[0], high: comparisons[last], level: null };
  return { estimate, low: comparisons[rank - 1], high: comparisons[last - rank + 1], level };
}

/**
 * Few values leave few steps: of six, the interval of 95 % holds in 96.9 % of all cases, and the next narrower one in 93.75 %.
 * Between the two lies one that holds as often as was asked for.
 * Source of the idea: T. P. Hettmansperger, S. J. Sheather, Statistics & Probability Letters 4 (1986).
 * @param {Float64Array} comparisons ascending, at least one
 * @param {Float64Array} probabilities P(S = s) of the number on one side, from 0 to the centre
 * @param {number} level
 * @returns {{ low: number, high: number } | null} null: even the extremes are no interval of that level
 */
export function smoothIntervalFrom(comparisons, probabilities, level) {
  const tail = (1 - level) / 2;
  const rank = criticalRank(probabilities, tail);
  if (rank === 0) return null;
  const outside = sum(probabilities.subarray(0, rank));
  const share = rank < probabilities.length ? (tail - outside) / probabilities[rank] : 0;
  const last = comparisons.length - 1;
  const between = (/** @type {number} */ from, /** @type {number} */ to) =>
    (1 - share) * comparisons[from] + share * comparisons[to];
  const next = Math.min(rank, last >> 1);
  return { low: between(rank - 1, next), high: between(last - rank + 1, last - next) };
}

/**
 * @param {Float64Array} comparisons ascending, at least one
 * @param {Float64Array} probabilities P(S = s) of the number on one side, from 0 to the centre
 * @param {number} shift the truth that is doubted
 * @returns {number} two-sided; what is exactly on the shift speaks for it, so that ties never make a difference
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
 * @returns {number | null} the chance of a false alarm that a test of this level really has, two-sided: at most
 *   1 - level, and less where few values leave few steps; null where no outcome is rare enough
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
 *   c-th greatest. 0: not even the extremes suffice
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
