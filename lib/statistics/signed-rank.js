// What is typical of a few launches, and between which bounds: the Hodges–Lehmann estimate with the exact Wilcoxon
// signed-rank interval. It assumes symmetry only, and a few disturbed launches hardly move it.

/** @typedef {import('../types.js').Estimate} Estimate */

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
  const means = walshAverages(values);
  const estimate = median(means);
  const rank = criticalRank(n, (1 - level) / 2);
  if (rank === 0) {
    return { estimate, low: means[0], high: means[means.length - 1], level: null, n, method: 'range' };
  }
  return {
    estimate,
    low: means[rank - 1],
    high: means[means.length - rank],
    level,
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
 * @param {number} n
 * @param {number} tail probability allowed on each side
 * @returns {number} the greatest c with P(W < c) ≤ tail, W the signed-rank statistic of n values around their
 *   centre: the interval runs from the c-th smallest mean to the c-th greatest. 0: not even the extremes suffice
 */
function criticalRank(n, tail) {
  let cumulated = 0;
  let rank = 0;
  for (const probability of signedRankProbabilities(n)) {
    cumulated += probability;
    if (cumulated > tail) break;
    rank++;
  }
  return rank;
}

/**
 * The exact null distribution, for any n: each rank joins the sum or not, both with probability 1/2. No normal
 * approximation beyond some n: the sum takes n³/12 additions, 1 ms at 200 launches.
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

/**
 * @param {ArrayLike<number>} values at least one
 * @returns {number}
 */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
