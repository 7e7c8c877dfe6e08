// Launches → the outcomes of the results file: estimates, costs and the flags that concern a whole cell. What is
// wrong with a single launch was judged where it ran.

import { findMainTimes, headlineMeasure, headlineOfLaunch, readHeadline } from '../cell/headline.js';
import { cellLabel, groupLabel, seriesLabel } from '../cell/labels.js';
import { estimateMean, estimateMedian, estimateRatio } from '../statistics/estimate.js';
import { censoredPercentiles, latencyPercentiles, mergeLatencies } from '../statistics/latency.js';
import { signedRankInterval } from '../statistics/rank-tests.js';
import { sum, sumBy } from '../statistics/sum.js';
import { flagsOfCell } from './cell-flags.js';
import { failedOutcome, hasRate, isIdle } from './failed-outcome.js';
import { faultInOutcome } from './readable.js';
import { isAgreed } from './thresholds.js';

/** @import { Backpressure, Cell, Estimate, Latency, LatencySummary, Launch, Losses, MeasureFacts, MeasuredLaunch, MeasuredOutcome, MeasuredTimes, MeasuredValue, OpenLaunch, OpenSummary, Outcome, PlannedCell, ProcessCost, Results, SkippedOutcome } from '../types/index.js' */
/** @typedef {{ plannedLaunches: number, quick: boolean, wakeUpUs?: number | null, controls?: Results['controls'], scenarios: Results['scenarios'] }} Circumstances */

/** @type {Pick<SkippedOutcome, 'reason' | 'cause'>} */
const NOT_LAUNCHED = {
  cause: 'not-launched',
  reason: 'not launched: the run ended before its turn came',
};

/**
 * @param {PlannedCell[]} plan
 * @param {ReadonlyMap<string, Launch[]>} launchesByCell keys: cellLabel
 * @param {string} referenceLabel seriesLabel of the rows that ratios refer to, one in each group
 * @param {Circumstances} options
 * @param {Outcome[]} [previous] of the same plan, some launches ago: histograms that did not change are not merged again
 * @returns {Outcome[]} in the order of the plan
 */
export function summariseResults(plan, launchesByCell, referenceLabel, options, previous = []) {
  const launchesOf = (/** @type {Cell} */ cell) => launchesByCell.get(cellLabel(cell)) ?? [];
  return plan.map(({ cell, skip, isImpossible }, place) => {
    if (skip !== null)
      return { status: 'skipped', cell, reason: skip, ...(isImpossible && { isImpossible }) };
    const reference = plan.find(
      (other) => seriesLabel(other.cell) === referenceLabel && groupLabel(other.cell) === groupLabel(cell),
    );
    const referenceLaunches = reference === undefined ? null : launchesOf(reference.cell);
    const known = previous[place];
    return summariseOutcome(cell, launchesOf(cell), referenceLaunches, referenceLabel, options, known);
  });
}

/**
 * @param {Cell} cell
 * @param {Launch[]} launches so far
 * @param {Launch[] | null} referenceLaunches of the reference in the cell's group; the cell's own if it is the one
 * @param {string} referenceLabel
 * @param {Circumstances} options
 * @param {Outcome} [previous] of the first of these launches
 * @returns {Outcome}
 */
