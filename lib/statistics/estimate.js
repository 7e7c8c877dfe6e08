// Estimates from the launches of one or two rows. Rates, latencies and their ratios are estimated on a log scale, on which disturbances are
// more symmetric, a ratio and its inverse agree, and no interval reaches below zero. signedRankInterval() estimates quantities that may be
// negative.

import { computeLevel, fitLogModel, logsByGroup, makeEstimate } from './log-model.js';
import { signedRankInterval } from './rank-tests.js';
import { pairedTest } from './ratio.js';
import { sum } from './sum.js';

/** @import { Estimate } from '../types/index.js' */

/** @param {number[]} values rates or latencies, one per launch, at least one, none negative @returns {Estimate} */
export function estimateTypical(values) {
  if (values.includes(0)) return signedRankInterval(values); // 0 has no logarithm
  return makeEstimate(computeLevel(fitLogModel([logsByGroup(values)]), 0), values.length);
}

/** @param {Estimate} estimate @param {number} factor   above 0 @returns {Estimate} */
export function scaleEstimate({ estimate, low, high, ...rest }, factor) {
  return { ...rest, estimate: estimate * factor, low: low * factor, high: high * factor };
}

/**
 * Estimates counts, which may be 0 and are reported even for a single launch.
 * @param {number[]} values one per launch, at least one
 * @returns {Estimate} the mean, with the extremes instead of an interval
 */
export function estimateMean(values) {
  const estimate = sum(values) / values.length;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { estimate, low, high, level: null, n: values.length, method: 'range' };
}

/**
 * Estimates the ratio of values from the same groups, so that the disturbances of a group cancel.
 * @param {number[]} values one per group, at least one, all above 0
 * @param {number[]} references the same groups in the same order
 * @returns {Estimate} values / references
 */
export function estimateRatio(values, references) {
  if (values.length !== references.length) {
    throw new RangeError(`pairs need lists of one length, got ${values.length} and ${references.length}`);
  }
  return pairedTest({ old: references, new: values }).ratio;
}
