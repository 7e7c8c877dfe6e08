// Plans how long a launch warms up, by the amount of work within limits of time, and its window or slices.

import { furtherConnections, loopsInAll } from '../cell/connections.js';
import { startedProcesses } from '../cell/launch-roles.js';
import { tierUpFlags } from '../children/tier-up.js';
import { WARM_OPERATIONS } from '../format/result-flags.js';
import { MS_PER_S, US_PER_MS } from '../format/units.js';
import { SAMPLES_FOR } from '../statistics/latency.js';

/** @import { Cell, Options, Scenario, SlicePlan, Slo, Timing, WorkGoal } from '../types/index.js' */
/** @typedef {Pick<Scenario, 'canPause' | 'isCold' | 'leastWindowMs' | 'roles' | 'tasks' | 'chosen'>} Tempo */

const BIN_MS = 40; // The trend of a warm-up is computed over bins of this length, of which ten are the least that shows a trend.
const MAX_BINS = 200; // number of bins in a window; the bins of a long window are longer than BIN_MS
const MIN_WARMUP_MS = 480; // twelve bins; with early optimisation, costs are level after 300 to 400 ms
const MAX_WARMUP_MS = 5_000; // Seven processes on two CPUs need 3 s for WORK_GOALS.
const STEADY_WITHIN_MS = 400; // ten bins, the shortest stretch that shows a trend
const OPEN_WARMUP_MS = { least: 1_000, most: 3_000 }; // At low rates, the operations of WORK_GOALS would take minutes.
// If a message starts a process or uses a file or a disk, the usual window would contain a few round trips, or none.
const COSTLY_WINDOW_MS = 1_500;
// After this much work of master and worker, the cost of an operation no longer falls: see docs/method.md, npm run bench:warm-up.
const WORK_GOALS = Object.freeze({
  early: { operations: 6_000, leastCpuMs: 250, enoughCpuMs: 700, levelWithinCpuMs: 1_400 },
  usual: { operations: 12_000, leastCpuMs: 900, enoughCpuMs: 2_000, levelWithinCpuMs: 4_000 },
});
// The CPU time of busy polling is not evidence of work. MAX_SAFE_INTEGER replaces Infinity, which JSON does not support.
const BY_OPERATIONS = { leastCpuMs: 0, enoughCpuMs: Number.MAX_SAFE_INTEGER, levelWithinCpuMs: 0 };

// Duration of a launch: START_MS for the start of the master and the end of all processes, and START_OF_WORKER_MS for each of the workers
// that start on the same CPU, measured on two cores. A fork takes 60 to 140 ms.
const START_MS = 250;
const START_OF_WORKER_MS = 60;
const MEASURED_ON_CPUS = 2;
const CONNECTION_MS = 0.5; // to open and close one connection
const SLOW_ROUND_TRIP_MS = 0.1; // time per round trip with --messages, assuming that every wake-up is slow
const QUEUED_ROUND_TRIP_MS = 0.02; // time per round trip with many requests in flight, since queued messages need no wake-ups
// Per byte, for two passes through the codec and one through the transport, both ways: 8 to 9 ns with JSON over a unix socket on two cores.
const BYTE_MS = 1e-5;
const COPIED_BYTE_MS = 1e-6; // time per byte of a Uint8Array that is copied both ways
// Not measured at the start of a slice, because caches are cold after a pause, and the loops start one after the other.
const SLICE_SKIP_MS = 15;
const SLICE_ORDER_MS = 10; // time from the command to the start of a slice, and from its end until all counts have arrived
// Each loop completes at least one round trip before the window, within it, and after it.
const ROUND_TRIPS_PER_LOOP = 3;

/**
 * @param {Options} options
 * @param {Cell} cell
 * @param {{ isCostly?: boolean, neverSleeps: boolean, hasPeer?: boolean }} transport   resolved for the settings of the cell; `hasPeer` if
 *   the master is a program in another language
 * @param {Tempo} [scenario]
 * @returns {Timing}
 */
