// The verdict on a ratio by its interval: faster, slower, the same, or inconclusive with the number of further launches that are needed.
// Also the smallest difference that any output claims, and Holm's correction.

import { printedRatioEnds } from '../format/numbers.js';
import { normalTail, POWER } from './normal.js';
import { errorsToFind } from './ratio.js';
import { studentQuantile } from './student.js';

/** @import { Estimate, Interval, Verdict } from '../types/index.js' */

// With fewer launches, the noise is too uncertain to estimate how many are needed. With 6, the estimate was tested by simulation.
const MIN_TO_ESTIMATE = 6;

/** Probability of any false difference among all compared cells. */
export const ALPHA = 0.05;

// A difference only has to be visible in the printed interval, since the user's limit decides which differences matter.
const SEEN_ABOVE_ONE = 0.0001;

/**
 * 'same' is the result of an equivalence test: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987). It is checked
 * first, since a difference may be certain but too small to matter.
 * @param {object} known
 * @param {Pick<Estimate, 'estimate' | 'low' | 'high' | 'level'>} known.ratio
 * @param {number} known.adjustedP for all cells compared
 * @param {number} known.minEffect δ: sides are the same if the whole interval of their ratio lies between 1 / (1 + δ) and 1 + δ
 * @returns {Verdict}
 */
export function decideVerdict({ ratio, adjustedP, minEffect }) {
  if (ratio.level === null) return 'inconclusive';
  const edge = 1 + minEffect;
  if (ratio.low > 1 / edge && ratio.high < edge) return 'same';
  const side = claimDirection(ratio, SEEN_ABOVE_ONE);
  if (adjustedP > ALPHA || side === 0) return 'inconclusive';
  return side > 0 ? 'faster' : 'slower';
}

/**
 * Applies to sides in the same groups, before the run.
 * @param {number} groups
 * @param {number} comparisons
 * @param {number} deviation   standard deviation of the logarithm of a ratio between groups
 * @returns {number} the smallest ratio above 1 that is detected with 80 % power
 */
export function plannedDetectableRatio(groups, comparisons, deviation) {
  const degrees = Math.max(1, groups - 1);
  return Math.exp((deviation / Math.sqrt(groups)) * errorsToFind(ALPHA / Math.max(1, comparisons), degrees));
}

/**
 * Estimates how many more launches give a verdict with 80 % power if noise and estimate stay the same: until the interval corrected for
 * the comparisons excludes 1, or the uncorrected one lies between 1 / (1 + δ) and 1 + δ. The standard error falls with the root of the
 * number of launches.
 * @param {object} known
 * @param {Pick<Estimate, 'estimate' | 'level'>} known.ratio an inconclusive one
 * @param {number} known.standardError of its logarithm
 * @param {number} known.degrees of freedom of the standard error
 * @param {number} known.launches groups, or launches of the smaller side
 * @param {number} known.comparisons
 * @param {number} known.minEffect
 * @returns {number | null} at least 1; null if too few launches were made for an estimate
 */
export function launchesToSettle({ ratio, standardError, degrees, launches, comparisons, minEffect }) {
  if (ratio.level === null || launches < MIN_TO_ESTIMATE) return null;
  const distance = Math.abs(Math.log(ratio.estimate));
  const alpha = ALPHA / Math.max(1, comparisons);
  /** @param {number} n */
  const isSettledBy = (n) => {
    const error = standardError * Math.sqrt(launches / n);
    const known = (degrees * (n - 1)) / (launches - 1);
    return (
      distance >= error * errorsToFind(alpha, known) ||
      powerOfSame(distance / error, Math.log(1 + minEffect) / error, studentQuantile(ALPHA / 2, known)) >=
        POWER
    );
  };
  return leastThat(isSettledBy, launches) - launches;
}

/**
 * Source: D. J. Schuirmann, as above.
 * @param {number} distance from 1, in standard errors
 * @param {number} edge in standard errors
 * @param {number} margin half the interval, in standard errors
 * @returns {number} probability that the whole interval lies within the edges
 */
function powerOfSame(distance, edge, margin) {
  return 1 - normalTail(edge - distance - margin) - normalTail(edge + distance - margin);
}

/**
 * @param {(n: number) => boolean} holds   false up to some number and true above
 * @param {number} least
 * @returns {number} the least n above `least` for which `holds` is true, or a very large one
 */
function leastThat(holds, least) {
  let [no, yes] = [least, least + 1];
  while (!holds(yes) && yes < Number.MAX_SAFE_INTEGER / 2) [no, yes] = [yes, 2 * yes];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

// Decides when a ratio is called a difference, in tables, sentences, charts, recommendations and comparisons. It uses the printed interval,
// so that no sentence contradicts the number beside it.

/** A difference is claimed only if the nearer end of the interval is at least this far from 1. */
export const MIN_CLAIM = 0.02;

/**
 * @param {Pick<Estimate, 'estimate' | 'low' | 'high'> & { simultaneous?: Interval }} ratio   simultaneous: the interval that holds
 *   together with the other intervals of its table
 * @param {number} [margin]
 * @returns {-1 | 0 | 1} 1 if the printed interval lies at 1 + margin or above, -1 if it lies at 1 - margin or below
 */
export function claimDirection(ratio, margin = MIN_CLAIM) {
  const [low, high] = printedRatioEnds(ratio);
  if (low >= 1 + margin) return 1;
  return high <= 1 - margin ? -1 : 0;
}

// Adjusts the p of many comparisons, so that the probability of any false alarm is at most the significance level.

/**
 * Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979).
 * @param {readonly number[]} ps
 * @returns {number[]} adjusted p, in the same order
 */
export function holmAdjusted(ps) {
  const ascending = ps.map((p, index) => ({ p, index })).sort((left, right) => left.p - right.p);
  const adjusted = [...ps];
  let greatest = 0;
  for (const [step, { p, index }] of ascending.entries()) {
    greatest = Math.max(greatest, Math.min(1, (ps.length - step) * p));
    adjusted[index] = greatest;
  }
  return adjusted;
}
