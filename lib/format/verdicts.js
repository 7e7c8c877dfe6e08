// What the ratios of a group allow to be said. Only throughput ranks: in a closed loop the tails of latency say too
// little for it (M-12).

import { seriesLabel } from '../labels.js';
import { nameOf } from './groups.js';
import { kindsIn } from './kinds.js';

/** @typedef {import('../types.js').Estimate} Estimate */
/** @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome */
/** @typedef {import('../types.js').Results} Results */
/** @typedef {'more' | 'fewer' | 'unclear' | 'none'} Verdict */
/**
 * @typedef {object} Compared     one series with the reference, in one group
 * @property {string} name
 * @property {Estimate} ratio
 * @property {Verdict} verdict
 * @property {string} why         there is none; '' where there is one
 * @property {string} kind        in what it is not like the reference, so that it is set apart; '' in nothing
 */

// With fewer there is no 95 % signed-rank interval: the widest one holds with probability 1 - 2 / 2^n.
const LEAST_LAUNCHES = 6;

/**
 * @param {MeasuredOutcome} outcome
 * @param {Estimate} ratio
 * @returns {string}
 */
function whyNoVerdict(outcome, ratio) {
  if (ratio.level === null) return `fewer than ${LEAST_LAUNCHES}`;
  return outcome.flags.some(({ code }) => code === 'quick') ? 'a quick run' : '';
}

/**
 * @param {Estimate} ratio    with an interval
 * @returns {Verdict}
 */
function verdictOf({ low, high }) {
  if (low > 1) return 'more';
  return high < 1 ? 'fewer' : 'unclear';
}

/**
 * @param {import('./groups.js').Group} group
 * @param {Results} results
 * @returns {Compared[]} greatest ratio first, without the reference
 */
export function comparedIn({ measured }, results) {
  const kindIn = kindsIn(results);
  const compared = measured.flatMap((outcome) => {
    const { ratio, cell } = outcome;
    if (ratio === null || seriesLabel(cell) === results.reference) return [];
    const why = whyNoVerdict(outcome, ratio);
    const verdict = why === '' ? verdictOf(ratio) : /** @type {const} */ ('none');
    return [{ name: nameOf(cell), ratio, verdict, why, kind: kindIn(cell) }];
  });
  return compared.sort((left, right) => right.ratio.estimate - left.ratio.estimate);
}
