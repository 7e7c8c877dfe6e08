// The search of a sweep, which precedes the measurement in full: for each cell it finds the rate that nine of ten launches sustain within
// the limit. Each step of the search launches every unfinished cell once, in random order, so that a disturbance of a few seconds affects
// all of them. The rate found determines the rates of the full measurement, and the sustained rate is estimated from the launches of both.
// A launch of the search does not start if it would leave too little of the cell's time for the launches at the rate found. Until one rate
// has kept the limit and another has broken it, time for a single such launch suffices, since the search has found nothing yet; afterwards
// the time must suffice for all of them.

import { sloLabel } from '../cell/labels.js';
import { formatRate } from '../format/numbers.js';
import { MS_PER_S } from '../format/units.js';
import { CURVE, launchMs } from '../plan/timing.js';
import { areOftenDisturbed } from '../results/cell-flags.js';
import { hasRate } from '../results/failed-outcome.js';
import { makeProbe, makeTrial } from '../results/sustained-rate.js';
import { seededRandom, seedFrom, shuffled } from '../statistics/random.js';
import { MAX_LAUNCHES_OF_A_SEARCH, RateSearch } from '../statistics/rate-search.js';
import { sum } from '../statistics/sum.js';

/** @import { Cell, Launch, MeasuredLaunch, Options, PlannedCell, Results, Slo, Sweep } from '../types/index.js' */
/** @import { CellRunner } from './cell-runner.js' */

const MIN_LAUNCHES_TO_JUDGE = 5; // Fewer launches cannot show whether the machine is often disturbed.
// Undisturbed launches of a cell differ by less than this factor. If the limit is broken at rates that are lower than sustained ones by
// this factor, something else is the cause.
const CONTRADICTION = 1.5;
const TOLERATED_CONTRADICTIONS = 1;
// No queue forms at this small share of the rate of closed loops, so something else broke the limit.
const IDLE_SHARE = 1 / 8;
const SIGNIFICANT_DIGITS = 3; // for rates that are measured in full

/**
 * @param {{ options: Options, plan: PlannedCell[] } & import('./interleaved-run.js').Watch} run
 * @param {Results} results   The searches are added.
 * @param {CellRunner} runner
 * @param {() => number} [nowMs]
 * @returns the plan with the rates to measure in full; cells for which no rate was found are skipped
 */
export async function sweptPlan(run, results, runner, nowMs = () => performance.now()) {
  const { options } = run;
  const cells = run.plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  const launch = searchLauncher(run, runner, cells.length);
  const searches = cells.map((cell) => {
    // A message to all workers counts as one operation per worker.
    const perSend = results.scenarios[cell.scenario]?.operation.toAll === undefined ? 1 : cell.workers;
    return new CellSearch(cell, options, new SweepBudget(options, launch, nowMs), perSend);
  });
  results.sweeps = [];
  const random = seededRandom(seedFrom(options.seed, 'sweep-order'));
  let unfinished = searches;
  while (unfinished.length > 0) {
    for (const search of shuffled(unfinished, random)) {
      await search.step();
      results.sweeps = searches.flatMap(({ sweep }) => sweep ?? []);
    }
    unfinished = unfinished.filter(({ sweep }) => sweep === null);
  }
  const byCell = new Map(searches.map((search) => [search.cell, search]));
  return run.plan.flatMap((planned) => byCell.get(planned.cell)?.curve ?? planned);
}

/** @typedef {(cell: Cell) => Promise<Launch>} Launcher */

/** @param {Parameters<typeof sweptPlan>[0]} run @param {CellRunner} runner @param {number} cells @returns {Launcher} */
function searchLauncher({ options, onProgress, signal }, runner, cells) {
  const beganMs = performance.now();
  const random = seededRandom(seedFrom(options.seed, 'sweep'));
  let launchesDone = 0;
  return async (cell) => {
    signal.throwIfAborted();
    onProgress({
      phase: 'launch',
      repetition: 0,
      repetitions: options.launches,
      cell,
      launchesDone,
      failed: 0,
      etaMs: null,
      launchesTotal: Math.max(launchesDone + 1, cells * (1 + MAX_LAUNCHES_OF_A_SEARCH)),
      elapsedMs: performance.now() - beganMs,
    });
    launchesDone += 1;
    return runner.run(cell, 0, launchesDone, random);
  };
}

/** The search of one cell: its first launch is in closed loops, all others are under open load. */
class CellSearch {
  /** @param {Cell} cell @param {Options} options @param {SweepBudget} budget @param {number} perSend   operations per send */
  constructor(cell, options, budget, perSend) {
    this.cell = cell;
    this.slo = /** @type {Slo} */ (options.open?.slo);
    this.budget = budget;
    this.perSend = perSend;
    /** Null before the launch with closed loops. @type {RateSearch | null} */
    this.search = null;
    /** Null before the launch with closed loops, and if it gave no rate. @type {number | null} */
    this.guessPerSecond = null;
    /** @type {Sweep['probes']} */
    this.probes = [];
    /** @type {MeasuredLaunch[]} */
    this.launches = [];
    /** Null until the search has ended. @type {Sweep | null} */
    this.sweep = null;
    /** @type {PlannedCell[]} */
    this.curve = [];
  }

