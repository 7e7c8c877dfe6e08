// The ratio of two sets of speeds with interval and p, by a paired test for common groups and a rank test for separate runs.

import { differenceOf, estimateOf, fitLogModel, LEAST_LAUNCHES, pOf } from './log-model.js';
import { normalQuantile, POWER, POWER_QUANTILE } from './normal.js';
import { LEAST_A_SIDE, rankSumAlpha, rankSumP, rankSumShift } from './rank-tests.js';
import { studentQuantile } from './student.js';
import { sum, sumBy } from './sum.js';

/** @import { ComparisonDesign as Design, Estimate } from '../types/index.js' */
/** @import { LogModel } from './log-model.js' */
/** @typedef {{ old: number[], new: number[] }} Samples   all above 0 */
/**
 * @typedef {object} RatioTest
 * @property {Estimate} ratio
 * @property {number} standardError    of the logarithm of the ratio; NaN for too few launches
 * @property {number} degrees          of freedom of the standard error
 * @property {number | null} p         for a true ratio of 1, or null if there are too few launches for a test
 * @property {(edge: number) => number} pBeyond    p for a true ratio no farther from 1 than `edge` (above 1); 1 if `p` is null
 */

/** @param {Design} design @returns {number} */
export function leastOfDesign(design) {
  return design === 'interleaved' ? LEAST_LAUNCHES : LEAST_A_SIDE;
}

/**
 * Tests the ratio of two rows in the same groups.
 * @param {LogModel} model
 * @param {number} fresh   row of the new side
 * @param {number} old     row of the old side, with a common group
 * @returns {RatioTest}
 */
export function rowTest(model, fresh, old) {
  const compared = differenceOf(model, fresh, old);
  if (compared === null) throw new RangeError('a ratio needs a group that both sides have');
  const { contrast, n } = compared;
  const { difference, standardError, degrees } = contrast;
  const ratio = estimateOf(contrast, n);
  const isEnough = ratio.level !== null;
  return {
    ratio,
    standardError: isEnough ? standardError : Number.NaN,
    degrees,
    p: isEnough ? pOf(contrast) : null,
    pBeyond: (edge) => (isEnough ? pOf(contrast, Math.sign(difference) * Math.log(edge)) : 1),
  };
}

/** @param {Samples} samples at least one group, in the same order @returns {RatioTest} */
export function pairedTest(samples) {
  const rows = [samples.new, samples.old].map(
    (own) => new Map(own.map((value, group) => [group, Math.log(value)])),
  );
  return rowTest(fitLogModel(rows), 0, 1);
}

/** @param {Samples} samples of separate runs, at least one per side @returns {RatioTest} */
export function separateTest(samples) {
  const [old, fresh] = [samples.old.map(Math.log), samples.new.map(Math.log)];
  const n = Math.min(old.length, fresh.length);
  const isEnough = n >= LEAST_A_SIDE;
  const shift = rankSumShift(fresh, old);
  const level = isEnough ? shift.level : null;
  const [estimate, low, high] = [shift.estimate, shift.low, shift.high].map(Math.exp);
  const pAt = (/** @type {number} */ doubted) => rankSumP(fresh, old, doubted);
  return {
    ratio: { estimate, low, high, level, n, method: level === null ? 'range' : 'rank-sum' },
    standardError: standardErrorApart(samples.new, samples.old),
    degrees: old.length + fresh.length - 2,
    p: isEnough ? pAt(0) : null,
    pBeyond: (edge) => (isEnough ? pAt(estimate > 1 ? Math.log(edge) : -Math.log(edge)) : 1),
  };
}

// The smallest difference that a run of this size and noise detects with 80 % power.

/**
 * Applies to sides in the same groups.
 * Source of the form: J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", chapter 2 (paired samples).
 * @param {RatioTest} test
 * @param {number} [level] of the test
 * @returns {number | null} the smallest true ratio above 1 that such a run detects with 80 % power; null without a test or for strong noise
 */
export function detectableRatio({ p, standardError, degrees }, level = 0.95) {
  return p === null ? null : ratioOrNull(standardError * errorsToFind(1 - level, degrees));
}

/**
 * The last factor corrects for a standard error that is estimated from few launches. It was fitted to 20,000 simulated pairs of a run that
 * states its detectable effect and a run that tests for it, with 2 to 40 degrees and levels of 1 to 24 comparisons.
 * @param {number} alpha of the test
 * @param {number} degrees of freedom
 * @returns {number} size of an effect that is detected with 80 % power, in standard errors
 */
export function errorsToFind(alpha, degrees) {
  const quantiles = studentQuantile(alpha / 2, degrees) + studentQuantile(1 - POWER, degrees);
  return quantiles * (1 + (0.37 * (normalQuantile(alpha / 2) + POWER_QUANTILE)) / degrees);
}

/**
 * Applies to two separate runs.
 * Source of the form: J. Cohen, as above (independent samples): 2.8 · CV · √(2/n) of many launches.
 * @param {number[]} values all above 0
 * @param {number[]} references all above 0
 * @param {number} [level] of the test
 * @returns {number | null} the smallest true ratio above 1 that such runs detect with 80 % power; null with too few launches for a
 *   verdict at this level, or with too much noise
 */
export function detectableRatioApart(values, references, level = 0.95) {
  const [n, m] = [values.length, references.length];
  const alpha = rankSumAlpha(n, m, level);
  if (alpha === null || n + m < 3) return null;
  const launches = 2 / (1 / n + 1 / m);
  return ratioOrNull(standardErrorApart(values, references) * errorsToFindByRanks(alpha, launches));
}

/**
 * @param {number[]} values all above 0
 * @param {number[]} references all above 0; at least three values in both lists together
 * @returns {number} standard error of the difference of the means of logarithms, assuming equal variances
 */
export function standardErrorApart(values, references) {
  const [n, m] = [values.length, references.length];
  const squares = squaresAroundMean(values.map(Math.log)) + squaresAroundMean(references.map(Math.log));
  return Math.sqrt((squares / (n + m - 2)) * (1 / n + 1 / m));
}

/**
 * Corrects for a standard deviation that is estimated from few values, and for the test by ranks. Fitted to 6,000 simulated pairs of a run
 * that states its detectable effect and a run that tests for it, with n from 6 to 40 and levels of 1 to 100 comparisons.
 * @param {number} alpha of the test
 * @param {number} n launches per side
 * @returns {number} size of an effect that is detected with 80 % power, in standard errors; 2.8 for many launches at the 5 % level
 */
export function errorsToFindByRanks(alpha, n) {
  const quantiles = normalQuantile(alpha / 2) + POWER_QUANTILE;
  return quantiles * (1 + (0.2 * quantiles ** 2) / n);
}

/** @param {number} log @returns {number | null} null if the noise is too strong for any difference */
function ratioOrNull(log) {
  const ratio = Math.exp(log);
  return Number.isFinite(ratio) ? ratio : null;
}

/** @param {number[]} values */
function squaresAroundMean(values) {
  const mean = sum(values) / values.length;
  return sumBy(values, (value) => (value - mean) ** 2);
}
