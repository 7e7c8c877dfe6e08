// What open load says, in sentences: how long answers take at the rate that all kept, what could not keep its plan, and
// what a sweep found and full launches confirmed.

import { operationOf } from '../cell/headline.js';
import { cellLabel, sloLabel } from '../cell/labels.js';
import { GREATEST_LAG_SHARE, LEAST_ACHIEVED } from '../results/thresholds.js';
import { listed } from '../words/lists.js';
import { formatCount, formatNumber, formatPercent, NOTHING } from '../words/numbers.js';
import { WARM_OPERATIONS } from '../words/result-flags.js';
import {
  groupsOf,
  hasResponseTimes,
  isMeasured,
  isOpen,
  nameOf,
  placeNamer,
  rateOf,
  rowNameOf,
} from './groups.js';
import { kindsIn } from './kinds.js';
import { responseTimeOf, responseTimeText } from './response-times.js';
import { sweepEndText } from './sweep-end.js';

/** @import { MeasuredOutcome, Outcome, PercentileName, Results, Slo, Sweep } from '../types/index.js' */
/** @import { Group } from './groups.js' */

const GREATEST_GROUPS_TOLD = 2;

/** Said wherever response times of open load are shown. */
export const OPEN_LOAD_SENTENCE =
  'Open load: what is sent follows a plan, answered or not, and response times run from the planned instant, so that a stall counts for all that it made wait.';

/** The same in one line. */
const BRIEF_OPEN_LOAD_SENTENCE =
  'Open load: response times run from the planned instant: a stall counts for all that it made wait.';

/** @param {MeasuredOutcome} outcome @param {PercentileName} percentile @returns {number | null} µs of response time */
function responseOf({ open }, percentile) {
  return open?.responseUs[percentile] ?? null;
}

/** @param {MeasuredOutcome} outcome @param {'p50' | 'p99'} percentile @returns {string} '310 (290–340) µs', '> 12,300 µs' */
function responseText(outcome, percentile) {
  const time = responseTimeOf(outcome, percentile);
  return `${time === null ? NOTHING : responseTimeText(time)} µs`;
}

/**
 * @param {Group} group
 * @param {import('./kinds.js').KindIn} kindIn
 * @returns {string[]} the p99 of each row at the highest rate that all of them kept
 */