  /** Makes one launch, or ends the search. */
  async step() {
    if (this.search === null) {
      // The rate of closed loops is the first guess: open load with the same number of loops sustains hardly more.
      const closed = await this.budget.launch(this.cell);
      const perSecond = hasRate(closed)
        ? (closed.operations * MS_PER_S) / closed.windowMs / this.perSend
        : null;
      this.guessPerSecond = perSecond === null ? null : Math.max(1, Math.round(perSecond));
      this.search = new RateSearch({ guessPerSecond: this.guessPerSecond });
      return;
    }
    const { budget, cell, search, slo } = this;
    const next = search.next();
    if ('endedBy' in next) {
      this.end({ endedBy: next.endedBy });
      return;
    }
    if (isTooDisturbed(this.launches, this.probes, this.guessPerSecond)) {
      this.end({ endedBy: 'disturbed' });
      return;
    }
    const { ratePerSecond } = next;
    const found = search.answer()?.estimate ?? ratePerSecond;
    const isBracketed = [true, false].every((wanted) => this.probes.some(({ keeps }) => keeps === wanted));
    const launchesAtFound = isBracketed ? budget.options.launches : 1;
    const neededMs = budget.neededMs(cell, ratePerSecond, found, launchesAtFound);
    if (budget.elapsedMs + neededMs > budget.maxTimeMs) {
      const maxTimeMs = budget.wholeMs(cell, found, MAX_LAUNCHES_OF_A_SEARCH - this.probes.length);
      this.end({ endedBy: 'time', next: { ratePerSecond, launchesAtFound, neededMs, maxTimeMs } });
      return;
    }
    const launch = await budget.launch({ ...cell, ratePerSecond });
    const probe = makeProbe(launch, ratePerSecond, slo);
    this.probes.push(probe);
    search.add(makeTrial(probe));
    if (launch.status === 'measured') this.launches.push(launch);
  }

  /** @param {Pick<Sweep, 'endedBy' | 'next'>} end */
  end(end) {
    const { cell, slo, guessPerSecond, probes, budget } = this;
    const found = this.search?.answer()?.estimate;
    /** @type {Sweep} */
    const sweep = {
      cell,
      slo,
      guessPerSecond,
      probes,
      ...end,
      foundPerSecond: found === undefined ? null : rounded(found),
      elapsedMs: budget.elapsedMs,
    };
    const { plan, launchesLeftOut, ratesLeftOut } = planCurve(sweep, budget);
    this.curve = plan;
    this.sweep = {
      ...sweep,
      ...(launchesLeftOut > 0 && { launchesLeftOut }),
      ...(ratesLeftOut > 0 && { ratesLeftOut }),
    };
  }
}

/**
 * @param {MeasuredLaunch[]} launches
 * @param {Sweep['probes']} probes
 * @param {number | null} guessPerSecond   rate of closed loops; null if unknown
 * @returns true if other programs determine the result: launches contradict each other, or all rates break the limit, even one
 *   at which no queue forms
 */
function isTooDisturbed(launches, probes, guessPerSecond) {
  if (launches.length < MIN_LAUNCHES_TO_JUDGE || !areOftenDisturbed(launches)) return false;
  const ratesOf = (/** @type {boolean} */ wanted) =>
    probes.filter(({ keeps }) => keeps === wanted).map(({ ratePerSecond }) => ratePerSecond);
  const [kept, broken] = [ratesOf(true), ratesOf(false)];
  const isContradicted = (/** @type {number} */ rate) =>
    kept.filter((other) => other >= CONTRADICTION * rate).length > TOLERATED_CONTRADICTIONS;
  if (broken.filter(isContradicted).length > TOLERATED_CONTRADICTIONS) return true;
  return guessPerSecond !== null && kept.length === 0 && Math.min(...broken) < IDLE_SHARE * guessPerSecond;
}

/** Adds up the time that the launches of one cell take, without those of other cells in between, and estimates the time of further ones. */
class SweepBudget {
  /** @param {Options} options @param {Launcher} launcher @param {() => number} nowMs */
  constructor(options, launcher, nowMs) {
    this.options = options;
    this.launcher = launcher;
    this.nowMs = nowMs;
    this.maxTimeMs = options.open?.maxTimeMs ?? 0;
    this.elapsedMs = 0;
    /** Durations of launches minus their estimates, positive if the machine is slow or shared. @type {number[]} */
    this.excessMs = [];
  }

