// Before the blocks of a sweep: for each cell the highest rate that keeps the limit, by launches at one rate after the
// other. What is found decides the rates at which the cells are then measured in full, which confirms it or does not. No
// launch is begun that would leave too little of the cell's time for that.

import { cellLabel, sloLabel } from '../cell/labels.js';
import { formatTenthsOfPercent } from '../format/numbers.js';
import { MS_PER_S } from '../format/units.js';
import { CURVE, launchMs, SAMPLES_FOR } from '../plan/timing.js';
import { areOftenDisturbed } from '../results/cell-flags.js';
import { hasRate } from '../results/failed-outcome.js';
import { achievedShare } from '../results/summarise.js';
import { LEAST_ACHIEVED } from '../results/thresholds.js';
import { censoredPercentiles } from '../statistics/latency.js';
import { seededRandom, seedFrom } from '../statistics/random.js';
import { rateSearch, TRIES_OF_A_SEARCH } from '../statistics/rate-search.js';

/** @import { Cell, Launch, MeasuredLaunch, Options, PlannedCell, Results, Slo, Sweep } from '../types/index.js' */
/** @import { CellRunner } from './cell-runner.js' */

const FIRST_ORDER = 2_000_000; // of the launches of a search: their ids differ from all others of the run
const GUESS_PER_SECOND = 1_000; // where closed loops gave no rate
const FEWEST_LAUNCHES_TO_JUDGE = 4; // of fewer it cannot be told whether the machine is often disturbed
// At the limit itself two launches may well differ, undisturbed: one such rate says nothing of the machine.
const TOLERATED_CONTRADICTIONS = 1;
// Nobody waits for others at so small a part of what closed loops got: there the limit is broken by something else.
const IDLE_SHARE = 1 / 8;

/**
 * @param {{ options: Options, plan: PlannedCell[] } & import('./interleaved-run.js').Watch} run
 * @param {Results} results   gets the searches
 * @param {CellRunner} runner
 * @param {() => number} [nowMs]
 * @returns what is to be measured in full
 */
export async function sweptPlan(run, results, runner, nowMs = () => performance.now()) {
  /** @type {Sweep[]} */
  const sweeps = [];
  results.sweeps = sweeps;
  const cells = run.plan.filter(({ skip }) => skip === null);
  const launch = searchLauncher(run, runner, cells.length);
  /** @type {PlannedCell[]} */
  const plan = [];
  for (const planned of run.plan) {
    if (planned.skip !== null) {
      plan.push(planned);
      continue;
    }
    const { cell } = planned;
    const budget = new SweepBudget(run.options, launch, nowMs);
    // What goes to all workers is an operation at each of them.
    const perSend = results.scenarios[cell.scenario]?.operation.toAll === undefined ? 1 : cell.workers;
    const sweep = await searchedFor(cell, run.options, budget, perSend);
    const curve = planCurve(sweep, budget);
    sweeps.push(curve.ratesLeftOut === 0 ? sweep : { ...sweep, ratesLeftOut: curve.ratesLeftOut });
    plan.push(...curve.plan);
  }
  return plan;
}

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
      launchesTotal: Math.max(launchesDone + 1, cells * (1 + TRIES_OF_A_SEARCH)),
      elapsedMs: performance.now() - beganMs,
    });
    launchesDone += 1;
    return runner.run(cell, 0, FIRST_ORDER + launchesDone, random);
  };
}

