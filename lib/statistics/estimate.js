// Estimates of positive quantities, on a log scale: there disturbances are more symmetric, a ratio and its inverse
// agree, and no interval reaches below zero. What may be negative is estimated by signedRankInterval itself.

import { signedRankInterval } from './rank-tests.js';
import { sum } from './sum.js';

/** @import { Estimate } from '../types/index.js' */

/** @param {number[]} values rates or latencies, one per launch, at least one, none negative */
export function estimateMedian(values) {
  if (values.includes(0)) return signedRankInterval(values); // 0 has no logarithm
  const { estimate, low, high, ...rest } = signedRankInterval(values.map(Math.log));
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), ...rest };
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
 * @returns {Estimate} how many times `references` the values are
 */
export function estimateRatio(values, references) {
  if (values.length !== references.length) {
    throw new RangeError(`pairs need lists of one length, got ${values.length} and ${references.length}`);
  }
  return estimateMedian(values.map((value, block) => value / references[block]));
}
