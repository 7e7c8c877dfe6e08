// Findings under open load: response times at the highest rate that all rows sustained, rows that did not sustain their rate, late sends,
// rates too low to warm up the code, requests that wait in workers, and results of searches for a rate.

import { commonOperation } from '../../cell/headline.js';
import { seriesLabel, sloLabel } from '../../cell/labels.js';
import { ifAny } from '../../format/lists.js';
import { WARM_OPERATIONS } from '../../format/result-flags.js';
import { isDisturbed } from '../../results/cell-flags.js';
import { sustainedRate, sweepTrials } from '../../results/sustained-rate.js';
import { MAX_LAG_SHARE } from '../../results/thresholds.js';
import { foundGroup, makeFinding, measureFacts } from './finding.js';
import { hasFlag, hasResponseTimes, headingNamer, rateOf } from './groups.js';
import { readResponseTime } from './response-times.js';
import { transportFacts } from './transport-kinds.js';

/** @import { Finding, FoundRow, MeasuredOutcome, Results, Sweep } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @import { RowGroup } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */

const MAX_GROUPS = 2;

/** @param {MeasuredOutcome[]} measured @returns {string[]} arrivals of the rows under open load, each once */
export function arrivalsIn(measured) {
  return [...new Set(measured.flatMap(({ open }) => open?.arrivals ?? []))];
}

/** @param {ReportFacts} facts @returns {Finding[]} */
export function openLoadFindings(facts) {
  const { results, open, kindIn } = facts;
  const rows = open.flatMap(({ measured }) => measured);
  return [
    ...(results.sweeps ?? []).map((sweep) => sustainedFinding(sweep, results)),
    ...open.slice(0, MAX_GROUPS).flatMap((group) => responseFinding(group, kindIn)),
    ...notSustainedFinding(rows),
    ...sendDelayFinding(rows),
    ...fewBeforeFinding(facts, rows),
    ...waitingFinding(rows, results),
    ...ifAny(rows, () => makeFinding('open-load', { names: { arrivals: arrivalsIn(rows).join(', ') } })),
  ];
}

/** @param {MeasuredOutcome} outcome @param {Record<string, number>} [numbers] @returns {FoundRow} the row with its planned rate */
function rowAtRate(outcome, numbers) {
  return { row: seriesLabel(outcome.cell), numbers: { perSecond: rateOf(outcome), ...numbers } };
}

/**
 * @param {RowGroup} group
 * @param {KindIn} kindIn
 * @returns {Finding[]} p99 or p50 of each row at the highest rate that all rows sustained
 */
function responseFinding(group, kindIn) {
  const { measured } = group;
  const rates = [...new Set(measured.map(rateOf))].sort((one, other) => other - one);
  /** @param {number} rate */
  const rowsAt = (rate) => measured.filter((outcome) => rateOf(outcome) === rate);
  const best = rates.find((rate) => rowsAt(rate).every(hasResponseTimes));
  if (best === undefined) return [];
  const rows = rowsAt(best);
  const percentile = rows.some(({ open }) => open?.responseUs.p99 === null) ? 'p50' : 'p99';
  /** @param {MeasuredOutcome} outcome */
  const usOf = (outcome) => outcome.open?.responseUs[percentile] ?? 0;
  return [
    makeFinding('response-times', {
      group: foundGroup(group),
      rows: rows
        .toSorted((left, right) => usOf(left) - usOf(right))
        .map((outcome) => {
          const kind = kindIn(outcome.cell);
          const time = readResponseTime(outcome, percentile);
          return {
            row: seriesLabel(outcome.cell),
            ...(kind !== '' && { kind }),
            ...(time && { value: time.us, numbers: { isAtLeast: Number(time.isAtLeast) } }),
          };
        }),
      numbers: { perSecond: best, rates: rates.length, highestPerSecond: rates[0] },
      names: { percentile },
      measure: measureFacts(rows[0]),
    }),
  ];
}

/** @param {MeasuredOutcome[]} rows @returns {Finding[]} */
function notSustainedFinding(rows) {
  const limited = rows.filter((outcome) => !hasResponseTimes(outcome));
  return ifAny(limited, () =>
    makeFinding('not-sustained', {
      rows: limited.map((outcome) =>
        rowAtRate(outcome, { achieved: outcome.open?.achieved ?? 0, inFlight: mostInFlight(outcome) }),
      ),
      remedy: 'generator-limited',
    }),
  );
}

