// Response times of a row under open load: with an interval, of all launches together, or as a lower bound if responses were missing when
// the window closed. Also the verdict on whether they are below a limit.

import { isNoise } from '../../format/result-flags.js';
import { US_PER_MS } from '../../format/units.js';
import { isDisturbed } from '../../results/cell-flags.js';
import { hasResponseTimes } from './groups.js';

/** @import { Estimate, Kept, MeasuredOutcome, PercentileName, Slo } from '../../types/index.js' */

/** @typedef {{ us: Estimate, isAtLeast: boolean }} ResponseTime   isAtLeast: true if responses were missing, so `us` is a lower bound */

/**
 * @param {MeasuredOutcome} outcome
 * @param {PercentileName | 'max'} percentile
 * @returns {ResponseTime | null} estimate with launches as samples, or without an interval if only all launches together have enough
 *   samples; null in closed loops, or if there are too few samples or the rate was not sustained
 */
export function readResponseTime(outcome, percentile) {
  if (outcome.open === undefined || !hasResponseTimes(outcome)) return null;
  const { perLaunch, atLeast = [], [percentile]: merged } = outcome.open.responseUs;
  const isPerLaunch = percentile === 'p50' || percentile === 'p99';
  const us = isPerLaunch ? perLaunch[percentile] : null;
  if (isPerLaunch && us !== null) return { us, isAtLeast: perLaunch.atLeast?.includes(percentile) ?? false };
  if (merged === null) return null;
  return { us: withoutInterval(merged), isAtLeast: atLeast.includes(percentile) };
}

/** @param {number} us   from the samples of all launches together @returns {Estimate} */
function withoutInterval(us) {
  return { estimate: us, low: us, high: us, level: null, n: 1, method: 'range' };
}

/** @param {MeasuredOutcome} outcome @param {Slo | null} slo @returns {Kept} */
export function judgeResponseTime(outcome, slo) {
  if (!hasResponseTimes(outcome)) return { ...missingTimesReason(outcome), number: null };
  if (slo === null) return { verdict: 'yes', number: null, why: null };
  const time = readResponseTime(outcome, slo.percentile);
  if (time === null) return { verdict: 'unclear', number: null, why: { code: 'few-responses' } };
  const { us: number, isAtLeast } = time;
  if (isExplained(outcome, slo)) return { verdict: 'no', number, why: null };
  if (number.method === 'unknown' && !isAtLeast)
    return { verdict: 'unclear', number, why: { code: 'interval-unknown' } };
  if (number.low >= slo.us)
    return mayDisturbanceExplain(outcome, number.low / slo.us)
      ? { verdict: 'unclear', number: null, why: { code: 'disturbed' } }
      : { verdict: 'no', number, why: null };
  if (isAtLeast) return { verdict: 'unclear', number: null, why: { code: 'missing-responses' } };
  if (number.high >= slo.us) return { verdict: 'unclear', number, why: { code: 'limit-in-interval' } };
  return { verdict: 'yes', number, why: null };
}

/**
 * Judges a row that has no response times because it did not sustain its offered rate. The verdict is 'no' only if nothing else may have
 * taken the CPUs of the senders.
 * @param {MeasuredOutcome} outcome
 * @returns {Pick<Kept, 'verdict' | 'why'>}
 */
function missingTimesReason(outcome) {
  return isDisturbed(outcome)
    ? { verdict: 'unclear', why: { code: 'disturbed' } }
    : { verdict: 'no', why: { code: 'generator-limited' } };
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {number} excess   response time / limit
 * @returns {boolean} true if noise may explain the excess; a slower CPU explains at most the factor by which it was slower
 */
function mayDisturbanceExplain({ flags, launches }, excess) {
  const noises = flags.filter(({ code }) => isNoise(code));
  if (noises.some(({ code }) => code !== 'frequency')) return true;
  const slower = Math.max(1, ...launches.map(({ noise }) => noise?.spinRatio ?? 1));
  return noises.length > 0 && excess <= slower;
}

/** @type {Readonly<Record<PercentileName, number>>} */
const SHARE_ABOVE = { p50: 0.5, p90: 0.1, p99: 0.01, p999: 0.001 };

/**
 * @param {MeasuredOutcome} outcome
 * @param {Slo} slo
 * @returns {boolean} true if the limit is exceeded whatever disturbs the machine: by every response, or by the time for which code of the
 *   master blocked its event loop
 */
function isExplained({ open, launches }, { percentile, us }) {
  if (Number(open?.responseUs.min) >= us) return true;
  return launches.every(({ blockedMaster }) => {
    const { longestMs = 0, share = 0 } = blockedMaster ?? {};
    // About half of the requests that are due during the longest block wait for half of it or longer.
    return (longestMs * US_PER_MS) / 2 >= us && share / 2 >= SHARE_ABOVE[percentile];
  });
}
