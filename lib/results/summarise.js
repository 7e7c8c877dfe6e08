// Turns launches into the outcomes of the results file: estimates, costs and flags of whole cells. run/findings/launch-findings.js sets the
// flags of single launches.

import { findMainTimes, headlineMeasure, readHeadline } from '../cell/headline.js';
import { cellLabel, groupLabel, seriesLabel } from '../cell/labels.js';
import { UNDIVIDED } from '../cell/launch-roles.js';
import { groupedBy } from '../format/lists.js';
import { estimateMean, estimateTypical } from '../statistics/estimate.js';
import { censoredPercentiles, latencyPercentiles, mergeLatencies } from '../statistics/latency.js';
import { LEVEL } from '../statistics/log-model.js';
import { signedRankInterval } from '../statistics/rank-tests.js';
import { sum, sumBy } from '../statistics/sum.js';
import { costedOperations, hasDividedCosts, hasKnownCosts } from './calibration-rows.js';
import { flagsOfCell } from './cell-flags.js';
import { failedOutcome, hasRate, isIdle } from './failed-outcome.js';
import { modelLaunches } from './launch-model.js';
import { faultInOutcome } from './readable.js';

/** @import { Backpressure, Cell, Estimate, Latency, LatencySummary, Launch, Losses, MeasureFacts } from '../types/index.js' */
/** @import { MeasuredLaunch, MeasuredOutcome, MeasuredTimes, MeasuredValue, OpenLaunch, OpenSummary, Outcome } from '../types/index.js' */
/** @import { PlannedCell, ProcessCost, Results, SkippedOutcome } from '../types/index.js' */
/** @import { LaunchModel, ValueOf } from './launch-model.js' */
/**
 * @typedef {Pick<Results, 'controls' | 'scenarios'> & { plannedLaunches: number, quick: boolean, wakeUpUs?: number | null }} RunConditions
 *   wakeUpUs: cost of waking a CPU; null if unknown
 */

/** @type {Pick<SkippedOutcome, 'reason' | 'cause'>} */
const NOT_LAUNCHED = {
  cause: 'not-launched',
  reason: 'not launched: the run ended before its turn came',
};

/**
 * @param {PlannedCell[]} plan
 * @param {ReadonlyMap<string, Launch[]>} launchesByCell Keys come from cellLabel().
 * @param {string} referenceLabel seriesLabel() of the reference row; a group without this row has no ratios
 * @param {RunConditions} options
 * @returns {Outcome[]} in the order of the plan
 */
export function summariseResults(plan, launchesByCell, referenceLabel, options) {
  /** @type {Map<Cell, Outcome>} */
  const outcomes = new Map();
  const planned = plan.flatMap(({ cell, skip, launches: plannedLaunches = options.plannedLaunches }) =>
    skip === null ? { cell, plannedLaunches, launches: launchesByCell.get(cellLabel(cell)) ?? [] } : [],
  );
  for (const group of groupedBy(planned, ({ cell }) => groupLabel(cell)).values()) {
    const rows = modelRows(group, referenceLabel, options);
    group.forEach(({ cell, plannedLaunches }, index) => {
      outcomes.set(cell, summariseRow(rows[index], { ...options, plannedLaunches }));
    });
  }
  return plan.map(({ cell, skip, isImpossible }) => {
    if (skip === null) return /** @type {Outcome} */ (outcomes.get(cell));
    return { status: 'skipped', cell, reason: skip, ...(isImpossible && { isImpossible }) };
  });
}

/** @typedef {{ cell: Cell, launches: Launch[] }} LaunchedCell */
/**
 * A row of a group. One model per measure estimates all rows of the group. An estimate is null if a launch lacks the value. CPU times are
 * estimated from the launches with known costs.
 * @typedef {object} ModelledRow
 * @property {Cell} cell
 * @property {Launch[]} launches
 * @property {(measure: MeasureFacts) => Estimate | null} estimateOf
 * @property {(times: TimesOf, percentile: 'p50' | 'p99') => Estimate | null} percentileOf
 * @property {() => MeasuredOutcome['ratio']} ratio   of the headline
 */
