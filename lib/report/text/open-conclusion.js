// Open load in sentences: response times at the highest rate that all rows sustained, rows that did not sustain their rate,
// and the rate that the launches of a sweep sustain.

import { commonOperation } from '../../cell/headline.js';
import { sloLabel } from '../../cell/labels.js';
import { listed } from '../../format/lists.js';
import { durationText, formatCount, formatNumber, formatPercent, NOTHING } from '../../format/numbers.js';
import { WARM_OPERATIONS } from '../../format/result-flags.js';
import { MS_PER_MINUTE } from '../../format/units.js';
import { areOftenDisturbed, isDisturbed } from '../../results/cell-flags.js';
import { sustainedRate, sweepTrials } from '../../results/sustained-rate.js';
import { GREATEST_LAG_SHARE, LEAST_ACHIEVED } from '../../results/thresholds.js';
import {
  cellName,
  formatRowName,
  groupRows,
  hasResponseTimes,
  isMeasured,
  isOpen,
  placeNamer,
  rateOf,
} from './groups.js';
import { readResponseTime, responseTimeText, sustainedText } from './response-times.js';
import { kindsIn } from './transport-kinds.js';

/** @import { MeasuredOutcome, PercentileName, Results, Sweep } from '../../types/index.js' */
/** @import { Group } from './groups.js' */

const GREATEST_GROUPS_TOLD = 2;

/** Stands wherever response times of open load are shown. */
export const OPEN_LOAD_SENTENCES = Object.freeze({
  brief:
    'Open load: response times start at the scheduled send time, so every request that a pause delays counts.',
  full: 'Open load: requests are sent on a schedule, whether or not earlier ones were answered. Response times start at the scheduled send time, so every request that a pause delays counts (no coordinated omission).',
});

/** @param {MeasuredOutcome[]} measured @param {'brief' | 'full'} detail @returns {string} the above, with their arrivals */
function modelSentence(measured, detail) {
  return OPEN_LOAD_SENTENCES[detail].replace('Open load', `Open load, ${arrivalsText(measured)} arrivals`);
}

/** @param {MeasuredOutcome[]} measured   some of them under open load @returns {string} 'fixed', 'fixed and poisson' */
export function arrivalsText(measured) {
  return listed([...new Set(measured.flatMap(({ open }) => open?.arrivals ?? []))]);
}

/** @param {MeasuredOutcome} outcome @param {PercentileName} percentile @returns {number | null} µs of response time */
function readResponseUs({ open }, percentile) {
  return open?.responseUs[percentile] ?? null;
}

/** @param {MeasuredOutcome} outcome @param {'p50' | 'p99'} percentile @returns {string} '310 (290–340) µs', '> 12,300 µs' */
function responseText(outcome, percentile) {
  const time = readResponseTime(outcome, percentile);
  return `${time === null ? NOTHING : responseTimeText(time)} µs`;
}

/**
 * @param {Group} group
 * @param {import('./transport-kinds.js').KindIn} kindIn
 * @returns {string[]} the p99 of each row at the highest rate that all of them kept
 */
function responseSentence({ place, measured }, kindIn) {
  const rates = [...new Set(measured.map(rateOf))].sort((a, b) => b - a);
  const at = (/** @type {number} */ rate) => measured.filter(({ cell }) => cell.ratePerSecond === rate);
  const best = rates.find((rate) => at(rate).every(hasResponseTimes));
  if (best === undefined) return [];
  const percentile = at(best).some((outcome) => readResponseUs(outcome, 'p99') === null) ? 'p50' : 'p99';
  const rows = at(best)
    .sort((left, right) => (readResponseUs(left, percentile) ?? 0) - (readResponseUs(right, percentile) ?? 0))
    .map((outcome) => {
      const kind = kindIn(outcome.cell);
      return `${cellName(outcome.cell)}${kind === '' ? '' : ` (${kind})`} ${responseText(outcome, percentile)}`;
    });
  const which =
    rates.length === 1
      ? ''
      : best === rates[0]
        ? ', the highest rate,'
        : ', the highest rate that all sustained,';
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
    return `${formatRowName(outcome.cell)} (${how})`;
  });
  return [`Offered rate not sustained, so there are no response times: ${listed(names)}.`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} rows in which the load generator makes up much of the number */
function lagSentence(measured) {
  const shares = measured.filter(hasResponseTimes).flatMap(({ open }) => {
    const share = open === undefined ? 0 : open.sendLagUs.p50 / open.responseUs.p50;
    return open !== undefined && share > GREATEST_LAG_SHARE ? [share] : [];
  });
  if (shares.length === 0) return [];
  const greatest = formatPercent(Math.min(1, Math.max(...shares)));
  const rows = `${shares.length} of ${measured.length} rows`;
  return [
    `Up to ${greatest} of the median response time is send delay in ${rows}: the load generator or its queue causes it; service time excludes it.`,
  ];
}

