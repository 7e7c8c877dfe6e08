// What the ratios of a group allow to be said. Only throughput ranks: in a closed loop the tails of latency say too
// little for it (M-12).

import { seriesLabel } from '../labels.js';
import { nameOf } from './groups.js';

/** @typedef {import('../types.js').Estimate} Estimate */
/** @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome */
/** @typedef {'more' | 'fewer' | 'unclear' | 'none'} Verdict */
/**
 * @typedef {object} Compared     one series with the reference, in one group
 * @property {string} name
 * @property {Estimate} ratio
 * @property {Verdict} verdict
 * @property {string} why         there is none; '' where there is one
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
 * @param {string} reference    label
 * @returns {Compared[]} greatest ratio first, without the reference
 */
export function comparedIn({ measured }, reference) {
  const compared = measured.flatMap((outcome) => {
    const { ratio, cell } = outcome;
    if (ratio === null || seriesLabel(cell) === reference) return [];
    const why = whyNoVerdict(outcome, ratio);
    return [{ name: nameOf(cell), ratio, verdict: why === '' ? verdictOf(ratio) : 'none', why }];
  });
  return compared.sort((left, right) => right.ratio.estimate - left.ratio.estimate);
}