function responseSentence({ place, measured }, kindIn) {
  const rates = [...new Set(measured.map(rateOf))].sort((a, b) => b - a);
  const at = (/** @type {number} */ rate) => measured.filter(({ cell }) => cell.ratePerSecond === rate);
  const best = rates.find((rate) => at(rate).every(hasResponseTimes));
  if (best === undefined) return [];
  const percentile = at(best).some((outcome) => responseOf(outcome, 'p99') === null) ? 'p50' : 'p99';
  const rows = at(best)
    .sort((left, right) => (responseOf(left, percentile) ?? 0) - (responseOf(right, percentile) ?? 0))
    .map((outcome) => {
      const kind = kindIn(outcome.cell);
      return `${nameOf(outcome.cell)}${kind === '' ? '' : ` (${kind})`} ${responseText(outcome, percentile)}`;
    });
  const which =
    rates.length === 1 ? '' : best === rates[0] ? ', the highest rate,' : ', the highest that all kept,';
  const name = percentile === 'p99' ? 'p99' : 'p50, too few samples for p99';
  return [`Response time (${name}) at ${formatCount(best)}/s${which} ${place}: ${listed(rows)}.`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function limitSentence(measured) {
  const limited = measured.filter((outcome) => !hasResponseTimes(outcome));
  if (limited.length === 0) return [];
  const names = limited.map((outcome) => {
    const { achieved = 0, sendLagUs } = outcome.open ?? {};
    const lag = sendLagUs?.p99 ?? sendLagUs?.p90 ?? 0;
    const how =
      achieved < LEAST_ACHIEVED ? `${formatPercent(achieved)} sent` : `sent ${formatNumber(lag)} µs late`;
    return `${rowNameOf(outcome.cell)} (${how})`;
  });
  return [`The plan was not kept, so that there are no response times: ${listed(names)}.`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} where the generator itself makes a good part of the number */
function lagSentence(measured) {
  const shares = measured.filter(hasResponseTimes).flatMap(({ open }) => {
    const share = open === undefined ? 0 : open.sendLagUs.p50 / open.responseUs.p50;
    return open !== undefined && share > GREATEST_LAG_SHARE ? [share] : [];
  });
  if (shares.length === 0) return [];
  const greatest = formatPercent(Math.min(1, Math.max(...shares)));
  const rows = `${shares.length} of ${measured.length} rows`;
  return [
    `Up to ${greatest} of the median response time is send lag in ${rows}: that part is the generator’s or its queue’s, service time is without it.`,
  ];
}

/**
 * @param {Results} results
 * @param {MeasuredOutcome[]} measured
 * @returns {string[]} where V8 was still interpreting much of the code
 */
function lowRateSentence({ sweeps = [] }, measured) {
  const isLow = (/** @type {string} */ code) => code === 'low-rate';
  const ofRows = measured.flatMap(({ cell, flags }) =>
    flags.some(({ code }) => isLow(code)) ? [cell.ratePerSecond ?? 0] : [],
  );
  const ofProbes = sweeps
    .filter(({ foundPerSecond }) => foundPerSecond === null)
    .flatMap(({ probes }) => probes.filter(({ flags = [] }) => flags.some(isLow)))
    .map(({ ratePerSecond }) => ratePerSecond);
  const rates = new Set([...ofRows, ...ofProbes]);
  if (rates.size === 0) return [];
  const { many } = operationOf(measured);
  const where = `${rates.size === 1 ? 'At' : 'At rates up to'} ${formatCount(Math.max(...rates))}/s`;
  return [
    `${where} the processes never get warm within a launch: V8 interprets much of their code until they have made some ${formatCount(WARM_OPERATIONS)} ${many}. These are the times that a service at such a rate has until then.`,
  ];
}

/** @param {MeasuredOutcome} outcome @param {Slo} slo */
function keeps(outcome, { percentile, us }) {
  const found = responseOf(outcome, percentile);
  const achieved = outcome.open?.achieved ?? 0;
  const isBound = outcome.open?.responseUs.atLeast?.includes(percentile) ?? false;
  return found !== null && !isBound && found < us && achieved >= LEAST_ACHIEVED;
}

/**
 * @param {Sweep} sweep
 * @param {Outcome[]} outcomes
 * @returns {number | null} the highest rate that full launches confirm: it and all measured rates below it keep the limit
 */
export function confirmedRate(sweep, outcomes) {
  const base = cellLabel(sweep.cell);
  const curve = outcomes
    .filter(isMeasured)
    .filter(({ cell }) => isOpen({ cell }) && cellLabel({ ...cell, ratePerSecond: undefined }) === base)
    .sort((left, right) => rateOf(left) - rateOf(right));
  const broken = curve.findIndex((outcome) => !keeps(outcome, sweep.slo));
  const kept = broken === -1 ? curve : curve.slice(0, broken);
  return kept.at(-1)?.cell.ratePerSecond ?? null;
}

/** @param {Results} results @returns {string[]} */
function sweepSentences({ sweeps = [], outcomes }) {
  const placeOf = placeNamer(outcomes);
  return sweeps.map((sweep) => {
    const { cell, slo, foundPerSecond, probes, endedBy } = sweep;
    const end = sweepEndText(sweep);
    const where = `${nameOf(cell)} (${placeOf(cell)})`;
    const limit = sloLabel(slo, ' < ');
    if (foundPerSecond === null) {
      const tried = endedBy === 'time' || endedBy === 'disturbed' ? ' that was tried' : '';
      return `${where} kept ${limit} at no rate${tried}.${end}`;
    }
    const confirmed = confirmedRate(sweep, outcomes);
    const found = `${formatCount(foundPerSecond)}/s`;
    if (confirmed !== null && confirmed >= foundPerSecond) {
      const above = confirmed > foundPerSecond ? `, and even ${formatCount(confirmed)}/s` : '';
      return `${where} keeps ${limit} up to ${found}: found in ${probes.length} launches, confirmed in full${above}.${end}`;
    }
    const instead = confirmed === null ? 'no rate' : `only rates up to ${formatCount(confirmed)}/s`;
    return `${where}: the search found ${limit} kept up to ${found}, but full launches confirm ${instead}.${end}`;
  });
}

/**
 * @param {Results} results
 * @param {{ isBrief?: boolean }} [detail]
 * @returns {string[]} nothing where there is no open load
 */
export function openSentences(results, { isBrief = false } = {}) {
  const measured = results.outcomes.filter(isMeasured).filter(isOpen);
  const kindIn = kindsIn(results);
  const groups = groupsOf(results).filter((group) => isOpen(group) && group.measured.length > 0);
  return [
    ...sweepSentences(results),
    ...groups.slice(0, GREATEST_GROUPS_TOLD).flatMap((group) => responseSentence(group, kindIn)),
    ...limitSentence(measured),
    ...lagSentence(measured),
    ...lowRateSentence(results, measured),
    ...(measured.length > 0 ? [isBrief ? BRIEF_OPEN_LOAD_SENTENCE : OPEN_LOAD_SENTENCE] : []),
  ];
}
