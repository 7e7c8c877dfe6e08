// What may be said of a ratio with its interval: faster, slower, the same, or nothing yet and how many launches more it
// takes. What is done about a verdict is up to others.

import { rankSumAlpha } from './mann-whitney.js';
import { normalQuantile, POWER_QUANTILE } from './normal.js';
import { leastOfDesign } from './ratio.js';
import { signedRankAlpha } from './signed-rank.js';

/** @import { ComparisonDesign as Design, Estimate, Verdict } from '../types/index.js' */

/** A difference is claimed where chance alone would show it once in twenty comparisons, or compares of many cells. */
export const ALPHA = 0.05;

const LEVEL_QUANTILE = normalQuantile(ALPHA / 2);

/**
 * "Same" is a claim of its own, an equivalence test: D. J. Schuirmann, Journal of Pharmacokinetics and
 * Biopharmaceutics 15 (1987). It comes first: a difference may be certain and too small to matter.
 * @param {object} known
 * @param {Pick<Estimate, 'estimate' | 'low' | 'high' | 'level'>} known.ratio
 * @param {number} known.adjustedP for all cells compared
 * @param {number} known.minEffect δ: 0.05 is 5 %, on either side: neither is 1.05 times the other
 * @returns {Verdict}
 */
export function verdictOf({ ratio, adjustedP, minEffect }) {
  if (ratio.level === null) return 'inconclusive';
  const edge = 1 + minEffect;
  if (ratio.low > 1 / edge && ratio.high < edge) return 'same';
  if (adjustedP > ALPHA) return 'inconclusive';
  return ratio.estimate > 1 ? 'faster' : 'slower';
}

/**
 * @param {Design} design
 * @param {number} comparisons
 * @returns {number} blocks, or launches a side, below which no difference of one cell among so many can be certain
 */
export function leastLaunches(design, comparisons) {
  const level = 1 - ALPHA / Math.max(1, comparisons);
  const alphaOf = (/** @type {number} */ n) =>
    design === 'interleaved' ? signedRankAlpha(n, level) : rankSumAlpha(n, n, level);
  let n = leastOfDesign(design);
  while (alphaOf(n) === null) n++;
  return n;
}

/**
 * How many launches more, if noise and estimate stay what they are, would give a verdict four times of five: until the
 * interval leaves out 1 by the correction for many cells, or lies inside ±δ, whichever takes fewer. Its width falls with
 * the root of the launches.
 * @param {object} known
 * @param {Pick<Estimate, 'estimate' | 'low' | 'high' | 'level'>} known.ratio of one that is inconclusive
 * @param {number} known.launches blocks, or launches of the smaller side
 * @param {Design} known.design
 * @param {number} known.comparisons
 * @param {number} known.minEffect
 * @returns {number} at least 1
 */
export function launchesToSettle({ ratio, launches, design, comparisons, minEffect }) {
  const missing = leastLaunches(design, comparisons) - launches;
  if (ratio.level === null) return Math.max(1, missing);
  const distance = Math.abs(Math.log(ratio.estimate));
  const standardError = Math.log(ratio.high / ratio.low) / 2 / LEVEL_QUANTILE;
  const quantile = normalQuantile(ALPHA / Math.max(1, comparisons) / 2);
  const asDifference = distance / (quantile + POWER_QUANTILE);
  const asSame = (Math.log(1 + minEffect) - distance) / (LEVEL_QUANTILE + POWER_QUANTILE);
  const needed = launches * (standardError / Math.max(asDifference, asSame)) ** 2;
  return Math.max(1, missing, Math.ceil(needed - launches));
}