/** @typedef {{ latency: Latency, unanswered?: Latency }} RecordedTimes   `unanswered`: ages of requests that have no response at the end */
/**
 * @typedef {{ name: string, read: (launch: MeasuredLaunch) => RecordedTimes | null }} TimesOf   name: unique among the times of a row;
 *   read: returns null if the launch has none
 */

/**
 * @param {LaunchedCell[]} rows
 * @param {string} referenceLabel
 * @param {RunConditions} options
 * @returns {ModelledRow[]}
 */
function modelRows(rows, referenceLabel, { scenarios }) {
  const measured = rows.map(({ launches }) => launches.filter(hasRate));
  const reference = rows.findIndex(({ cell }) => seriesLabel(cell) === referenceLabel);
  const comparisons = Math.max(
    1,
    measured.filter(({ length }, row) => length > 0 && row !== reference).length,
  );
  /** @type {Map<string, LaunchModel>} */
  const models = new Map();
  /** @param {string} key @param {ValueOf} readValue */
  const modelOf = (key, readValue, isRate = false, launches = measured) => {
    const model = models.get(key) ?? modelLaunches(launches, readValue, { isRate });
    models.set(key, model);
    return model;
  };
  /** @param {MeasureFacts} measure */
  const modelOfMeasure = ({ name, unit }) => {
    const launches = measured.map((own) => own.filter((launch) => !lacksCosts(launch, name)));
    return modelOf(name, ({ values }) => values[name] ?? null, unit === 'per second', launches);
  };
  return rows.map(({ cell, launches }, index) => ({
    cell,
    launches,
    estimateOf(measure) {
      const complete = measured[index].filter((launch) => !lacksCosts(launch, measure.name));
      const values = complete.map((launch) => launch.values[measure.name] ?? null);
      if (values.length === 0 || !isComplete(values)) return null;
      if (measure.unit === 'count') return estimateMean(values);
      if (measure.scale === 'linear') return signedRankInterval(values);
      return modelOfMeasure(measure).valueOf(index) ?? estimateTypical(values);
    },
    percentileOf({ name, read }, percentile) {
      /** @type {ValueOf} */
      const readValue = (launch) => {
        const times = read(launch);
        return times === null ? null : computePercentiles(times)[percentile];
      };
      const values = measured[index].map(readValue);
      if (!isComplete(values)) return null;
      return modelOf(`${name} ${percentile}`, readValue).valueOf(index) ?? estimateTypical(values);
    },
    ratio() {
      if (reference === -1) return null;
      // Idle launches were the slowest. Without them, the reference would look faster than it is.
      if (rows[reference].launches.some((launch) => launch.status === 'measured' && isIdle(launch)))
        return null;
      if (index === reference) return { ...ratioToItself(measured[index].length), to: referenceLabel };
      const [headline] = scenarios[cell.scenario].measures;
      const ratio = modelOfMeasure(headline).ratioOf(index, reference, comparisons);
      // The quotient of very different numbers may overflow or underflow.
      return ratio !== null && ratio.low > 0 && Number.isFinite(ratio.high)
        ? { ...ratio, to: referenceLabel }
        : null;
    },
  }));
}

/** @param {number} n   number of launches @returns {Estimate} */
function ratioToItself(n) {
  const ratio = { estimate: 1, low: 1, high: 1, n };
  return n > 1 ? { ...ratio, level: LEVEL, method: 'log-model' } : { ...ratio, level: null, method: 'range' };
}

/**
 * @param {MeasuredLaunch} launch
 * @param {string} name   of a measure
 * @returns {boolean} true if the value is unknown because costs of the launch are
 */
function lacksCosts({ unknownCosts, values }, name) {
  return unknownCosts !== undefined && (values[name] ?? null) === null;
}

/** @param {(number | null)[]} values @returns {values is number[]} */
function isComplete(values) {
  return values.every((value) => value !== null);
}