export function planTiming(options, cell, { isCostly = false, neverSleeps, hasPeer = false }, scenario = {}) {
  const { warmupMs, messages, open } = options;
  const isOpen = cell.ratePerSecond !== undefined;
  const leastMs = Math.max(scenario.leastWindowMs ?? 0, isCostly ? COSTLY_WINDOW_MS : 0);
  const measureMs = Math.max(options.measureMs, leastMs, openWindowMs(open, cell.ratePerSecond));
  const started = startedBy(scenario, cell);
  const goal = planWorkGoal(options);
  // A worker under open load is idle or polls its schedule, so its rate does not show whether it is warm. An emulated network also limits
  // the rate, and the usual amount of work would take longer than the warm-up may.
  const isPaced = isOpen || cell.network !== undefined;
  const byOperations = {
    ...goal,
    ...BY_OPERATIONS,
    ...(isPaced && { operations: plannedOpenOperations(options) }),
  };
  const workGoal = isPaced || neverSleeps ? byOperations : goal;
  const { isCold = false } = scenario;
  const sliceMs = Math.min(options.sliceMs ?? measureMs, measureMs);
  const canPause = canBeSliced(options, cell, scenario) && !isCostly && !neverSleeps && !hasPeer;
  return {
    warmupMs: warmupMs ?? (isCold ? 0 : null),
    minWarmupMs: isOpen ? OPEN_WARMUP_MS.least : MIN_WARMUP_MS,
    maxWarmupMs: isOpen ? OPEN_WARMUP_MS.most : mostWarmupMs(goal, started),
    steadyWithinMs: canPause ? null : STEADY_WITHIN_MS,
    warmupBinMs: BIN_MS,
    workGoal: { ...workGoal, idleIsEnough: !isOpen },
    measureMs,
    messages,
    // A cold window has a single bin, because it has no trend.
    binMs: isCold ? measureMs : Math.max(BIN_MS, Math.ceil(measureMs / MAX_BINS)),
    ...(canPause && {
      slices: {
        rounds: Math.max(1, Math.round(measureMs / sliceMs)),
        skipMs: SLICE_SKIP_MS,
        measureMs: sliceMs,
      },
    }),
  };
}

/** @param {Timing} timing   of a launch that a group could measure @returns {Timing} timing of the same launch alone, in a single slice */
export function timingAlone({ slices: _slices, ...timing }) {
  return { ...timing, steadyWithinMs: STEADY_WITHIN_MS };
}

/** A slice lasts at least this many operations, so that the wait for the first and the last one costs little. */
const OPERATIONS_OF_SLICE = 5;
export const MAX_SLICE_MS = 2_000;
const MAX_SLICED_OPERATION_MS = MAX_SLICE_MS / OPERATIONS_OF_SLICE;
const MAX_WINDOW_MS = 5_000;

/**
 * @param {SlicePlan} plan
 * @param {number} operationMs
 * @returns {SlicePlan} with long enough slices, or a single window for very long operations
 */
export function fitSlices(plan, operationMs) {
  const { rounds, measureMs } = plan;
  const neededMs = OPERATIONS_OF_SLICE * operationMs;
  if (neededMs <= measureMs) return plan;
  if (neededMs <= MAX_SLICE_MS) return { ...plan, measureMs: neededMs };
  return {
    ...plan,
    rounds: 1,
    measureMs: Math.max(rounds * measureMs, Math.min(neededMs, MAX_WINDOW_MS)),
  };
}

/**
 * @param {Options} options
 * @param {Cell} cell
 * @param {Tempo} scenario
 * @param {number} [operationMs]
 * @returns {number} ms of load in a launch; with slices, including their skipped starts, their commands, and the operations in flight at
 *   their ends
 */
function loadMs(options, cell, scenario, operationMs = usualOperationMs(cell, scenario)) {
  if (!canBeSliced(options, cell, scenario)) return options.measureMs;
  const { rounds, skipMs, measureMs } = expectedSlices(options, cell, scenario, operationMs);
  return rounds * (measureMs + skipMs + SLICE_ORDER_MS + 2 * operationMs);
}

/**
 * Predicts the slices of a launch.
 * @param {Options} options
 * @param {Cell} cell
 * @param {Tempo} scenario
 * @param {number} [operationMs]
 * @returns {SlicePlan}
 */
