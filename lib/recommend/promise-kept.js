// Whether a candidate keeps what is asked for at that load. Response times under open load prove it; closed loops tell only
// how much could be done, and that is said.

import { headlineMeasureOf, headlineOf } from '../cell/headline.js';
import { hasResponseTimes } from '../verdicts/groups.js';

/** @import { Estimate } from '../types/launches.js' */
/** @import { MeasuredOutcome } from '../types/outcomes.js' */
/** @import { PercentileName, Slo } from '../types/plans.js' */
/** @import { Candidate, Kept, Request } from '../types/recommendations.js' */
/** @typedef {Kept['verdict']} Verdict */

const NOT_ASKED = Object.freeze({ verdict: 'yes', evidence: 'none', ratePerSecond: null, number: null });

/** @param {Candidate} candidate @param {Request} request @returns {Kept} */
export function keptBy(candidate, request) {
  const { ratePerSecond: rate, slo } = request;
  if (rate === null) return { ...NOT_ASKED };
  return (
    openEvidence(candidate, rate, slo) ??
    sweepEvidence(candidate, rate, slo) ??
    capacityOf(candidate, rate, slo)
  );
}

/** @param {MeasuredOutcome} outcome */
const rateOf = ({ cell }) => cell.ratePerSecond ?? 0;

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
  return { verdict: telling.verdict, evidence: 'open', ratePerSecond: telling.rate, number: telling.number };
}

/** @param {MeasuredOutcome} outcome @param {Slo | null} slo @returns {{ verdict: Verdict, number: Estimate | null }} */
function judgedAt(outcome, slo) {
  if (!hasResponseTimes(outcome)) return { verdict: 'no', number: null };
  if (slo === null) return { verdict: 'yes', number: null };
  const number = percentileOf(outcome, slo.percentile);
  if (number === null) return { verdict: 'unclear', number };
  return { verdict: number.high < slo.us ? 'yes' : number.low >= slo.us ? 'no' : 'unclear', number };
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
    return { verdict: 'yes', evidence: 'open', ratePerSecond: kept.foundPerSecond, number: null };
  const broken = ofPercentile.find(
    ({ foundPerSecond, endedBy, slo: { us } }) =>
      us >= slo.us && (foundPerSecond ?? 0) < rate && (endedBy === 'found' || endedBy === 'none'),
  );
  if (broken === undefined) return null;
  return { verdict: 'no', evidence: 'open', ratePerSecond: broken.foundPerSecond, number: null };
}

/** @param {Candidate} candidate @param {number} rate @param {Slo | null} slo @returns {Kept} */
function capacityOf({ closed }, rate, slo) {
  const telling = closed.find((outcome) => headlineMeasureOf(outcome).unit === 'per second');
  if (telling === undefined)
    return { verdict: 'unclear', evidence: 'none', ratePerSecond: null, number: null };
  const number = headlineOf(telling);
  const isEnough = number.low >= rate && slo === null;
  const verdict = number.high < rate ? 'no' : isEnough ? 'yes' : 'unclear';
  return { verdict, evidence: 'capacity', ratePerSecond: null, number };
}