/** @param {Cell} cell @param {Options} options @param {SweepBudget} budget @param {number} perSend @returns {Promise<Sweep>} */
async function searchedFor(cell, { open, seed }, budget, perSend) {
  const slo = /** @type {Slo} */ (open?.slo);
  // Closed loops ask as fast as they get answers: no open load of as many loops gets much beyond that.
  const closed = await budget.launch(cell);
  const isGuessMeasured = hasRate(closed);
  const guessPerSecond = isGuessMeasured
    ? (closed.operations * MS_PER_S) / closed.windowMs / perSend
    : GUESS_PER_SECOND;
  const isUp = seededRandom(seedFrom(seed, 'direction', cellLabel(cell)))() < 0.5;
  const direction = /** @type {Sweep['direction']} */ (isUp ? 'up' : 'down');
  const search = rateSearch({ guessPerSecond, isGuessMeasured, direction });
  /** @type {Sweep['probes']} */
  const probes = [];
  /** @type {MeasuredLaunch[]} */
  const launches = [];
  const ended = (/** @type {Pick<Sweep, 'endedBy' | 'foundPerSecond' | 'next'>} */ end) => {
    return { cell, slo, direction, probes, ...end, elapsedMs: budget.elapsedMs() };
  };
  let step = search.next();
  while (!step.done) {
    const { ratePerSecond, keptPerSecond: foundPerSecond } = step.value;
    if (isTooDisturbed(launches, probes, foundPerSecond, guessPerSecond)) {
      return ended({ endedBy: 'disturbed', foundPerSecond });
    }
    const maxTimeMs = budget.neededMs(cell, step.value);
    if (maxTimeMs > budget.maxTimeMs) {
      return ended({ endedBy: 'time', foundPerSecond, next: { ratePerSecond, maxTimeMs } });
    }
    const launch = await budget.launch({ ...cell, ratePerSecond });
    const judged = judgedBySlo(launch, slo);
    const flags = launch.status === 'measured' ? launch.flags.map(({ code }) => code) : [];
    probes.push({ ratePerSecond, ...judged, ...(flags.length > 0 && { flags }) });
    if (launch.status === 'measured') launches.push(launch);
    step = search.next(judged.keeps);
  }
  return ended({ endedBy: step.value === null ? 'none' : 'found', foundPerSecond: step.value });
}

/**
 * @param {MeasuredLaunch[]} launches     of the search so far
 * @param {Sweep['probes']} probes
 * @param {number | null} keptPerSecond
 * @param {number} guessPerSecond         of closed loops
 * @returns what else runs here decides the search: launches at one rate contradict each other, or none keeps the
 *   limit, however low the rate
 */
function isTooDisturbed(launches, probes, keptPerSecond, guessPerSecond) {
  if (launches.length < FEWEST_LAUNCHES_TO_JUDGE || !areOftenDisturbed(launches)) return false;
  const kept = new Set(probes.filter(({ keeps }) => keeps).map(({ ratePerSecond }) => ratePerSecond));
  const broken = new Set(probes.filter(({ keeps }) => !keeps).map(({ ratePerSecond }) => ratePerSecond));
  if ([...kept].filter((rate) => broken.has(rate)).length > TOLERATED_CONTRADICTIONS) return true;
  return keptPerSecond === null && Math.min(...broken) < IDLE_SHARE * guessPerSecond;
}

/** @typedef {(cell: Cell) => Promise<Launch>} Launcher */

class SweepBudget {
  /** Begins now. @param {Options} options @param {Launcher} launcher @param {() => number} nowMs */
  constructor(options, launcher, nowMs) {
    this.options = options;
    this.launcher = launcher;
    this.nowMs = nowMs;
    this.maxTimeMs = options.open?.maxTimeMs ?? 0;
    this.beganMs = nowMs();
    this.launches = 0;
    this.excessMs = 0; // of these launches, beyond the estimate: the machine is slow, or others use it
  }

  elapsedMs() {
    return this.nowMs() - this.beganMs;
  }

  /** @type {Launcher} */
  async launch(cell) {
    const fromMs = this.nowMs();
    const launch = await this.launcher(cell);
    // The warm-up of closed loops takes as long as it takes, and what failed waited for a deadline, or for nothing.
    if (launch.status === 'measured' && cell.ratePerSecond !== undefined) {
      this.launches += 1;
      this.excessMs += this.nowMs() - fromMs - launchMs(cell, this.options);
    }
    return launch;
  }

  /** @param {Cell} cell @returns of one launch */
  expectedMs(cell) {
    return launchMs(cell, this.options) + this.excessMs / Math.max(1, this.launches);
  }

  /** @param {Cell} cell @returns of all launches at one rate that confirm it */
  fullMs(cell) {
    return this.options.launches * this.expectedMs(cell);
  }