  /** @type {Launcher} */
  async launch(cell) {
    const fromMs = this.nowMs();
    const launch = await this.launcher(cell);
    const tookMs = this.nowMs() - fromMs;
    this.elapsedMs += tookMs;
    // The warm-up of closed loops has no fixed length, and a failed launch ended early or waited for a deadline.
    if (launch.status === 'measured' && cell.ratePerSecond !== undefined) {
      this.excessMs.push(tookMs - launchMs(cell, this.options));
    }
    return launch;
  }

  /** @param {Cell} cell @returns {number} ms per launch */
  expectedMs(cell) {
    return launchMs(cell, this.options) + sum(this.excessMs) / Math.max(1, this.excessMs.length);
  }

  /** @param {Cell} cell @returns {number} ms for all launches at one rate of the curve */
  fullMs(cell) {
    return this.options.launches * this.expectedMs(cell);
  }

  /**
   * @param {Cell} cell     has no rate
   * @param {number} ratePerSecond
   * @param {number} foundPerSecond
   * @param {number} launchesAtFound
   * @returns {number} ms for a launch at `ratePerSecond` and for the launches at the rate found
   */
  neededMs(cell, ratePerSecond, foundPerSecond, launchesAtFound) {
    const next = this.expectedMs({ ...cell, ratePerSecond });
    return next + launchesAtFound * this.expectedMs({ ...cell, ratePerSecond: foundPerSecond });
  }

  /**
   * @param {Cell} cell     has no rate
   * @param {number} ratePerSecond
   * @param {number} launches   number of launches that the search still needs
   * @returns {number} ms from the start until the end of these launches and of the whole curve
   */
  wholeMs(cell, ratePerSecond, launches) {
    const curveMs = CURVE.map((share) => this.fullMs({ ...cell, ratePerSecond: share * ratePerSecond }));
    return this.elapsedMs + launches * this.expectedMs({ ...cell, ratePerSecond }) + sum(curveMs);
  }
}

/**
 * Selects the rates at which a cell is measured in full: the rate found, with fewer launches if all of them do not fit into the remaining
 * time of the cell, and others around it as far as they fit.
 * @param {Sweep} sweep
 * @param {SweepBudget} budget
 * @returns {{ plan: PlannedCell[], launchesLeftOut: number, ratesLeftOut: number }} The lowest rate is first. `launchesLeftOut` are launches
 *   at the rate found
 */
function planCurve(sweep, budget) {
  const { cell, foundPerSecond } = sweep;
  if (foundPerSecond === null) return { plan: [skippedCell(sweep)], launchesLeftOut: 0, ratesLeftOut: 0 };
  // If launches contradict each other, rates around the one found are not worth measuring.
  const shares = sweep.endedBy === 'disturbed' ? CURVE.slice(0, 1) : CURVE;
  const [, ...others] = new Set(shares.map((share) => rounded(share * foundPerSecond)));
  const atFound = { ...cell, ratePerSecond: foundPerSecond };
  let leftMs = budget.maxTimeMs - budget.elapsedMs;
  const { launches: most } = budget.options;
  // At least one launch, without which the table would lack the row: the search has left about the time of one.
  const launches = Math.min(most, Math.max(1, Math.floor(leftMs / budget.expectedMs(atFound))));
  leftMs -= launches * budget.expectedMs(atFound);
  const fitting = others
    .map((ratePerSecond) => ({ ...cell, ratePerSecond }))
    .filter((other) => {
      const ms = budget.fullMs(other);
      if (ms > leftMs) return false;
      leftMs -= ms;
      return true;
    });
  /** @type {PlannedCell[]} */
  const plan = [
    { cell: atFound, skip: null, ...(launches < most && { launches }) },
    ...fitting.map((other) => ({ cell: other, skip: null })),
  ];
  return {
    plan: plan.sort((left, right) => (left.cell.ratePerSecond ?? 0) - (right.cell.ratePerSecond ?? 0)),
    launchesLeftOut: most - launches,
    ratesLeftOut: others.length - fitting.length,
  };
}

/** @param {number} rate @returns an integer with SIGNIFICANT_DIGITS */
function rounded(rate) {
  return Math.max(1, Math.round(Number(rate.toPrecision(SIGNIFICANT_DIGITS))));
}

/** @param {Sweep} sweep     found no rate @returns {PlannedCell} */
function skippedCell({ cell, slo, probes, endedBy, next }) {
  const tried = probes.map(({ ratePerSecond }) => ratePerSecond);
  const ratePerSecond = tried.length === 0 && next ? next.ratePerSecond : Math.min(...tried);
  const how = endedBy === 'time' ? ' within --max-time' : '';
  const why = endedBy === 'disturbed' ? ' on a machine that was too disturbed' : '';
  const skip =
    tried.length === 0
      ? `no rate could be tried${how}, beginning with ${formatRate(ratePerSecond)}`
      : `no rate met ${sloLabel(slo)}${how}, down to ${formatRate(ratePerSecond)}${why}`;
  return { cell: { ...cell, ratePerSecond }, skip };
}