/** @param {ModelledRow} row @param {RunConditions} options @returns {Outcome} */
function summariseRow(row, options) {
  const { cell, launches } = row;
  if (launches.length === 0) return { status: 'skipped', cell, ...NOT_LAUNCHED };
  const { operation, measures: facts } = options.scenarios[cell.scenario];
  const failure = failedOutcome(cell, launches, operation);
  if (failure !== null) return failure;
  const measured = launches.filter(hasRate);
  const isSpinning = cell.poll === 'busy' || measured[0].isSpinning === true;
  const costs = summariseCosts(measured, isSpinning);
  const isOpen = cell.ratePerSecond !== undefined;
  const outcome = { operation, headline: facts[0].name, measures: summariseMeasures(facts, row) };
  return failIfInvalid({
    status: 'measured',
    cell,
    ...outcome,
    // Open load has the planned rate in every cell, so there is nothing to compare.
    ratio: isOpen ? null : shownRatio(row.ratio(), cell, options),
    ...costs,
    flags: flagsOfCell(cell, measured, {
      ...options,
      busiest: costs.busiest,
      medianUs: findMainTimes(outcome)?.p50 ?? null,
      perSecond: headlineMeasure(outcome).unit === 'per second' ? readHeadline(outcome).estimate : null,
    }),
    launches: measured,
    ...(isOpen && { open: summariseOpen(row) }),
    ...(measured[0].backpressure && {
      backpressure: meanBackpressure(measured.flatMap(({ backpressure }) => backpressure ?? [])),
    }),
    ...(measured[0].losses && { losses: sumOfLosses(measured.flatMap(({ losses }) => losses ?? [])) }),
  });
}

/**
 * @param {MeasuredOutcome} outcome
 * @returns {Outcome} the outcome, or a failed one if its numbers violate the schema of the results file: one such row would make the whole
 *   file unreadable
 */
function failIfInvalid(outcome) {
  const fault = faultInOutcome(outcome);
  if (fault === null) return outcome;
  const { cell, launches } = outcome;
  const message = `its summary cannot be saved: ${fault} (scenario ${cell.scenario})`;
  return { status: 'failed', cell, code: 'PROTOCOL', message, launches };
}

/**
 * @param {MeasureFacts[]} facts
 * @param {ModelledRow} row
 * @returns {MeasuredOutcome['measures']} the measures that every launch has
 */
function summariseMeasures(facts, row) {
  const measures = facts.flatMap((measure) => {
    const summary = measure.kind === 'times' ? summariseTimes(measure, row) : summariseValue(measure, row);
    return summary === null ? [] : [[measure.name, summary]];
  });
  return Object.fromEntries(measures);
}

/** @param {MeasureFacts} measure @param {ModelledRow} row @returns {MeasuredValue | null} */
function summariseValue(measure, row) {
  const estimate = row.estimateOf(measure);
  return estimate === null ? null : { ...measure, kind: 'value', ...estimate };
}

/** @param {MeasureFacts} measure @param {ModelledRow} row @returns {MeasuredTimes | null} */
function summariseTimes(measure, row) {
  const { name } = measure;
  const summary = summariseLatency(row, {
    name,
    read: ({ times: { [name]: latency } }) => (latency === undefined ? null : { latency }),
  });
  return summary === null ? null : { ...measure, kind: 'times', ...summary };
}

/** @param {Outcome} outcome @returns {boolean} true if the run ended before the first launch of the cell */
export function isNotLaunched(outcome) {
  return outcome.status === 'skipped' && outcome.cause === NOT_LAUNCHED.cause;
}

/**
 * Hides a ratio without an interval in a quick run.
 * @param {MeasuredOutcome['ratio']} ratio
 * @param {Cell} cell
 * @param {RunConditions} options
 * @returns {MeasuredOutcome['ratio']}
 */
function shownRatio(ratio, cell, { quick }) {
  if (ratio === null || !quick || ratio.to === seriesLabel(cell)) return ratio;
  return ratio.level === null ? null : ratio;
}

// Percentiles of launches that may be lower bounds: responses were missing when the window closed.
const BOUNDED = /** @type {const} */ (['p50', 'p99']);

/**
 * A cache of percentiles by the latency of requests with a response, and by the latency of requests without one. Decoding a histogram takes
 * a millisecond, and each one is needed several times.
 * @type {WeakMap<Latency, Map<Latency | undefined, ReturnType<typeof censoredPercentiles>>>}
 */
const decodedPercentiles = new WeakMap();

/** @param {RecordedTimes} times */
function computePercentiles({ latency, unanswered }) {
  const known = decodedPercentiles.get(latency) ?? new Map();
  decodedPercentiles.set(latency, known);
  const percentiles = known.get(unanswered) ?? censoredPercentiles(latency, unanswered);
  known.set(unanswered, percentiles);
  return percentiles;
}

