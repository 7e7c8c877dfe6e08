// How far two groups of launches lie apart that were not measured side by side: the Hodges–Lehmann shift with the exact
// Mann–Whitney interval and test. It assumes no shape; only that the launches of a side are independent.

import { attainedAlpha, intervalFrom, pFrom } from './exact-rank.js';

/**
 * @typedef {object} Shift
 * @property {number} estimate
 * @property {number} low
 * @property {number} high
 * @property {number | null} level    null: too few values for the interval, low and high are the extremes
 */

/** The fewest values a side (M-24); 4 could reach 95 % as well, with a power that is not worth the name. */
export const LEAST_A_SIDE = 5;

/** @type {Map<string, Float64Array>} */
const knownProbabilities = new Map();

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
 * @param {number} [shift] the truth that is doubted
 * @returns {number} exact, two-sided; ties speak for the shift
 */
export function rankSumP(values, references, shift = 0) {
  const probabilities = rankSumProbabilities(values.length, references.length);
  return pFrom(differences(values, references), probabilities, shift);
}

/**
 * @param {number} n
 * @param {number} m
 * @param {number} level
 * @returns {number | null} the chance of a false alarm of the exact test of n and m values; null: no outcome is rare
 *   enough
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
 * product of (1 - x^(m+i)) / (1 - x^i) for i from 1 to n. Takes n²m/2 additions, once for each pair of sizes.
 * Source: F. N. David, D. E. Barton, "Combinatorial Chance", chapter 11.
 * @param {number} n
 * @param {number} m
 * @returns {Float64Array} P(U = u) for u up to the centre of the distribution
 */
function rankSumProbabilities(n, m) {
  const key = `${n} ${m}`;
  const known = knownProbabilities.get(key);
  if (known !== undefined) return known;
  const probabilities = new Float64Array(Math.floor((n * m) / 2) + 1);
  probabilities[0] = 1;
  for (let i = 1; i <= n; i++) {
    for (let u = probabilities.length - 1; u >= m + i; u--) probabilities[u] -= probabilities[u - m - i];
    // Divided by the number of arrangements step by step, or it would overflow.
    for (let u = i; u < probabilities.length; u++) probabilities[u] += probabilities[u - i];
    for (let u = 0; u < probabilities.length; u++) probabilities[u] *= i / (m + i);
  }
  knownProbabilities.set(key, probabilities);
  return probabilities;
}
