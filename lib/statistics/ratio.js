// Estimates and tests the ratio of two rows, and computes the smallest ratio that a test detects.

import {
  computeDifference,
  computeLevel,
  computeP,
  differenceApart,
  fitLogModel,
  logsByGroup,
  makeEstimate,
} from './log-model.js';
import { normalQuantile, POWER, POWER_QUANTILE } from './normal.js';
import { studentQuantile } from './student.js';

/** @import { Estimate } from '../types/index.js' */
/** @import { Contrast, LogModel } from './log-model.js' */
/** @typedef {{ old: number[], new: number[] }} Samples   all above 0 */
/**
 * @typedef {object} RatioTest
 * @property {Estimate} ratio
 * @property {number} standardError    of the logarithm of the ratio; NaN for too few launches
 * @property {number} degrees          of freedom of the standard error
 * @property {number | null} p         for a true ratio of 1, or null if there are too few launches for a test
 * @property {(edge: number) => number} pBeyond    p for a true ratio no farther from 1 than `edge` (above 1); 1 if `p` is null
 */

/**
 * @param {Contrast} contrast   the difference of the two rows
 * @param {number} n            groups of both rows, or launches of the row with fewer
 * @returns {RatioTest}
 */
function testRatio(contrast, n) {
  const { difference, standardError, degrees } = contrast;
  const ratio = makeEstimate(contrast, n);
  const isEnough = ratio.level !== null;
  return {
    ratio,
    standardError: isEnough ? standardError : Number.NaN,
    degrees,
    p: isEnough ? computeP(contrast) : null,
    pBeyond: (edge) => (isEnough ? computeP(contrast, Math.sign(difference) * Math.log(edge)) : 1),
  };
}

/**
 * Tests the ratio of two rows in the same groups.
 * @param {LogModel} model
 * @param {number} newRow
 * @param {number} oldRow   with a group that the new row has, too
 * @returns {RatioTest}
 */
export function rowTest(model, newRow, oldRow) {
  const compared = computeDifference(model, newRow, oldRow);
  if (compared === null) throw new RangeError('a ratio needs a group that both sides have');
  return testRatio(compared.contrast, compared.n);
}

/**
 * Tests the ratio of two levels of separate runs, whose groups are independent.
 * @param {{ old: Contrast, new: Contrast }} levels   with the uncertainty of the groups
 * @param {number} n   launches of the side with fewer
 * @returns {RatioTest}
 */
export function apartTest({ old, new: newLevel }, n) {
  return testRatio(differenceApart(newLevel, old), n);
}

/** @param {Samples} samples of separate runs, at least one per side @returns {RatioTest} */
export function separateTest(samples) {
  const [old, newLevel] = [samples.old, samples.new].map((own) =>
    computeLevel(fitLogModel([logsByGroup(own)]), 0),
  );
  return apartTest({ old, new: newLevel }, Math.min(samples.old.length, samples.new.length));
}

/** @param {Samples} samples of the same groups in the same order, at least one @returns {RatioTest} */
export function pairedTest(samples) {
  return rowTest(fitLogModel([samples.new, samples.old].map(logsByGroup)), 0, 1);
}

// The smallest difference that a run of this size and noise detects with 80 % power.

/**
 * Source of the form: J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", chapter 2.
 * @param {RatioTest} test
 * @param {number} [level]   confidence level of the test
 * @returns {number | null} the smallest true ratio above 1 that a run of this size and noise detects with 80 % power; null without a test
 *   or for strong noise
 */
export function detectableRatio({ p, standardError, degrees }, level = 0.95) {
  return p === null ? null : ratioOrNull(standardError * errorsToFind(1 - level, degrees));
}

/**
 * The last factor of the result corrects for a standard error that is estimated from few launches. It was fitted to 20,000 simulated pairs
 * of a run that states its detectable effect and a run that tests for it, with 2 to 40 degrees and levels of 1 to 24 comparisons.
 * @param {number} alpha   type I error rate of the test
 * @param {number} degrees of freedom
 * @returns {number} size of an effect that is detected with 80 % power, in standard errors
 */
export function errorsToFind(alpha, degrees) {
  const quantiles = studentQuantile(alpha / 2, degrees) + studentQuantile(1 - POWER, degrees);
  return quantiles * (1 + (0.37 * (normalQuantile(alpha / 2) + POWER_QUANTILE)) / degrees);
}

/** @param {number} log @returns {number | null} the ratio with this logarithm; null on overflow, when noise hides any difference */
function ratioOrNull(log) {
  const ratio = Math.exp(log);
  return Number.isFinite(ratio) ? ratio : null;
}
