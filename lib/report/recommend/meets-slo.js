// Whether a candidate meets the request at its rate. Response times under open load prove it; closed loops show only the
// capacity, and the verdict says so.

import { headlineMeasure, readHeadline } from '../../cell/headline.js';
import { sloLabel } from '../../cell/labels.js';
import { formatCount } from '../../format/numbers.js';
import { findFlag } from '../../format/result-flags.js';
import { LEAST_ACHIEVED } from '../../results/thresholds.js';
import { hasResponseTimes, rateOf } from '../text/groups.js';
import { confirmedRate } from '../text/open-conclusion.js';
import { readResponseTime } from '../text/response-times.js';

/** @import { Candidate, Kept, MeasuredOutcome, Request, Slo } from '../../types/index.js' */

/** @type {Readonly<Omit<Kept, 'verdict'>>} */
const UNTOLD = Object.freeze({ evidence: 'none', ratePerSecond: null, number: null, why: '' });

/** @param {Candidate} candidate @param {Request} request @returns {Kept} */
export function keptBy(candidate, request) {
  const { ratePerSecond: rate, slo } = request;
  if (rate === null) return { verdict: 'yes', ...UNTOLD };
  const open = openEvidence(candidate, rate, slo);
  if (open !== null) return open;
  const capacity = judgeCapacity(candidate, rate, slo);
  return capacity.verdict === 'no' ? capacity : (searchEvidence(candidate, slo) ?? capacity);
}

/**
 * What holds at a higher rate holds at this one, and what breaks at a lower one breaks here.
 * @param {Candidate} candidate
 * @param {number} rate
 * @param {Slo | null} slo
 * @returns {Kept | null} null: open load was not measured, or only at rates that allow no conclusion
 */
function openEvidence({ open }, rate, slo) {
  const judged = open.map((outcome) => ({ rate: rateOf(outcome), ...judgedAt(outcome, slo) }));
  const telling =
    judged.find((each) => each.rate >= rate && each.verdict === 'yes') ??
    judged.find((each) => each.rate <= rate && each.verdict === 'no') ??
    judged.find((each) => each.rate >= rate && each.verdict === 'unclear');
  if (telling === undefined) return null;
  const { verdict, number, why } = telling;
  return { verdict, evidence: 'open', ratePerSecond: telling.rate, number, why };
}

/** @param {MeasuredOutcome} outcome @param {Slo | null} slo @returns {Pick<Kept, 'verdict' | 'number' | 'why'>} */
function judgedAt(outcome, slo) {
  if (!hasResponseTimes(outcome)) return { ...missingTimesReason(outcome), number: null };
  if (slo === null) return { verdict: 'yes', number: null, why: '' };
  const time = readResponseTime(outcome, slo.percentile);
  if (time === null)
    return { verdict: 'unclear', number: null, why: 'too few responses for this percentile' };
  const { us: number, isAtLeast } = time;
  if (number.low >= slo.us) return { verdict: 'no', number, why: '' };
  if (isAtLeast)
    return { verdict: 'unclear', number: null, why: 'responses were missing when the windows closed' };
  return { verdict: number.high < slo.us ? 'yes' : 'unclear', number, why: '' };
}

/**
 * The offered rate was not sustained. The transport is the cause only if nothing else took the CPUs of the senders.
 * @param {MeasuredOutcome} outcome
 * @returns {Pick<Kept, 'verdict' | 'why'>}
 */
function missingTimesReason({ open, flags }) {
  if (flags.some(({ code }) => findFlag(code)?.isNoise === true))
    return { verdict: 'unclear', why: 'something else disturbed the machine' };
  return (open?.achieved ?? 1) < LEAST_ACHIEVED
    ? { verdict: 'no', why: 'the offered rate was not sustained' }
    : { verdict: 'unclear', why: 'sends were delayed too much' };
}

/**
 * The rate that a search found is an estimate of a few launches. Only the full launches that follow it are evidence, so a
 * search alone proves neither that a promise is kept nor that it is broken.
 * @param {Candidate} candidate
 * @param {Slo | null} slo
 * @returns {Kept | null} null: nothing was searched for this percentile
 */
function searchEvidence({ sweeps, open }, slo) {
  const sweep = sweeps.find((each) => each.slo.percentile === slo?.percentile);
  if (sweep === undefined) return null;
  const confirmed = confirmedRate(sweep, open);
  const limit = sloLabel(sweep.slo);
  const why =
    sweep.foundPerSecond === null
      ? `a search found no rate that meets ${limit}, and no full launches followed it`
      : confirmed === null
        ? `full launches confirm ${limit} at no rate`
        : `full launches confirm ${limit} only up to ${formatCount(confirmed)}/s`;
  return { verdict: 'unclear', ...UNTOLD, evidence: 'open', why };
}

/** @param {Candidate} candidate @param {number} rate @param {Slo | null} slo @returns {Kept} */
function judgeCapacity({ closed }, rate, slo) {
  const telling = closed.find((outcome) => headlineMeasure(outcome).unit === 'per second');
  if (telling === undefined) return { verdict: 'unclear', ...UNTOLD };
  const number = readHeadline(telling);
  const isEnough = number.low >= rate && slo === null;
  const verdict = number.high < rate ? 'no' : isEnough ? 'yes' : 'unclear';
  return { verdict, ...UNTOLD, evidence: 'capacity', number };
}