export function summariseOutcome(cell, launches, referenceLaunches, referenceLabel, options, previous) {
  if (launches.length === 0) {
    return { status: 'skipped', cell, ...NOT_LAUNCHED };
  }
  const { operation, measures: facts } = options.scenarios[cell.scenario];
  const failure = failedOutcome(cell, launches, operation);
  if (failure !== null) return failure;
  const measured = launches.filter(hasRate);
  const costs = summariseCosts(measured);
  // All are, by design: it limits nothing.
  if (cell.poll === 'busy' || measured[0].isSpinning) costs.busiest = null;
  const isOpen = cell.ratePerSecond !== undefined;
  const isUnchanged = previous?.status === 'measured' && previous.launches.length === measured.length;
  const measures = isUnchanged ? previous.measures : summariseMeasures(facts, measured);
  const row = { operation, headline: facts[0].name, measures };
  return readable({
    status: 'measured',
    cell,
    ...row,
    // Under open load every cell makes the round trips that were planned: there is nothing to compare.
    ratio: isOpen
      ? null
      : shownRatio(ratioTo(referenceLaunches ?? [], referenceLabel, measured, facts[0]), cell, options),
    ...costs,
    flags: flagsOfCell(cell, measured, {
      ...options,
      busiest: costs.busiest,
      medianUs: findMainTimes(row)?.p50 ?? null,
      perSecond: headlineMeasure(row).unit === 'per second' ? readHeadline(row).estimate : null,
    }),
    launches: measured,
    ...(isOpen && { open: isUnchanged ? previous.open : summariseOpen(measured) }),
    ...(measured[0].backpressure && {
      backpressure: meanBackpressure(measured.flatMap(({ backpressure }) => backpressure ?? [])),
    }),
    ...(measured[0].losses && { losses: sumOfLosses(measured.flatMap(({ losses }) => losses ?? [])) }),
  });
}

/**
 * @param {MeasuredOutcome} outcome
 * @returns {Outcome} failed, where its numbers are such that a file with them could not be read again: the other rows are saved
 */
function readable(outcome) {
  const fault = faultInOutcome(outcome);
  if (fault === null) return outcome;
  const { cell, launches } = outcome;
  const message = `what its launches say together cannot be saved: ${fault} (scenario ${cell.scenario})`;
  return { status: 'failed', cell, code: 'PROTOCOL', message, launches };
}

/**
 * @param {MeasureFacts[]} facts
 * @param {MeasuredLaunch[]} launches
 * @returns {MeasuredOutcome['measures']} those that every launch has
 */
function summariseMeasures(facts, launches) {
  const measures = facts.flatMap((measure) => {
    const summed =
      measure.kind === 'times' ? summariseTimes(measure, launches) : estimated(measure, launches);
    return summed === null ? [] : [[measure.name, summed]];
  });
  return Object.fromEntries(measures);
}

/** @param {MeasureFacts} measure @param {MeasuredLaunch[]} launches @returns {MeasuredValue | null} */
function estimated(measure, launches) {
  const values = launches
    .map((launch) => launch.values[measure.name] ?? null)
    .filter((value) => value !== null);
  if (values.length < launches.length) return null;
  const estimate = chooseEstimator(measure)(values);
  return { ...measure, kind: 'value', ...estimate };
}

/** @param {MeasureFacts} measure @returns {(values: number[]) => Estimate} */
function chooseEstimator({ unit, scale }) {
  if (unit === 'count') return estimateMean;
  return scale === 'linear' ? signedRankInterval : estimateMedian;
}

/** @param {MeasureFacts} measure @param {MeasuredLaunch[]} launches @returns {MeasuredTimes | null} */
function summariseTimes(measure, launches) {
  const times = launches.flatMap((launch) => launch.times[measure.name] ?? []);
  return times.length < launches.length ? null : { ...measure, kind: 'times', ...summariseLatency(times) };
}

/** @param {Outcome} outcome @returns {boolean} the run ended before its turn came */
export function isNotLaunched(outcome) {
  return outcome.status === 'skipped' && outcome.cause === NOT_LAUNCHED.cause;
}

/**
 * @param {ReturnType<typeof ratioTo>} ratio
 * @param {Cell} cell
 * @param {Circumstances} options
 * @returns {ReturnType<typeof ratioTo>} of a quick run only what its launches agree on
 */
function shownRatio(ratio, cell, { quick }) {
  if (ratio === null || !quick || ratio.to === seriesLabel(cell)) return ratio;
  return isAgreed(ratio) ? ratio : null;
}

/**
 * @param {Launch[]} references
 * @param {string} to
 * @param {MeasuredLaunch[]} launches
 * @param {MeasureFacts} headline
 * @returns {MeasuredOutcome['ratio']}
 */