/** @param {MeasuredOutcome} outcome @returns {number} greatest number of requests in flight in a launch */
function mostInFlight({ launches }) {
  return Math.max(0, ...launches.map(({ open }) => open?.mostInFlight ?? 0));
}

/** @param {MeasuredOutcome[]} rows @returns {Finding[]} */
function sendDelayFinding(rows) {
  const late = rows
    .filter(hasResponseTimes)
    .map((outcome) => ({ outcome, share: delayShare(outcome) }))
    .filter(({ share }) => share > MAX_LAG_SHARE);
  return ifAny(late, () =>
    makeFinding('send-delay', {
      rows: late.map(({ outcome, share }) => rowAtRate(outcome, { share: Math.min(1, share) })),
      numbers: { rows: rows.length },
    }),
  );
}

/** @param {MeasuredOutcome} outcome @returns {number} median delay of sends as a share of the median response time */
function delayShare({ open }) {
  return open === undefined ? 0 : open.sendLagUs.p50 / open.responseUs.p50;
}

/**
 * @param {ReportFacts} facts
 * @param {MeasuredOutcome[]} rows
 * @returns {Finding[]} at most one, on rates so low that V8 may still interpret much of the code
 */
function fewBeforeFinding({ results: { sweeps = [], scenarios } }, rows) {
  const low = rows.filter((outcome) => hasFlag(outcome, 'low-rate'));
  const searched = sweeps.filter(({ foundPerSecond }) => foundPerSecond === null);
  const ofProbes = searched
    .flatMap(({ probes }) => probes.filter(({ flags = [] }) => flags.includes('low-rate')))
    .map(({ ratePerSecond }) => ratePerSecond);
  const rates = [...new Set([...low.map(rateOf), ...ofProbes])];
  return ifAny(rates, () =>
    makeFinding('few-before', {
      rows: low.map((outcome) => rowAtRate(outcome)),
      numbers: { perSecond: Math.max(...rates), rates: rates.length, operations: WARM_OPERATIONS },
      operation: commonOperation([
        ...rows,
        ...searched.flatMap(({ cell }) => scenarios[cell.scenario] ?? []), // a scenario without launches has no facts
      ]),
    }),
  );
}

/** @param {MeasuredOutcome[]} rows @param {Results} results @returns {Finding[]} at most one, on rows whose requests wait in the worker */
function waitingFinding(rows, results) {
  const waiting = rows.flatMap((outcome) => {
    const { requestsAtOnce } = transportFacts(results, outcome.cell);
    const inFlight = mostInFlight(outcome);
    if (requestsAtOnce === undefined || inFlight <= requestsAtOnce * outcome.cell.workers) return [];
    return [rowAtRate(outcome, { requestsAtOnce, inFlight })];
  });
  return ifAny(waiting, () => makeFinding('waiting-requests', { rows: waiting }));
}

/** @param {Sweep} sweep @param {Results} results @returns {Finding} the result of a search for a rate, and how it ended */
function sustainedFinding(sweep, { outcomes, options }) {
  const { cell, slo, endedBy, elapsedMs, probes, foundPerSecond, next, launchesLeftOut, ratesLeftOut } =
    sweep;
  const sustained = sustainedRate(sweep, outcomes);
  const launches = probes.map(({ flags = [] }) => ({ flags: flags.map((code) => ({ code })) }));
  return makeFinding('sustained-rate', {
    group: foundGroup({ cell, heading: headingNamer(outcomes)(cell) }),
    rows: [{ row: seriesLabel(cell) }],
    verdict: sustained === null ? 'worse' : 'better',
    numbers: {
      ...(sustained && {
        perSecond: sustained.estimate,
        lowPerSecond: sustained.low,
        highPerSecond: sustained.isBounded ? sustained.high : null,
      }),
      launches: sweepTrials(sweep, outcomes).length,
      searchLaunches: launches.length,
      disturbed: launches.filter(isDisturbed).length,
      elapsedMs,
      foundPerSecond,
      ...(launchesLeftOut !== undefined && { launchesLeftOut, plannedLaunches: options.launches }),
      ...(ratesLeftOut !== undefined && { ratesLeftOut }),
      ...(next && { nextPerSecond: next.ratePerSecond, nextLimitMs: next.maxTimeMs }),
    },
    names: { limit: sloLabel(slo, ' < '), endedBy },
    remedy: endedBy === 'time' ? 'longer-search' : null,
  });
}
