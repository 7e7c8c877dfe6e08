// The typical value of a few launches by ranks: the Hodges–Lehmann estimate with the exact Wilcoxon signed-rank interval. It assumes only
// symmetry, and a few disturbed launches hardly move it. Also has the median.

/** @import { Estimate } from '../types/index.js' */

const LEVEL = 0.95;

/**
 * @param {Float64Array} probabilities   P(S = s) for s from 0 to the centre, where S is the number of pairwise means on one side of the true
 *   value
 * @returns {number} the greatest c with P(S < c) ≤ 2.5 %: the interval runs from the c-th smallest mean to the
 *   c-th greatest. 0 if not even the extremes suffice
 */
function criticalRank(probabilities) {
  let cumulated = 0;
  let rank = 0;
  for (const probability of probabilities) {
    cumulated += probability;
    if (cumulated > (1 - LEVEL) / 2) break;
    rank++;
  }
  return rank;
}

/** @param {Float64Array} sorted at least one */
export function medianOfSorted(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Fewest values with a 95 % interval: the widest one holds with probability 1 - 2 / 2^n. */
export const MIN_PAIRS = 6;

/**
 * Sources: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963); M. Hollander, D. A. Wolfe,
 * "Nonparametric Statistical Methods", sections 3.2 and 3.3 (Tukey's interval).
 * @param {ArrayLike<number>} values at least one
 * @returns {Estimate} the median of all pairwise means, and the interval between two of them, or the extremes of the
 *   values if they are too few for an interval (below 6)
 */
export function signedRankInterval(values) {
  const n = values.length;
  if (n === 0) throw new RangeError('nothing can be estimated from no values');
  const means = walshAverages(values);
  const estimate = medianOfSorted(means);
  const rank = criticalRank(signedRankProbabilities(n));
  const last = means.length - 1;
  if (rank === 0) return { estimate, low: means[0], high: means[last], level: null, n, method: 'range' };
  return {
    estimate,
    low: means[rank - 1],
    high: means[last - rank + 1],
    level: LEVEL,
    n,
    method: 'signed-rank',
  };
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
  const probabilities = new Float64Array(Math.floor((n * (n + 1)) / 4) + 1);
  probabilities[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    const greatest = Math.min((rank * (rank + 1)) / 2, probabilities.length - 1);
    for (let sum = greatest; sum >= 0; sum--) {
      const joined = sum >= rank ? probabilities[sum - rank] : 0;
      probabilities[sum] = (probabilities[sum] + joined) / 2;
    }
  }
  return probabilities;
}

/** @param {ArrayLike<number>} values at least one */
export function median(values) {
  return medianOfSorted(Float64Array.from(values).sort());
}