/**
 * Percentiles are never averaged: histograms are merged, or each launch is one sample.
 * @param {ModelledRow} row
 * @param {TimesOf} timesOf
 * @returns {LatencySummary | null} null if a launch has no times
 */
function summariseLatency(row, timesOf) {
  const launches = row.launches.filter(hasRate);
  const all = launches.map(timesOf.read).filter((times) => times !== null);
  const p50 = all.length < launches.length ? null : row.percentileOf(timesOf, 'p50');
  if (p50 === null) return null;
  const perLaunch = all.map(computePercentiles);
  const atLeast = BOUNDED.filter((name) => perLaunch.some((launch) => launch.atLeast?.includes(name)));
  return {
    ...mergedPercentiles(all),
    perLaunch: {
      p50,
      // If only some launches have enough samples, their p99 would describe the faster launches only.
      p99: row.percentileOf(timesOf, 'p99'),
      ...(atLeast.length > 0 && { atLeast }),
    },
  };
}

/** @param {RecordedTimes[]} all   one for each launch */
function mergedPercentiles(all) {
  const open = all.flatMap(({ unanswered }) => unanswered ?? []);
  const merged = mergeLatencies(all.map(({ latency }) => latency));
  return censoredPercentiles(merged, open.length > 0 ? mergeLatencies(open) : undefined);
}

/** @type {TimesOf} */
const RESPONSE_TIMES = Object.freeze({
  name: 'open response',
  read: ({ open }) => (open === undefined ? null : { latency: open.response, unanswered: open.unanswered }),
});

/** @param {ModelledRow} row   under open load, with at least one launch @returns {OpenSummary} */
function summariseOpen(row) {
  const launches = row.launches.filter(hasRate);
  const opens = launches.map(({ open }) => /** @type {OpenLaunch} */ (open));
  const [{ arrivals, pacing }] = opens;
  const { due, started, ...others } = sumCounts(opens, OPEN_COUNTS);
  const pacingCpuUs = opens.flatMap((open) => open.pacingCpuUs ?? []);
  return {
    arrivals,
    pacing,
    due,
    achieved: achievedShare({ due, started }),
    ...others,
    responseUs: /** @type {LatencySummary} */ (summariseLatency(row, RESPONSE_TIMES)),
    sendLagUs: latencyPercentiles(mergeLatencies(opens.map(({ sendLag }) => sendLag))),
    ...(pacingCpuUs.length > 0 && {
      pacingCpuUsPerOperation: sum(pacingCpuUs) / sumBy(launches, ({ operations }) => operations),
    }),
  };
}

/**
 * Summarises CPU time per operation by role, memory, and the busiest process. Launches whose costs could not be divided are left out if
 * others could.
 * @param {MeasuredLaunch[]} launches at least one
 * @param {boolean} [isSpinning]   all processes spin: they are always busy, so no process is the bottleneck
 * @returns {Pick<MeasuredOutcome, 'cpuUsPerOperation' | 'peakRssBytes' | 'busiest'>}
 */
export function summariseCosts(launches, isSpinning = false) {
  const known = launches.filter(hasKnownCosts);
  const divided = known.filter(hasDividedCosts);
  const used = divided.length > 0 ? divided : known;
  const costs = used.flatMap((launch) => launch.costs);
  const operations = sumBy(used, costedOperations);
  /** @type {Record<string, number>} */
  const cpuUs = { worker: 0, master: 0, helpers: 0, broker: 0 };
  for (const cost of costs) {
    // The cost of the master includes its helper threads, which cannot be separated from the workers here.
    const role = divided.length > 0 || cost.role === 'broker' ? cost.role : UNDIVIDED;
    cpuUs[role] = (cpuUs[role] ?? 0) + cost.userUs + cost.systemUs;
  }
  const { worker, master, helpers, broker, ...others } = cpuUs;
  /** @param {string} role */
  const isThere = (role) => costs.some((cost) => cost.role === role);
  const peaks = launches.map(sumPeakRss).filter((peak) => peak !== null);
  return {
    cpuUsPerOperation: {
      workers: isThere('worker') ? worker / operations : null,
      master: divided.length === 0 ? null : (master + helpers) / operations,
      ...Object.fromEntries(Object.entries(others).map(([role, us]) => [role, us / operations])),
      broker: isThere('broker') ? broker / operations : null,
    },
    peakRssBytes: peaks.length === 0 ? null : Math.max(...peaks),
    // Without costs of single workers, it is unknown whether one thread or several use the CPU time, so no bottleneck can be determined.
    busiest:
      isThere('worker') && !isSpinning
        ? findBusiest(launches[0].open?.pacing === 'spin' ? costs.filter(isNoWorker) : costs)
        : null,
  };
}

