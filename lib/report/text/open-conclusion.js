// Open load in sentences: response times at the highest rate that all rows sustained, rows that did not sustain their rate,
// and the rate that the launches of a sweep sustain.

import { commonOperation } from '../../cell/headline.js';
import { sloLabel } from '../../cell/labels.js';
import { counted, listed } from '../../format/lists.js';
import { durationText, formatCount, formatPercent, formatRate, NOTHING } from '../../format/numbers.js';
import { WARM_OPERATIONS } from '../../format/result-flags.js';
import { MS_PER_MINUTE } from '../../format/units.js';
import { areOftenDisturbed, isDisturbed } from '../../results/cell-flags.js';
import { sustainedRate, sweepTrials } from '../../results/sustained-rate.js';
import { GREATEST_LAG_SHARE } from '../../results/thresholds.js';
import { cellName, formatRowName, hasResponseTimes, placeNamer, rateOf } from './groups.js';
import { readResponseTime, responseTimeText, sustainedText } from './response-times.js';
import { rule } from './rules.js';
import { transportFacts } from './transport-kinds.js';

/** @import { MeasuredOutcome, PercentileName, Results, Sweep } from '../../types/index.js' */
/** @import { Group } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */

const MOST_GROUPS = 2;
const REMEDY = 'Close other programs, run ipc-bench doctor, or try again later.';

/** Printed wherever response times of open load are shown. */
export const OPEN_LOAD_SENTENCES = Object.freeze({
  brief:
    'Open load: requests are sent when they are due, however many are in flight, and response times start then.',
  full: 'Open load: requests are sent when they are due, however many are in flight; the C of --workers WxC does not limit them. Response times start at the scheduled send time, so every request that a pause delays counts (no coordinated omission).',
});

/** @param {MeasuredOutcome[]} measured @returns {string} arrivals of the rows under open load: 'fixed', 'fixed, poisson' */
export function arrivalsText(measured) {
  return listed([...new Set(measured.flatMap(({ open }) => open?.arrivals ?? []))]);
}

/** @param {import('./rules.js').Facts} facts @returns {MeasuredOutcome[]} */
const openRows = ({ open }) => open.flatMap(({ measured }) => measured);

/** @param {string} sentence @param {MeasuredOutcome[]} measured */
const withArrivals = (sentence, measured) =>
  sentence.replace('Open load', `Open load, ${arrivalsText(measured)} arrivals`);

export const OPEN_RULES = [
  rule({
    when: ({ results }) => results.sweeps,
    say: (sweeps, { results }) => sweeps.map((sweep) => sweepSentence(sweep, results)),
  }),
  rule({
    when: ({ open }) => open.slice(0, MOST_GROUPS),
    say: (groups, { kindIn }) => groups.flatMap((group) => responseSentence(group, kindIn)),
  }),
  rule({
    when: (facts) => openRows(facts).filter((outcome) => !hasResponseTimes(outcome)),
    say: (limited) =>
      `Offered rate not sustained, so there are no response times: ${listed(limited.map(limitedText))}.`,
  }),
  rule({
    when: (facts) =>
      openRows(facts)
        .filter(hasResponseTimes)
        .map(lagShare)
        .filter((share) => share > GREATEST_LAG_SHARE),
    say: (shares, facts) =>
      `Up to ${formatPercent(Math.min(1, Math.max(...shares)))} of the median response time is send delay, from the scheduled to the actual send, in ${shares.length} of ${counted(openRows(facts).length, 'row', 'rows')}; service time excludes it.`,
  }),
  rule({
    when: (facts) => lowRates(facts.results, openRows(facts)),
    say: (rates, facts) =>
      `${rates.length === 1 ? 'At' : 'At rates up to'} ${formatRate(Math.max(...rates))} a worker made fewer than ${formatCount(WARM_OPERATIONS)} ${commonOperation(openRows(facts)).many} before its window, so V8 may still interpret part of the code, as in a service that has just started.`,
  }),
  rule({
    when: (facts) =>
      openRows(facts).flatMap((outcome) => {
        const { requestsAtOnce } = transportFacts(facts.results, outcome.cell);
        const inFlight = mostInFlight(outcome);
        const waits = requestsAtOnce !== undefined && inFlight > requestsAtOnce * outcome.cell.workers;
        return waits ? [{ outcome, requestsAtOnce, inFlight }] : [];
      }),
    say: (rows) =>
      rows.map(
        ({ outcome: { cell }, requestsAtOnce, inFlight }) =>
          `${formatRowName(cell)} carries ${counted(requestsAtOnce, 'request', 'requests')} of a worker at a time, and up to ${formatCount(inFlight)} were in flight: response times include the wait of the others.`,
      ),
  }),
  rule({
    when: openRows,
    say: (rows) => withArrivals(OPEN_LOAD_SENTENCES.full, rows),
    brief: (rows) => withArrivals(OPEN_LOAD_SENTENCES.brief, rows),
  }),
];