function ratioTo(references, to, launches, headline) {
  const measured = references.filter((launch) => launch.status === 'measured');
  // Those that stood idle were the slowest: the others alone would make the reference faster than it is.
  if (measured.some(isIdle)) return null;
  const rateByBlock = new Map(measured.map((launch) => [launch.block, headlineOfLaunch(headline, launch)]));
  const pairs = launches.flatMap((launch) => {
    const reference = rateByBlock.get(launch.block);
    return reference === undefined ? [] : [{ rate: headlineOfLaunch(headline, launch), reference }];
  });
  if (pairs.length === 0) return null;
  const [rates, others] = [pairs.map(({ rate }) => rate), pairs.map(({ reference }) => reference)];
  const ratio = estimateRatio(rates, others);
  // Of numbers that are too far apart for a ratio.
  return ratio.low > 0 && Number.isFinite(ratio.high) ? { ...ratio, to } : null;
}

// The times of a cell's launches: percentiles of all round trips together, and how they spread over the launches.
// Percentiles are never averaged: histograms are merged, or launches are samples (M-18).
const BOUNDED = /** @type {const} */ (['p50', 'p99']);

/**
 * @param {Latency[]} latencies    one per launch
 * @param {(Latency | undefined)[]} [unanswered]   of the same launches: what had no answer at the end of their windows
 * @returns {LatencySummary}
 */
function summariseLatency(latencies, unanswered = []) {
  const perLaunch = latencies.map((latency, place) => censoredPercentiles(latency, unanswered[place]));
  const p99s = perLaunch.map((launch) => launch.p99).filter((p99) => p99 !== null);
  const open = unanswered.filter((one) => one !== undefined);
  const atLeast = BOUNDED.filter((name) => perLaunch.some((launch) => launch.atLeast?.includes(name)));
  return {
    ...censoredPercentiles(mergeLatencies(latencies), open.length > 0 ? mergeLatencies(open) : undefined),
    perLaunch: {
      p50: estimateMedian(perLaunch.map((launch) => launch.p50)),
      // Of some launches only, it would be the p99 of the faster ones.
      p99: p99s.length < latencies.length ? null : estimateMedian(p99s),
      ...(atLeast.length > 0 && { atLeast }),
    },
  };
}

/** @param {MeasuredLaunch[]} launches   under open load, at least one @returns {OpenSummary} */
function summariseOpen(launches) {
  const opens = launches.map(({ open }) => /** @type {OpenLaunch} */ (open));
  const [{ arrivals, catchesUp, pacing }] = opens;
  const { due, started, ...others } = summed(opens, OPEN_COUNTS);
  return {
    arrivals,
    catchesUp,
    pacing,
    due,
    achieved: achievedShare({ due, started }),
    ...others,
    responseUs: summariseLatency(
      opens.map(({ response }) => response),
      opens.map(({ unanswered }) => unanswered),
    ),
    sendLagUs: latencyPercentiles(mergeLatencies(opens.map(({ sendLag }) => sendLag))),
  };
}

// What the processes of a cell's launches cost: CPU per operation and who paid it, memory, and the busiest process.

/**
 * @param {MeasuredLaunch[]} launches at least one
 * @returns {Pick<MeasuredOutcome, 'cpuUsPerOperation' | 'peakRssBytes' | 'busiest'>}
 */
export function summariseCosts(launches) {
  const costs = launches.flatMap((launch) => launch.costs);
  const operations = sumBy(launches, (launch) => launch.operations);
  /** @type {Record<string, number>} */
  const cpuUs = { worker: 0, master: 0, helpers: 0, broker: 0 };
  for (const cost of costs) cpuUs[cost.role] = (cpuUs[cost.role] ?? 0) + cost.userUs + cost.systemUs;
  const { worker, master, helpers, broker, ...others } = cpuUs;
  const isThere = (/** @type {string} */ role) => costs.some((cost) => cost.role === role);
  const peaks = launches.map(sumPeakRss).filter((peak) => peak !== null);
  return {
    cpuUsPerOperation: {
      workers: isThere('worker') ? worker / operations : null,
      master: (master + helpers) / operations,
      ...Object.fromEntries(Object.entries(others).map(([role, us]) => [role, us / operations])),
      broker: isThere('broker') ? broker / operations : null,
    },
    peakRssBytes: peaks.length === 0 ? null : Math.max(...peaks),
    // Threads that cannot be distinguished may use several cores: that limits nothing.
    busiest: isThere('worker')
      ? findBusiest(launches[0].open?.pacing === 'spin' ? costs.filter(isServing) : costs)
      : null,
  };
}

