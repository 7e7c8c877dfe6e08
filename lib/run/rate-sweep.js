// The search of a sweep, before its cells are measured in full: for each cell the rate that nine launches of ten sustain within the limit. In
// each step of the search every unfinished cell gets one launch, in random order, so that a disturbance of some seconds meets all of
// them. The rate found decides the rates at which the cell is then measured in full; the launches of the search count as well. No launch
// begins that would leave too little of the time of the cell for those at the rate found.

import { sloLabel } from '../cell/labels.js';
import { MS_PER_S } from '../format/units.js';
import { CURVE, launchMs } from '../plan/timing.js';
import { areOftenDisturbed } from '../results/cell-flags.js';
import { hasRate } from '../results/failed-outcome.js';
import { probeOf, trialOf } from '../results/sustained-rate.js';
import { seededRandom, seedFrom, shuffled } from '../statistics/random.js';
import { MOST_LAUNCHES_OF_A_SEARCH, RateSearch } from '../statistics/rate-search.js';
import { sum } from '../statistics/sum.js';

/** @import { Cell, Launch, MeasuredLaunch, Options, PlannedCell, Results, Slo, Sweep } from '../types/index.js' */
/** @import { CellRunner } from './cell-runner.js' */

const FIRST_ORDER = 2_000_000; // of the launches of a search: their ids differ from all others of the run
const FEWEST_LAUNCHES_TO_JUDGE = 5; // fewer cannot show whether the machine is often disturbed
// Undisturbed launches of one cell differ by less: something else broke the limit at a rate lower by this factor, if it happened more than
// once.
const CONTRADICTION = 1.5;
const TOLERATED_CONTRADICTIONS = 1;
// There is no queueing at so small a part of the rate of closed loops: something else broke the limit there.
const IDLE_SHARE = 1 / 8;
const SIGNIFICANT_DIGITS = 3; // of a rate that is measured in full

/**
 * @param {{ options: Options, plan: PlannedCell[] } & import('./interleaved-run.js').Watch} run
 * @param {Results} results   gets the searches
 * @param {CellRunner} runner
 * @param {() => number} [nowMs]
 * @returns the cells to measure in full
 */
export async function sweptPlan(run, results, runner, nowMs = () => performance.now()) {
  const { options } = run;
  const cells = run.plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  const launch = searchLauncher(run, runner, cells.length);
  const searches = cells.map((cell) => {
    // A message to all workers is an operation at each of them.
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
      block: 0,
      blocks: options.launches,
      cell,
      launchesDone,
      failed: 0,
      etaMs: null,
      launchesTotal: Math.max(launchesDone + 1, cells * (1 + MOST_LAUNCHES_OF_A_SEARCH)),
      elapsedMs: performance.now() - beganMs,
    });
    launchesDone += 1;
    return runner.run(cell, 0, FIRST_ORDER + launchesDone, random);
  };
}

/** The search of one cell, a launch at a time: closed loops first, then open load. */
class CellSearch {
  /** @param {Cell} cell @param {Options} options @param {SweepBudget} budget @param {number} perSend   operations of one send */
  constructor(cell, options, budget, perSend) {
    this.cell = cell;
    this.slo = /** @type {Slo} */ (options.open?.slo);
    this.budget = budget;
    this.perSend = perSend;
    /** @type {RateSearch | null} before the launch of closed loops */
    this.search = null;
    /** @type {number | null} */
    this.guessPerSecond = null;
    /** @type {Sweep['probes']} */
    this.probes = [];
    /** @type {MeasuredLaunch[]} */
    this.launches = [];
    /** @type {Sweep | null} when it has ended */
    this.sweep = null;
    /** @type {PlannedCell[]} */
    this.curve = [];
  }

  /** Makes one launch, or ends the search. */
  async step() {
    if (this.search === null) {
      // No open load of as many loops sustains much more than closed loops.
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
    if (budget.neededMs(cell, ratePerSecond, found) > budget.maxTimeMs) {
      const maxTimeMs = budget.wholeMs(cell, found, MOST_LAUNCHES_OF_A_SEARCH - this.probes.length);
      this.end({ endedBy: 'time', next: { ratePerSecond, maxTimeMs } });
      return;
    }
    const launch = await budget.launch({ ...cell, ratePerSecond });
    const probe = probeOf(launch, ratePerSecond, slo);
    this.probes.push(probe);
    search.add(trialOf(probe));
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
    const { plan, ratesLeftOut } = planCurve(sweep, budget);
    this.curve = plan;
    this.sweep = ratesLeftOut === 0 ? sweep : { ...sweep, ratesLeftOut };
  }
}

/**
 * @param {MeasuredLaunch[]} launches     of the search so far
 * @param {Sweep['probes']} probes
 * @param {number | null} guessPerSecond  of closed loops
 * @returns other programs decide the search: launches contradict each other, or none keeps the limit at any rate
 */
function isTooDisturbed(launches, probes, guessPerSecond) {
  if (launches.length < FEWEST_LAUNCHES_TO_JUDGE || !areOftenDisturbed(launches)) return false;
  const ratesOf = (/** @type {boolean} */ wanted) =>
    probes.filter(({ keeps }) => keeps === wanted).map(({ ratePerSecond }) => ratePerSecond);
  const [kept, broken] = [ratesOf(true), ratesOf(false)];
  const isContradicted = (/** @type {number} */ rate) =>
    kept.filter((other) => other >= CONTRADICTION * rate).length > TOLERATED_CONTRADICTIONS;
  if (broken.filter(isContradicted).length > TOLERATED_CONTRADICTIONS) return true;
  return guessPerSecond !== null && kept.length === 0 && Math.min(...broken) < IDLE_SHARE * guessPerSecond;
}

/** The time of the launches of one cell, without those of other cells in between. */
class SweepBudget {
  /** @param {Options} options @param {Launcher} launcher @param {() => number} nowMs */
  constructor(options, launcher, nowMs) {
    this.options = options;
    this.launcher = launcher;
    this.nowMs = nowMs;
    this.maxTimeMs = options.open?.maxTimeMs ?? 0;
    this.elapsedMs = 0;
    /** Of the launches, beyond the estimate: the machine is slow, or other programs use it. @type {number[]} */
    this.excessMs = [];
  }