  /**
   * @param {Cell} cell     without its rate
   * @param {import('../statistics/rate-search.js').SearchStep} step
   * @returns since the beginning, until this step is decided and the highest rate that keeps the limit confirmed
   */
  neededMs(cell, { ratePerSecond, keptPerSecond, votes }) {
    const confirmed = { ...cell, ratePerSecond: keptPerSecond ?? ratePerSecond };
    return this.elapsedMs() + votes * this.expectedMs({ ...cell, ratePerSecond }) + this.fullMs(confirmed);
  }
}

// What a search found → the rates at which the cell is then measured in full: the rate found, and others around it as far
// as they fit into what is left of the cell's time.
const SIGNIFICANT_DIGITS = 3;

/**
 * @param {Sweep} sweep
 * @param {SweepBudget} budget
 * @returns {{ plan: PlannedCell[], ratesLeftOut: number }} the plan with the lowest rate first
 */
function planCurve(sweep, budget) {
  const { cell, foundPerSecond } = sweep;
  if (foundPerSecond === null) return { plan: [skippedCell(sweep)], ratesLeftOut: 0 };
  // The rest of a curve is worth no launches where launches contradict each other.
  const shares = sweep.endedBy === 'disturbed' ? CURVE.slice(0, 1) : CURVE;
  const rates = [...new Set(shares.map((share) => rateAt(foundPerSecond, share)))];
  let leftMs = budget.maxTimeMs - budget.elapsedMs();
  const fitting = rates.filter((ratePerSecond) => {
    const ms = budget.fullMs({ ...cell, ratePerSecond });
    // The search has kept its time free, roughly: it is never left unconfirmed.
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

/** @param {number} foundPerSecond @param {number} share @returns a whole rate */
function rateAt(foundPerSecond, share) {
  if (share === 1) return foundPerSecond;
  return Math.max(1, Math.round(Number((share * foundPerSecond).toPrecision(SIGNIFICANT_DIGITS))));
}

/** @param {Sweep} sweep     that found nothing @returns {PlannedCell} */
function skippedCell({ cell, slo, probes, endedBy, next }) {
  const tried = probes.map(({ ratePerSecond }) => ratePerSecond);
  const ratePerSecond = tried.length === 0 && next ? next.ratePerSecond : Math.min(...tried);
  const how = endedBy === 'time' ? ' within --max-time' : '';
  const why = endedBy === 'disturbed' ? ' on a machine that was too disturbed' : '';
  const skip =
    tried.length === 0
      ? `no rate could be tried and confirmed${how}, beginning with ${ratePerSecond}/s`
      : `no rate kept ${sloLabel(slo)}${how}, down to ${ratePerSecond}/s${why}`;
  return { cell: { ...cell, ratePerSecond }, skip };
}

/**
 * @param {Launch} launch   under open load
 * @param {Slo} slo
 * @returns {{ us: number | null, keeps: boolean, why: string }} us: of the percentile; why: it does not keep
 */
export function judgedBySlo(launch, { percentile, us }) {
  if (launch.status === 'failed') return { us: null, keeps: false, why: `failed: ${launch.message}` };
  const { open } = launch;
  if (open === undefined) throw new TypeError('a limit of response times is for launches under open load');
  const { atLeast = [], [percentile]: found } = censoredPercentiles(open.response, open.unanswered);
  if (found === null || open.response.count < SAMPLES_FOR[percentile]) {
    return { us: null, keeps: false, why: `${open.response.count} samples are too few` };
  }
  const achieved = achievedShare(open);
  if (achieved < LEAST_ACHIEVED) {
    return { us: found, keeps: false, why: `the backlog grew: ${formatTenthsOfPercent(achieved)} were sent` };
  }
  // A bound below the limit says nothing of it, and one above it says enough.
  if (atLeast.includes(percentile) && found < us)
    return {
      us: null,
      keeps: false,
      why: `${open.unanswered?.count} had no response when the window closed`,
    };
  return { us: found, keeps: found < us, why: found < us ? '' : 'too slow' };
}