/** @param {Group} group @param {KindIn} kindIn @returns {string[]} p99 or p50 of each row at the highest rate that all rows sustained */
function responseSentence({ place, measured }, kindIn) {
  const rates = [...new Set(measured.map(rateOf))].sort((one, other) => other - one);
  const rowsAt = (/** @type {number} */ rate) => measured.filter((outcome) => rateOf(outcome) === rate);
  const best = rates.find((rate) => rowsAt(rate).every(hasResponseTimes));
  if (best === undefined) return [];
  const usOf = (/** @type {MeasuredOutcome} */ { open }, /** @type {PercentileName} */ percentile) =>
    open?.responseUs[percentile] ?? null;
  const isRare = rowsAt(best).some((outcome) => usOf(outcome, 'p99') === null);
  const percentile = isRare ? 'p50' : 'p99';
  const rows = rowsAt(best)
    .sort((left, right) => (usOf(left, percentile) ?? 0) - (usOf(right, percentile) ?? 0))
    .map((outcome) => {
      const kind = kindIn(outcome.cell);
      const time = readResponseTime(outcome, percentile);
      return `${cellName(outcome.cell)}${kind === '' ? '' : ` (${kind})`} ${time === null ? NOTHING : responseTimeText(time)} µs`;
    });
  const highest = best === rates[0] ? ', the highest rate,' : ', the highest rate that all sustained,';
  return [
    `Response time (${isRare ? 'p50, too few samples for p99' : 'p99'}) at ${formatRate(best)}${rates.length === 1 ? '' : highest} ${place}: ${listed(rows)}.`,
  ];
}

/** @param {MeasuredOutcome} outcome   one without response times @returns {string} 'pipe/json at 12,000/s (83 % sent)' */
function limitedText(outcome) {
  const { cell, open } = outcome;
  const inFlight = formatCount(mostInFlight(outcome));
  return `${formatRowName(cell)} (${formatPercent(open?.achieved ?? 0)} sent, ${inFlight} in flight)`;
}

/** @param {MeasuredOutcome} outcome @returns {number} greatest number of requests in flight in a launch */
function mostInFlight({ launches }) {
  return Math.max(0, ...launches.map(({ open }) => open?.mostInFlight ?? 0));
}

/** @param {MeasuredOutcome} outcome @returns {number} median send lag as a share of the median response time */
function lagShare({ open }) {
  return open === undefined ? 0 : open.sendLagUs.p50 / open.responseUs.p50;
}

/**
 * @param {Results} results
 * @param {MeasuredOutcome[]} rows
 * @returns {number[]} rates per second that are so low that V8 still interprets much of the code
 */
function lowRates({ sweeps = [] }, rows) {
  const isLow = (/** @type {string} */ code) => code === 'low-rate';
  const ofRows = rows.filter(({ flags }) => flags.some(({ code }) => isLow(code))).map(rateOf);
  const ofProbes = sweeps
    .filter(({ foundPerSecond }) => foundPerSecond === null)
    .flatMap(({ probes }) => probes.filter(({ flags = [] }) => flags.some(isLow)))
    .map(({ ratePerSecond }) => ratePerSecond);
  return [...new Set([...ofRows, ...ofProbes])];
}

