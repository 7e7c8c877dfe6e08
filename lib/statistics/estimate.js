// Estimates of the launches of one row, or of two. Positive quantities are estimated on a log scale: there disturbances are more
// symmetric, a ratio and its inverse agree, and no interval reaches below zero. What may be negative is estimated by
// signedRankInterval itself.

import { contrastOf, estimateOf, fitLogModel, intervalOf, levelOf } from './log-model.js';
import { signedRankInterval } from './rank-tests.js';
import { sum } from './sum.js';

/** @import { Estimate, Interval } from '../types/index.js' */

/** Of the first row from the second one. */
const DIFFERENCE = new Map([
  [0, 1],
  [1, -1],
]);

/** @param {number[]} values rates or latencies, one per launch, at least one, none negative @returns {Estimate} what is typical of them */
export function estimateTypical(values) {
  if (values.includes(0)) return signedRankInterval(values); // 0 has no logarithm
  return estimateOf(levelOf(fitLogModel([logsByBlock(values)]), 0), values.length);
}

/**
 * Of what is counted: it may be 0, which has no logarithm, and one launch that lost something must show.
 * @param {number[]} values one per launch, at least one
 * @returns {Estimate} the mean, and the extremes
 */
export function estimateMean(values) {
  const estimate = sum(values) / values.length;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { estimate, low, high, level: null, n: values.length, method: 'range' };
}

/**
 * Of launches that ran in the same blocks, so that what slowed a block down cancels.
 * @param {number[]} values one per block, at least one, all above 0
 * @param {number[]} references of the same blocks, in the same order
 * @param {number} [comparisons] of which claims hold together
 * @returns {Estimate & { simultaneous?: Interval }} how many times `references` the values are
 */
export function estimateRatio(values, references, comparisons = 1) {
  if (values.length !== references.length) {
    throw new RangeError(`pairs need lists of one length, got ${values.length} and ${references.length}`);
  }
  const model = fitLogModel([logsByBlock(values), logsByBlock(references)]);
  const contrast = contrastOf(model, DIFFERENCE);
  const ratio = estimateOf(contrast, values.length);
  return ratio.level === null ? ratio : { ...ratio, simultaneous: intervalOf(contrast, comparisons) };
}

/** @param {number[]} values @returns {Map<number, number>} */
function logsByBlock(values) {
  return new Map(values.map((value, block) => [block, Math.log(value)]));
}
