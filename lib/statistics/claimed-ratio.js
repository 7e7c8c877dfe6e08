// From where on a ratio may be called a difference: the one rule of tables, sentences, charts, recommendations and
// comparisons. It goes by the interval as it is printed, so that no sentence stands beside a number that refutes it.

import { printedRatioEnds } from '../format/numbers.js';

/** @import { Estimate } from '../types/index.js' */

/** How far from 1 the nearer end of the interval lies at the least: a run of many rows does not claim less. */
export const LEAST_CLAIM = 0.02;

/**
 * @param {Pick<Estimate, 'estimate' | 'low' | 'high'>} ratio
 * @param {number} [margin]
 * @returns {-1 | 0 | 1} 1: it is above 1, by an interval that is printed from 1.02 or higher; -1: it is below, up to 0.98 or
 *   lower; 0: neither may be claimed
 */
export function claimDirection(ratio, margin = LEAST_CLAIM) {
  const [low, high] = printedRatioEnds(ratio);
  if (low >= 1 + margin) return 1;
  return high <= 1 - margin ? -1 : 0;
}
