// How many times as fast the new side is: the ratio of two groups of speeds with interval and p, by the test that fits
// how they were measured.

import { normalQuantile, POWER_QUANTILE } from './normal.js';
import {
  LEAST_A_SIDE,
  LEAST_PAIRS,
  rankSumAlpha,
  rankSumP,
  rankSumShift,
  signedRankAlpha,
  signedRankInterval,
  signedRankP,
} from './rank-tests.js';
import { sum, sumBy } from './sum.js';

/** @import { ComparisonDesign as Design, Estimate } from '../types/index.js' */
/** @typedef {{ old: number[], new: number[] }} Samples   all above 0; interleaved: of the same blocks, in the same order */
/**
 * @typedef {object} RatioTest
 * @property {Estimate} ratio
 * @property {number} standardError    of the logarithm of the ratio, by the spread of the launches; NaN: too few for one
 * @property {number | null} p         that the true ratio is 1; null: too few launches for a test
 * @property {(edge: number) => number} pBeyond    that the true ratio is not farther from 1 than this one
 */

/** @param {Design} design @returns {number} */
export function leastOfDesign(design) {
  return design === 'interleaved' ? LEAST_PAIRS : LEAST_A_SIDE;
}

/** @param {Samples} samples at least one a side @param {Design} design @returns {RatioTest} */
export function ratioTest(samples, design) {
  const [old, fresh] = [samples.old.map(Math.log), samples.new.map(Math.log)];
  const n = Math.min(old.length, fresh.length);
  const isEnough = n >= leastOfDesign(design);
  const differences = fresh.map((log, block) => log - old[block]);
  const shift = design === 'interleaved' ? signedRankInterval(differences) : rankSumShift(fresh, old);
  const pAt = (/** @type {number} */ doubted) =>
    design === 'interleaved' ? signedRankP(differences, doubted) : rankSumP(fresh, old, doubted);
  const level = isEnough ? shift.level : null;
  /** @type {Estimate['method']} */
  const method = level === null ? 'range' : design === 'interleaved' ? 'signed-rank' : 'rank-sum';
  const [estimate, low, high] = [shift.estimate, shift.low, shift.high].map(Math.exp);
  return {
    ratio: { estimate, low, high, level, n, method },
    standardError:
      design === 'interleaved'
        ? standardErrorPaired(samples.new, samples.old)
        : standardErrorApart(samples.new, samples.old),
    p: isEnough ? pAt(0) : null,
    pBeyond: (edge) => (isEnough ? pAt(estimate > 1 ? Math.log(edge) : -Math.log(edge)) : 1),
  };
}

// How large a difference must be for a run of this size and noise to find it four times of five: what belongs beside
// 'no difference'.

/**
 * Of launches that ran in the same blocks.
 * Source of the form: J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", chapter 2 (paired samples).
 * @param {number[]} values one per block, all above 0
 * @param {number[]} references of the same blocks, in the same order
 * @param {number} [level] of the test that looks for it
 * @returns {number | null} the smallest true ratio above 1 that such a run tells from 1 four times of five; null where
 *   the blocks are too few for any verdict at this level (below 6 at 95 %)
 */
export function detectableRatio(values, references, level = 0.95) {
  const n = values.length;
  const alpha = signedRankAlpha(n, level);
  if (alpha === null) return null;
  return ratioOrNull(standardErrorPaired(values, references) * errorsToFind('interleaved', alpha, n));
}

/**
 * Of two runs that were made apart.
 * Source of the form: J. Cohen, as above (independent samples): 2.8 · CV · √(2/n) of many launches.
 * @param {number[]} values all above 0
 * @param {number[]} references all above 0
 * @param {number} [level] of the test that looks for it
 * @returns {number | null} the smallest true ratio above 1 that such runs tell from 1 four times of five; null where
 *   the launches are too few for any verdict at this level
 */
export function detectableRatioApart(values, references, level = 0.95) {
  const [n, m] = [values.length, references.length];
  const alpha = rankSumAlpha(n, m, level);
  if (alpha === null || n + m < 3) return null;
  const launches = 2 / (1 / n + 1 / m);
  return ratioOrNull(standardErrorApart(values, references) * errorsToFind('separate', alpha, launches));
}

/**
 * @param {number[]} values at least two, all above 0
 * @param {number[]} references of the same blocks, in the same order
 * @returns {number} of the mean of the logarithms of their ratios
 */
export function standardErrorPaired(values, references) {
  const n = values.length;
  const logs = values.map((value, block) => Math.log(value / references[block]));
  return Math.sqrt(squaresAroundMean(logs) / (n - 1) / n);
}

/**
 * @param {number[]} values all above 0
 * @param {number[]} references all above 0; three in both lists at the least
 * @returns {number} of the difference of the means of their logarithms, which are taken to differ alike on both sides
 */
export function standardErrorApart(values, references) {
  const [n, m] = [values.length, references.length];
  const squares = squaresAroundMean(values.map(Math.log)) + squaresAroundMean(references.map(Math.log));
  return Math.sqrt((squares / (n + m - 2)) * (1 / n + 1 / m));
}

/**
 * Makes up for the few values that the standard deviation is known from, and for ranks instead of values: fitted to 6,000
 * simulated pairs of a run that states its effect and a run that looks for it, n from 6 to 40, levels of 1 to 100 comparisons.
 * @type {Readonly<Record<Design, (x: number) => number>>}
 */
const CORRECTION_OF_FEW = Object.freeze({
  interleaved: (x) => 1 + 0.28 * x + 0.1 * x ** 3,
  separate: (x) => 1 + 0.2 * x,
});

/**
 * @param {Design} design
 * @param {number} alpha that the test has
 * @param {number} n blocks, or launches a side
 * @returns {number} the standard errors that an effect must have to be found four times of five; 2.8 of many launches at
 *   the 5 % level
 */
export function errorsToFind(design, alpha, n) {
  const quantiles = normalQuantile(alpha / 2) + POWER_QUANTILE;
  return quantiles * CORRECTION_OF_FEW[design](quantiles ** 2 / n);
}

/** @param {number} log @returns {number | null} null: noise so wild that no difference is large enough */
function ratioOrNull(log) {
  const ratio = Math.exp(log);
  return Number.isFinite(ratio) ? ratio : null;
}

/** @param {number[]} values */
function squaresAroundMean(values) {
  const mean = sum(values) / values.length;
  return sumBy(values, (value) => (value - mean) ** 2);
}