/** @param {ProcessCost} cost @returns {boolean} not of a worker: one that spins is busy by design, and no bottleneck */
function isServing(cost) {
  return cost.role !== 'worker';
}

/**
 * @param {MeasuredLaunch} launch
 * @returns {number | null} null where a process is unknown: the sum of the others would look like less memory
 */
function sumPeakRss({ costs }) {
  const processes = costs.filter(({ partOf }) => partOf === undefined);
  const peaks = processes.map((cost) => cost.peakRssBytes).filter((peak) => peak !== null);
  if (processes.length === 0 || peaks.length < processes.length) return null;
  return sum(peaks);
}

/** @param {ProcessCost[]} costs of all launches @returns {MeasuredOutcome['busiest']} */
function findBusiest(costs) {
  // Helpers are several threads: together they may take more than a core, and none of them limits anything.
  const processes = new Map(
    costs.filter((cost) => cost.role !== 'helpers').map((cost) => [cost.name, cost.role]),
  );
  const means = [...processes].map(([name, role]) => {
    // The threads of V8 beside the main one run on other CPUs, and limit nothing.
    const shares = costs.filter((cost) => cost.name === name).map((cost) => cost.mainShare ?? cost.share);
    return { name, role, share: sum(shares) / shares.length };
  });
  return means.sort((left, right) => right.share - left.share)[0] ?? null;
}

/** @type {readonly string[]} */
const USUAL_ROLES = Object.freeze(['workers', 'master', 'broker']);

/**
 * @param {readonly { cpuUsPerOperation: Record<string, number | null> }[]} measured
 * @returns {string[]} the keys of their costs, in the order of columns; where nothing was measured the usual ones
 */
export function listRoles(measured) {
  const roles = new Set(measured.flatMap(({ cpuUsPerOperation }) => Object.keys(cpuUsPerOperation)));
  return roles.size === 0 ? [...USUAL_ROLES] : [...roles];
}

// What several launches, workers or cells counted, together.

/** Of the sends of an open load. */
export const OPEN_COUNTS = /** @type {const} */ (['due', 'started', 'late', 'missed', 'dropped']);

/**
 * @template {string} K
 * @param {readonly Record<K, number>[]} records
 * @param {readonly K[]} counts
 * @returns {Record<K, number>}
 */
export function summed(records, counts) {
  const sums = counts.map((count) => [count, sumBy(records, (record) => record[count])]);
  return Object.fromEntries(sums);
}

/** @param {Losses[]} all @returns {Losses} */
export function sumOfLosses(all) {
  return summed(all, ['asked', 'lost', 'late', 'reordered']);
}

/**
 * @param {Backpressure[]} all   of several launches, at least one
 * @returns {Backpressure} their means; where their processes grew, if at least half of them say the same
 */
export function meanBackpressure(all) {
  const mean = (/** @type {'waits' | 'backlog' | 'backlogPerSecond' | 'lostShare'} */ fact) =>
    sumBy(all, (one) => one[fact]) / all.length;
  const places = new Set(all.map(({ grownIn }) => grownIn));
  const most = [...places].find(
    (place) => all.filter(({ grownIn }) => grownIn === place).length * 2 >= all.length,
  );
  return {
    waits: mean('waits'),
    backlog: mean('backlog'),
    backlogPerSecond: mean('backlogPerSecond'),
    lostShare: mean('lostShare'),
    grownIn: most ?? null,
  };
}

/** @param {{ due: number, started: number }} open @returns {number} questions sent per planned instant; less than 1 where the backlog grew */
export function achievedShare({ due, started }) {
  return due === 0 ? 1 : started / due;
}