  /** @type {Launcher} */
  async launch(cell) {
    const fromMs = this.nowMs();
    const launch = await this.launcher(cell);
    const tookMs = this.nowMs() - fromMs;
    this.elapsedMs += tookMs;
    // The warm-up of closed loops is adaptive, and a failed launch waited for a deadline, or for nothing.
    if (launch.status === 'measured' && cell.ratePerSecond !== undefined) {
      this.excessMs.push(tookMs - launchMs(cell, this.options));
    }
    return launch;
  }

  /** @param {Cell} cell @returns {number} of one launch */
  expectedMs(cell) {
    return launchMs(cell, this.options) + sum(this.excessMs) / Math.max(1, this.excessMs.length);
  }

  /** @param {Cell} cell @returns {number} of all launches at one rate of the curve */
  fullMs(cell) {
    return this.options.launches * this.expectedMs(cell);
  }

  /**
   * @param {Cell} cell     without its rate
   * @param {number} ratePerSecond    of the next launch
   * @param {number} foundPerSecond   so far
   * @returns {number} since the beginning, until that launch and those at the rate found have ended
   */
  neededMs(cell, ratePerSecond, foundPerSecond) {
    const next = this.expectedMs({ ...cell, ratePerSecond });
    return this.elapsedMs + next + this.fullMs({ ...cell, ratePerSecond: foundPerSecond });
  }

  /**
   * @param {Cell} cell     without its rate
   * @param {number} ratePerSecond
   * @param {number} launches   of the search, still to be made
   * @returns {number} since the beginning, until these and the whole curve have ended
   */
  wholeMs(cell, ratePerSecond, launches) {
    const curveMs = CURVE.map((share) => this.fullMs({ ...cell, ratePerSecond: share * ratePerSecond }));
    return this.elapsedMs + launches * this.expectedMs({ ...cell, ratePerSecond }) + sum(curveMs);
  }
}

/**
 * The rates at which a cell is measured in full: the rate found, and others around it as far as they fit into the remaining time of the
 * cell.
 * @param {Sweep} sweep
 * @param {SweepBudget} budget
 * @returns {{ plan: PlannedCell[], ratesLeftOut: number }} the plan with the lowest rate first
 */
function planCurve(sweep, budget) {
  const { cell, foundPerSecond } = sweep;
  if (foundPerSecond === null) return { plan: [skippedCell(sweep)], ratesLeftOut: 0 };
  // If launches contradict each other, only the rate found is worth measuring.
  const shares = sweep.endedBy === 'disturbed' ? CURVE.slice(0, 1) : CURVE;
  const rates = [...new Set(shares.map((share) => rounded(share * foundPerSecond)))];
  let leftMs = budget.maxTimeMs - budget.elapsedMs;
  const fitting = rates.filter((ratePerSecond) => {
    const ms = budget.fullMs({ ...cell, ratePerSecond });
    // The search has reserved the time of the rate found, roughly.
    if (ms > leftMs && ratePerSecond !== foundPerSecond) return false;
    leftMs -= ms;
    return true;
  });
  return {
    plan: fitting
      .sort((left, right) => left - right)
      .map((ratePerSecond) => ({ cell: { ...cell, ratePerSecond }, skip: null })),
    ratesLeftOut: rates.length - fitting.length,
  };
}

/** @param {number} rate @returns an integer with few significant digits */
function rounded(rate) {
  return Math.max(1, Math.round(Number(rate.toPrecision(SIGNIFICANT_DIGITS))));
}

/** @param {Sweep} sweep     without a rate @returns {PlannedCell} */
function skippedCell({ cell, slo, probes, endedBy, next }) {
  const tried = probes.map(({ ratePerSecond }) => ratePerSecond);
  const ratePerSecond = tried.length === 0 && next ? next.ratePerSecond : Math.min(...tried);
  const how = endedBy === 'time' ? ' within --max-time' : '';
  const why = endedBy === 'disturbed' ? ' on a machine that was too disturbed' : '';
  const skip =
    tried.length === 0
      ? `no rate could be tried${how}, beginning with ${ratePerSecond}/s`
      : `no rate kept ${sloLabel(slo)}${how}, down to ${ratePerSecond}/s${why}`;
  return { cell: { ...cell, ratePerSecond }, skip };
}