export function expectedSlices(
  { measureMs, sliceMs = measureMs },
  cell,
  scenario,
  operationMs = usualOperationMs(cell, scenario),
) {
  const planned = { rounds: measureMs / sliceMs, skipMs: SLICE_SKIP_MS, measureMs: sliceMs };
  return fitSlices(planned, operationMs);
}

/** @param {Cell} cell @param {Tempo} scenario @returns {number} ms per round trip, with one open request per loop */
function usualOperationMs(cell, { tasks, chosen = {} }) {
  const { workUs = 0, resultBytes = 0, isBytes = false } = tasks?.(chosen) ?? {};
  const bytes = Math.max(cell.payloadBytes, resultBytes);
  const byteMs = isBytes ? COPIED_BYTE_MS : BYTE_MS;
  const atProcessMs = (cell.loops * workUs) / US_PER_MS;
  return atProcessMs + loopsInAll(cell) * (QUEUED_ROUND_TRIP_MS + byteMs * bytes);
}

/**
 * Returns false for a launch that is measured in one window: slices are not wanted, the load cannot pause, --messages sets its length, it
 * busy-polls, or it cannot run beside other launches.
 * @param {Options} options
 * @param {Cell} cell
 * @param {Tempo} scenario
 */
export function canBeSliced({ messages, sliceMs }, cell, { canPause }) {
  const { ratePerSecond, connections, network, hosts, poll } = cell;
  const isAlone = [ratePerSecond, connections, network, hosts].some((axis) => axis !== undefined);
  return canPause === true && sliceMs !== undefined && messages === null && !isAlone && poll !== 'busy';
}

/**
 * @param {Cell} cell
 * @param {Options} options
 * @param {Tempo} [scenario]
 * @param {number} [usableCpus]
 * @returns ms from the first fork to the last exit
 */
export function launchMs(cell, options, scenario = {}, usableCpus = MEASURED_ON_CPUS) {
  const { isCold, leastWindowMs = 0 } = scenario;
  const { ratePerSecond } = cell;
  const ofCpu = startedPerCpu(scenario, cell, usableCpus);
  const { messages, open } = options;
  const leastMs = Math.max(leastWindowMs, openWindowMs(open, ratePerSecond));
  const loadBudgetMs =
    messages === null
      ? Math.max(loadMs(options, cell, scenario), leastMs)
      : messages * loopsInAll(cell) * (SLOW_ROUND_TRIP_MS + BYTE_MS * cell.payloadBytes);
  const warmupMs = isCold ? (options.warmupMs ?? 0) : usualWarmupMs(options, cell, ofCpu);
  const connectMs = CONNECTION_MS * furtherConnections(cell);
  const roundTripsMs = Math.ceil(
    ROUND_TRIPS_PER_LOOP * loopsInAll(cell) * (QUEUED_ROUND_TRIP_MS + BYTE_MS * cell.payloadBytes),
  );
  return START_MS + START_OF_WORKER_MS * ofCpu + connectMs + warmupMs + loadBudgetMs + roundTripsMs;
}

/**
 * @param {Cell} cell
 * @param {Options} options
 * @param {Tempo} scenario
 * @param {boolean} isOfPlugin   whether transport, codec or scenario is not built in, so that the length of an operation is unknown
 * @param {number} [usableCpus]
 * @returns {number} ms from the first fork to the last exit if warm-up and slices take as long as they may with a plug-in of the user
 */
export function slowLaunchMs(cell, options, scenario, isOfPlugin, usableCpus = MEASURED_ON_CPUS) {
  const started = startedBy(scenario, cell);
  const usualMs = usualWarmupMs(options, cell, startedPerCpu(scenario, cell, usableCpus));
  const isKnown = !isOfPlugin || options.warmupMs !== null || scenario.isCold === true;
  const mostMs =
    cell.ratePerSecond === undefined ? mostWarmupMs(planWorkGoal(options), started) : OPEN_WARMUP_MS.most;
  const furtherWarmupMs = isKnown ? 0 : Math.max(0, mostMs - usualMs);
  const furtherLoadMs =
    isOfPlugin && options.messages === null
      ? loadMs(options, cell, scenario, MAX_SLICED_OPERATION_MS) - loadMs(options, cell, scenario)
      : 0;
  return launchMs(cell, options, scenario, usableCpus) + furtherWarmupMs + Math.max(0, furtherLoadMs);
}