/**
 * @param {Results} results
 * @param {MeasuredOutcome[]} measured
 * @returns {string[]} the rates at which V8 still interprets much of the code
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
  const { many } = commonOperation(measured);
  const where = `${rates.size === 1 ? 'At' : 'At rates up to'} ${formatCount(Math.max(...rates))}/s`;
  return [
    `${where} the processes do not warm up within a launch: V8 interprets much of their code for about the first ${formatCount(WARM_OPERATIONS)} ${many}. A service at such a rate has these times until then.`,
  ];
}

/** @param {Results} results @returns {string[]} */
function sweepSentences({ sweeps = [], outcomes }) {
  const placeOf = placeNamer(outcomes);
  return sweeps.map((sweep) => {
    const { cell, slo, endedBy } = sweep;
    const end = sweepEndText(sweep);
    const where = `${cellName(cell)} (${placeOf(cell)})`;
    const limit = sloLabel(slo, ' < ');
    const sustained = sustainedRate(sweep, outcomes);
    if (sustained === null) {
      const tried = endedBy === 'time' || endedBy === 'disturbed' ? ' that was tried' : '';
      return `${where} met ${limit} at no rate${tried}.${end}`;
    }
    const launches = sweepTrials(sweep, outcomes).length;
    const many = `${formatCount(launches)} ${launches === 1 ? 'launch' : 'launches'}`;
    return `${where} sustains ${sustainedText(sustained)} within ${limit} (95 % interval, ${many} at different rates).${end}`;
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
  const groups = groupRows(results).filter((group) => isOpen(group) && group.measured.length > 0);
  return [
    ...sweepSentences(results),
    ...groups.slice(0, GREATEST_GROUPS_TOLD).flatMap((group) => responseSentence(group, kindIn)),
    ...limitSentence(measured),
    ...lagSentence(measured),
    ...lowRateSentence(results, measured),
    ...(measured.length > 0 ? [modelSentence(measured, isBrief ? 'brief' : 'full')] : []),
  ];
}

// Why the search of a sweep ended before it was done, what that means for the rate that it found, and what to do.
const REMEDY = 'Close other programs, run ipc-bench doctor, or try again later.';

/**
 * @param {Sweep} sweep
 * @returns {string} sentences, each after a space; '' if the search ended by itself and everything was confirmed
 */
function sweepEndText(sweep) {
  const sentences = [
    ...(sweep.endedBy === 'time' ? [timeSentence(sweep)] : []),
    ...disturbedSentences(sweep),
    ...leftOutSentence(sweep),
  ];
  return sentences.map((sentence) => ` ${sentence}`).join('');
}

/** @param {Sweep} sweep @returns {string} */
function timeSentence({ foundPerSecond, elapsedMs, next, probes }) {
  const before =
    foundPerSecond !== null
      ? ' before the interval was narrow enough'
      : probes.length === 0 && next !== undefined
        ? `, before ${formatCount(next.ratePerSecond)}/s could be tried`
        : '';
  const minutes = next && `, ${Math.ceil(next.maxTimeMs / MS_PER_MINUTE)}m or more`;
  return `The search ended after ${durationText(elapsedMs)}${before}; use a longer --max-time${minutes ?? ''}.`;
}

/** @param {Sweep} sweep @returns {string[]} */
function disturbedSentences({ endedBy, elapsedMs, probes }) {
  const launches = probes.map(({ flags = [] }) => ({ flags: flags.map((code) => ({ code, message: '' })) }));
  const disturbed = `disturbed ${launches.filter(isDisturbed).length} of its ${launches.length} launches`;
  if (endedBy === 'disturbed') {
    return [
      `The search ended early, after ${durationText(elapsedMs)}: something else ${disturbed}, so they do not show what the rate does.`,
      REMEDY,
    ];
  }
  const isOpenEnd = endedBy === 'time' || endedBy === 'launches';
  return isOpenEnd && areOftenDisturbed(launches) ? [`Something else ${disturbed}.`, REMEDY] : [];
}

/** @param {Sweep} sweep @returns {string[]} */
function leftOutSentence({ ratesLeftOut }) {
  if (ratesLeftOut === undefined) return [];
  const rates =
    ratesLeftOut === 1
      ? '1 rate of the curve around it was'
      : `${ratesLeftOut} rates of the curve around it were`;
  return [`${rates} left out because the time was too short.`];
}
