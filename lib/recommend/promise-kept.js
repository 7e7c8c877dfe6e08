// Whether a candidate keeps what is asked for at that load. Response times under open load prove it; closed loops tell only
// how much could be done, and that is said.

import { headlineMeasureOf, headlineOf } from '../cell/headline.js';
import { LEAST_ACHIEVED } from '../results/thresholds.js';
import { hasResponseTimes, rateOf } from '../verdicts/groups.js';
import { flagOf } from '../words/result-flags.js';

/** @import { Candidate, Estimate, Kept, MeasuredOutcome, PercentileName, Request, Slo } from '../types/index.js' */

/** @type {Readonly<Omit<Kept, 'verdict'>>} */
const UNTOLD = Object.freeze({ evidence: 'none', ratePerSecond: null, number: null, why: '' });

/** @param {Candidate} candidate @param {Request} request @returns {Kept} */
export function keptBy(candidate, request) {
  const { ratePerSecond: rate, slo } = request;
  if (rate === null) return { verdict: 'yes', ...UNTOLD };
  return (
    openEvidence(candidate, rate, slo) ??
    sweepEvidence(candidate, rate, slo) ??
    capacityOf(candidate, rate, slo)
  );
}

/**
 * What holds at a higher rate holds at this one, and what breaks at a lower one breaks here.
 * @param {Candidate} candidate
 * @param {number} rate
 * @param {Slo | null} slo
 * @returns {Kept | null} null: open load was not measured
 */
function openEvidence({ open }, rate, slo) {
  const judged = open.map((outcome) => ({ rate: rateOf(outcome), ...judgedAt(outcome, slo) }));
  const telling =
    judged.find((each) => each.rate >= rate && each.verdict === 'yes') ??
    judged.find((each) => each.rate <= rate && each.verdict === 'no') ??
    judged.find((each) => each.rate === rate);
  if (telling === undefined) return null;
  const { verdict, number, why } = telling;
  return { verdict, evidence: 'open', ratePerSecond: telling.rate, number, why };
}

/** @param {MeasuredOutcome} outcome @param {Slo | null} slo @returns {Pick<Kept, 'verdict' | 'number' | 'why'>} */
function judgedAt(outcome, slo) {
  if (!hasResponseTimes(outcome)) return { ...whyNoTimes(outcome), number: null };
  if (slo === null) return { verdict: 'yes', number: null, why: '' };
  const number = percentileOf(outcome, slo.percentile);
  if (number === null) return { verdict: 'unclear', number, why: 'too few answers for this percentile' };
  const verdict = number.high < slo.us ? 'yes' : number.low >= slo.us ? 'no' : 'unclear';
  return { verdict, number, why: '' };
}

/**
 * The plan was not kept. It is the transport's fault only where nothing else took the CPUs of those who send.
 * @param {MeasuredOutcome} outcome
 * @returns {Pick<Kept, 'verdict' | 'why'>}
 */
function whyNoTimes({ open, flags }) {
  if (flags.some(({ code }) => flagOf(code)?.isNoise === true))
    return { verdict: 'unclear', why: 'something else disturbed the machine' };
  return (open?.achieved ?? 1) < LEAST_ACHIEVED
    ? { verdict: 'no', why: 'it could not be sent as fast' }
    : { verdict: 'unclear', why: 'it was sent too late to tell' };
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {PercentileName} percentile
 * @returns {Estimate | null} µs, launches as samples; where only all launches together have one, without an interval
 */
function percentileOf({ open }, percentile) {
  if (open === undefined) return null;
  const { perLaunch, [percentile]: merged } = open.responseUs;
  const estimated = percentile === 'p50' || percentile === 'p99' ? perLaunch[percentile] : null;
  if (estimated !== null || merged === null) return estimated;
  return { estimate: merged, low: merged, high: merged, level: null, n: 1, method: 'range' };
}

/** @param {Candidate} candidate @param {number} rate @param {Slo | null} slo @returns {Kept | null} null: no sweep tells */
function sweepEvidence({ sweeps }, rate, slo) {
  if (slo === null) return null;
  const ofPercentile = sweeps.filter((sweep) => sweep.slo.percentile === slo.percentile);
  const kept = ofPercentile.find(
    ({ foundPerSecond, slo: { us } }) => us <= slo.us && (foundPerSecond ?? 0) >= rate,
  );
  if (kept !== undefined)
    return { verdict: 'yes', ...UNTOLD, evidence: 'open', ratePerSecond: kept.foundPerSecond };
  const broken = ofPercentile.find(
    ({ foundPerSecond, endedBy, slo: { us } }) =>
      us >= slo.us && (foundPerSecond ?? 0) < rate && (endedBy === 'found' || endedBy === 'none'),
  );
  if (broken === undefined) return null;
  return { verdict: 'no', ...UNTOLD, evidence: 'open', ratePerSecond: broken.foundPerSecond };
}

/** @param {Candidate} candidate @param {number} rate @param {Slo | null} slo @returns {Kept} */
function capacityOf({ closed }, rate, slo) {
  const telling = closed.find((outcome) => headlineMeasureOf(outcome).unit === 'per second');
  if (telling === undefined) return { verdict: 'unclear', ...UNTOLD };
  const number = headlineOf(telling);
  const isEnough = number.low >= rate && slo === null;
  const verdict = number.high < rate ? 'no' : isEnough ? 'yes' : 'unclear';
  return { verdict, ...UNTOLD, evidence: 'capacity', number };
}