/** For launches whose workers spin: a worker is always busy, so it is never the bottleneck. @param {ProcessCost} cost @returns {boolean} */
function isNoWorker(cost) {
  return cost.role !== 'worker';
}

/**
 * @param {MeasuredLaunch} launch
 * @returns {number | null} bytes of all processes; null if the memory of a process is unknown, since the sum would be too small
 */
function sumPeakRss({ costs }) {
  const processes = costs.filter(({ partOf }) => partOf === undefined);
  const peaks = processes.map((cost) => cost.peakRssBytes).filter((peak) => peak !== null);
  if (processes.length === 0 || peaks.length < processes.length) return null;
  return sum(peaks);
}

/** @param {ProcessCost[]} costs   of all launches @returns {MeasuredOutcome['busiest']} */
function findBusiest(costs) {
  // Helpers are several threads, which together may use more than a core without being a bottleneck.
  const processes = new Map(
    costs.filter((cost) => cost.role !== 'helpers').map((cost) => [cost.name, cost.role]),
  );
  const means = [...processes].map(([name, role]) => {
    // The main thread alone counts, because the helper threads of V8 run on other CPUs.
    const shares = costs.filter((cost) => cost.name === name).map((cost) => cost.mainShare ?? cost.share);
    return { name, role, share: sum(shares) / shares.length };
  });
  return means.sort((left, right) => right.share - left.share)[0] ?? null;
}

/** @type {readonly string[]} */
const USUAL_ROLES = Object.freeze(['workers', 'master', 'broker']);

/**
 * @param {readonly { cpuUsPerOperation: Record<string, number | null> }[]} measured
 * @returns {string[]} the roles in the order of columns, also those with unknown costs; the usual roles if nothing was measured
 */
export function listRoles(measured) {
  const roles = new Set(measured.flatMap(({ cpuUsPerOperation }) => Object.keys(cpuUsPerOperation)));
  return roles.size === 0 ? [...USUAL_ROLES] : [...roles];
}

/** Counters of the sends under open load. */
export const OPEN_COUNTS = /** @type {const} */ (['due', 'started', 'late', 'dropped']);

/**
 * @template {string} K
 * @param {readonly Record<K, number>[]} records
 * @param {readonly K[]} counts
 * @returns {Record<K, number>}
 */
export function sumCounts(records, counts) {
  const sums = counts.map((count) => [count, sumBy(records, (record) => record[count])]);
  return Object.fromEntries(sums);
}

/** @param {Losses[]} all @returns {Losses} */
export function sumOfLosses(all) {
  return sumCounts(all, ['requests', 'lost', 'late', 'reordered']);
}

/** @param {Backpressure[]} all   at least one @returns {Backpressure} means; `grownIn` is set if at least half of them agree */
export function meanBackpressure(all) {
  /** @param {'waits' | 'backlog' | 'backlogPerSecond' | 'lostShare'} fact */
  const mean = (fact) => sumBy(all, (one) => one[fact]) / all.length;
  const processes = new Set(all.map(({ grownIn }) => grownIn));
  const most = [...processes].find(
    (process) => all.filter(({ grownIn }) => grownIn === process).length * 2 >= all.length,
  );
  return {
    waits: mean('waits'),
    backlog: mean('backlog'),
    backlogPerSecond: mean('backlogPerSecond'),
    lostShare: mean('lostShare'),
    grownIn: most ?? null,
  };
}

/** @param {{ due: number, started: number }} open @returns {number} requests sent / requests due in the window; 1 if none was due */
export function achievedShare({ due, started }) {
  return due === 0 ? 1 : started / due;
}