/**
 * @param {Options} options
 * @param {Pick<Cell, 'workers' | 'ratePerSecond'>} cell
 * @param {number} ofCpu   number of processes besides the master that share one CPU
 */
function usualWarmupMs(options, { workers, ratePerSecond }, ofCpu) {
  if (options.warmupMs !== null) return options.warmupMs;
  const goal = planWorkGoal(options);
  if (ratePerSecond === undefined) return Math.max(MIN_WARMUP_MS + 2 * BIN_MS, goal.leastCpuMs * ofCpu);
  const workMs = (MS_PER_S * plannedOpenOperations(options) * workers) / ratePerSecond;
  return Math.min(OPEN_WARMUP_MS.most, Math.max(OPEN_WARMUP_MS.least, workMs));
}

/** @param {Pick<Scenario, 'roles'>} scenario @param {Pick<Cell, 'workers'>} cell @returns number of processes besides the master */
function startedBy(scenario, { workers }) {
  return startedProcesses(scenario, workers).length;
}

/**
 * @param {Pick<Scenario, 'roles'>} scenario
 * @param {Pick<Cell, 'workers' | 'placement'>} cell
 * @param {number} usableCpus
 * @returns number of processes besides the master that share a CPU; the master has one of its own, unless all share one
 */
function startedPerCpu(scenario, cell, usableCpus) {
  const shared = cell.placement === 'same' ? 1 : Math.max(1, usableCpus - 1);
  return Math.ceil(startedBy(scenario, cell) / shared);
}

/** @param {Options} options @returns operations of a warm-up whose rate is limited, so that more could take minutes */
function plannedOpenOperations({ tierUp }) {
  return tierUpFlags(tierUp).length > 0 ? WARM_OPERATIONS : WORK_GOALS.usual.operations;
}

/**
 * Depends on --tier-up, and on whether V8 accepts the flags for early optimisation.
 * @param {Options} options
 * @returns {Omit<WorkGoal, 'idleIsEnough'>}
 */
function planWorkGoal({ tierUp }) {
  return WORK_GOALS[tierUpFlags(tierUp).length > 0 ? 'early' : 'usual'];
}

/** @param {Omit<WorkGoal, 'idleIsEnough'>} goal @param {number} started @returns ms that suffice for all processes on one CPU */
function mostWarmupMs({ leastCpuMs }, started) {
  return Math.max(MAX_WARMUP_MS, 2 * leastCpuMs * (started + 1));
}

/** Rates of the launches after the search of a sweep, as shares of the found rate; the most important is first. */
export const CURVE = Object.freeze([1, 1.1, 0.5, 0.75, 0.25, 0.9]);
const SPARE_SAMPLES = 1.2; // factor for Poisson arrivals, which may be fewer than planned

// A shorter window may miss the pauses of a process that stops once in some seconds, and has too few samples for p99.
const OPEN_WINDOW = { leastMs: 5_000, leastRequests: 1_000 };

/**
 * @param {Options['open']} open
 * @param {number | undefined} ratePerSecond
 * @returns {number} ms of the shortest window under open load; only as long as the SLO needs if --measure sets the window; 0 in closed
 *   loops
 */
export function openWindowMs(open, ratePerSecond) {
  if (open === undefined || ratePerSecond === undefined) return 0;
  const forSlo = windowForSlo(open.slo, ratePerSecond);
  if (open.isWindowChosen) return forSlo;
  return Math.max(
    forSlo,
    OPEN_WINDOW.leastMs,
    Math.ceil((OPEN_WINDOW.leastRequests * MS_PER_S) / ratePerSecond),
  );
}

/**
 * @param {Slo | null} slo
 * @param {number | undefined} ratePerSecond
 * @returns ms of the shortest window with enough samples for the SLO; 0 without an SLO or in closed loops
 */
export function windowForSlo(slo, ratePerSecond) {
  if (slo === null || ratePerSecond === undefined) return 0;
  return Math.ceil((SPARE_SAMPLES * SAMPLES_FOR[slo.percentile] * MS_PER_S) / ratePerSecond);
}
