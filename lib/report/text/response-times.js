// Response times of a row under open load, as they may be said: with an interval, of all launches together, or as a bound
// where answers were missing when the window closed.

import { formatInterval, formatNumber } from '../../format/numbers.js';
import { hasResponseTimes } from './groups.js';

/** @import { Estimate, MeasuredOutcome, PercentileName } from '../../types/index.js' */
/** @typedef {{ us: Estimate, isAtLeast: boolean }} ResponseTime   isAtLeast: some launch had so much unanswered that it is a lower bound */

/**
 * @param {MeasuredOutcome} outcome
 * @param {PercentileName | 'max'} percentile
 * @returns {ResponseTime | null} launches as samples; where only all of them together have enough samples, without an interval. null: too
 *   few samples, or the plan was not kept
 */
export function readResponseTime(outcome, percentile) {
  if (outcome.open === undefined || !hasResponseTimes(outcome)) return null;
  const { perLaunch, atLeast = [], [percentile]: merged } = outcome.open.responseUs;
  const isPerLaunch = percentile === 'p50' || percentile === 'p99';
  const us = isPerLaunch ? perLaunch[percentile] : null;
  if (isPerLaunch && us !== null) return { us, isAtLeast: perLaunch.atLeast?.includes(percentile) ?? false };
  if (merged === null) return null;
  const alone = { estimate: merged, low: merged, high: merged };
  return {
    us: { ...alone, level: null, n: 1, method: 'range' },
    isAtLeast: atLeast.includes(percentile),
  };
}

/** @param {ResponseTime} time @returns {string} µs: '310 (290–340)', '> 12,300' */
export function responseTimeText({ us, isAtLeast }) {
  return isAtLeast ? `> ${formatNumber(us.estimate)}` : formatInterval(us);
}