// The search for a rate: its result, the reason for an early end, and the remedy.

/** @param {Sweep} sweep @param {Results} results @returns {string} */
function sweepSentence(sweep, { outcomes, options }) {
  const { cell, slo, endedBy } = sweep;
  const where = `${cellName(cell)} (${placeNamer(outcomes)(cell)})`;
  const limit = sloLabel(slo, ' < ');
  const sustained = sustainedRate(sweep, outcomes);
  const launches = counted(sweepTrials(sweep, outcomes).length, 'launch', 'launches');
  const tried = endedBy === 'time' || endedBy === 'disturbed' ? ' that was tried' : '';
  const found =
    sustained === null
      ? `met ${limit} at no rate${tried}.`
      : `sustains ${sustainedText(sustained)} within ${limit} (95 % interval, ${launches} at different rates).`;
  return [`${where} ${found}`, ...sweepEnd(sweep, options)].join(' ');
}

/**
 * @param {Sweep} sweep
 * @param {Results['options']} options
 * @returns {string[]} why it ended early, whether noise disturbed it, and what of the curve it left out
 */
function sweepEnd(sweep, options) {
  const { endedBy, elapsedMs, probes, launchesLeftOut, ratesLeftOut } = sweep;
  const launches = probes.map(({ flags = [] }) => ({ flags: flags.map((code) => ({ code })) }));
  const disturbed = `disturbed ${launches.filter(isDisturbed).length} of its ${counted(launches.length, 'launch', 'launches')}`;
  const sentences = endedBy === 'time' ? [timeSentence(sweep, options.open?.maxTimeMs)] : [];
  if (endedBy === 'disturbed') {
    sentences.push(
      `The search ended early, after ${durationText(elapsedMs)}: something else ${disturbed}, so they do not show what the rate does.`,
      REMEDY,
    );
  } else if ((endedBy === 'time' || endedBy === 'launches') && areOftenDisturbed(launches)) {
    sentences.push(`Something else ${disturbed}.`, REMEDY);
  }
  const leftOut = [
    ...(launchesLeftOut === undefined
      ? []
      : [`${launchesLeftOut} of ${options.launches} launches at the rate found`]),
    ...(ratesLeftOut === undefined
      ? []
      : [`${counted(ratesLeftOut, 'rate', 'rates')} of the curve around it`]),
  ];
  if (leftOut.length > 0) {
    const isOne = (launchesLeftOut ?? 0) + (ratesLeftOut ?? 0) === 1;
    sentences.push(
      `${leftOut.join(' and ')} ${isOne ? 'was' : 'were'} left out because the time was too short.`,
    );
  }
  return sentences;
}

/** @param {Sweep} sweep @param {number | undefined} limitMs @returns {string} */
function timeSentence({ foundPerSecond, elapsedMs, next, probes }, limitMs) {
  const after = durationText(elapsedMs) + (limitMs === undefined ? '' : ` of ${durationText(limitMs)}`);
  const before =
    foundPerSecond !== null
      ? ' before the interval was narrow enough'
      : probes.length === 0 && next !== undefined
        ? `, before ${formatRate(next.ratePerSecond)} could be tried`
        : '';
  const { launchesAtFound, neededMs } = next ?? {};
  const needed =
    launchesAtFound === undefined || neededMs === undefined
      ? ''
      : `, because a further launch and ${launchesAtFound === 1 ? 'one' : launchesAtFound} at the rate found need about ${durationText(neededMs)}`;
  const enough =
    next === undefined
      ? ''
      : `; ${Math.ceil(next.maxTimeMs / MS_PER_MINUTE)}m is enough for all launches of the search and of the curve at such rates`;
  return `The search ended after ${after}${before}${needed}. Use a longer --max-time${enough}.`;
}
