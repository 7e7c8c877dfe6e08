// Whether a candidate meets the request at its rate. Response times under open load prove it; closed loops show only the
// capacity, and the verdict says so.

import { headlineMeasure, readHeadline } from '../../cell/headline.js';
import { formatCount } from '../../format/numbers.js';
import { sweepTrials } from '../../results/sustained-rate.js';
import { estimateSustainedRate } from '../../statistics/rate-search.js';
import { rateOf } from '../text/groups.js';
import { judgeResponseTime } from '../text/response-times.js';

/** @import { Candidate, Kept, Request, Slo } from '../../types/index.js' */

/** @type {Readonly<Omit<Kept, 'verdict'>>} */
const UNTOLD = Object.freeze({
  evidence: 'none',
  ratePerSecond: null,
  number: null,
  sustained: null,
  why: '',
});

/** @param {Candidate} candidate @param {Request} request @returns {Kept} */
export function keptBy(candidate, request) {
  const { ratePerSecond: rate, slo } = request;
  if (rate === null) return { verdict: 'yes', ...UNTOLD };
  const open = openEvidence(candidate, rate, slo);
  const swept = sweptEvidence(candidate, rate, slo);
  if (swept === null && open !== null) return open;
  if (swept?.verdict === 'no') return swept;
  if (swept?.verdict === 'yes') return open?.verdict === 'no' ? refuted(swept, open) : swept;
  const capacity = judgeCapacity(candidate, rate, slo);
  return capacity.verdict === 'no' ? capacity : (swept ?? capacity);
}

/**
 * What holds at a higher rate holds at this one, and what breaks at a lower one breaks here.
 * @param {Candidate} candidate
 * @param {number} rate
 * @param {Slo | null} slo
 * @returns {Kept | null} null: open load was not measured, or only at rates that allow no conclusion
 */
function openEvidence({ open }, rate, slo) {
  const judged = open.map((outcome) => ({ rate: rateOf(outcome), ...judgeResponseTime(outcome, slo) }));
  const telling =
    judged.find((each) => each.rate >= rate && each.verdict === 'yes') ??
    judged.find((each) => each.rate <= rate && each.verdict === 'no') ??
    judged.find((each) => each.rate >= rate && each.verdict === 'unclear');
  if (telling === undefined) return null;
  const { verdict, number, why } = telling;
  return { ...UNTOLD, verdict, evidence: 'open', ratePerSecond: telling.rate, number, why };
}

/**
 * All launches under open load of a cell with a sweep, those of its search and all others: the interval of the rate that nine
 * of ten sustain decides. Beyond the rates that were tried it is the prior that speaks, which is no evidence.
 * @param {Candidate} candidate
 * @param {number} rate
 * @param {Slo | null} slo
 * @returns {Kept | null} null: nothing was searched for this limit
 */
function sweptEvidence({ sweeps, open }, rate, slo) {
  const own = sweeps.filter((each) => each.slo.percentile === slo?.percentile && each.slo.us === slo.us);
  if (own.length === 0) return null;
  const [{ guessPerSecond = null }] = own;
  // Each launch once: those of the curve are of this cell, whichever sweep they followed.
  const trials = own.flatMap((sweep, place) => sweepTrials(sweep, place === 0 ? open : []));
  const ratesOf = (/** @type {boolean} */ wanted) =>
    trials.filter(({ keeps }) => keeps === wanted).map(({ ratePerSecond }) => ratePerSecond);
  const [highestKept, lowestBroken] = [Math.max(...ratesOf(true)), Math.min(...ratesOf(false))];
  const sustained = estimateSustainedRate(trials, guessPerSecond);
  const told = { ...UNTOLD, evidence: /** @type {const} */ ('sustained'), sustained };
  if (sustained === null) {
    const verdict = lowestBroken <= rate ? 'no' : 'unclear';
    return { ...told, verdict, why: 'no launch of a sweep met it' };
  }
  const { low, high, isBounded } = sustained;
  if (low >= rate && highestKept >= rate) return { ...told, verdict: 'yes' };
  const isBelow = isBounded && high < rate && lowestBroken <= rate;
  return { ...told, verdict: isBelow ? 'no' : 'unclear' };
}

/** @param {Kept} swept @param {Kept} open @returns {Kept} full launches at a rate refute what the model says of it */
function refuted(swept, { ratePerSecond }) {
  const why = `the launches at ${formatCount(ratePerSecond ?? 0)}/s do not keep it`;
  return { ...swept, verdict: 'unclear', why };
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
