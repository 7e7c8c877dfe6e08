// Before the blocks of a sweep: for each cell the highest rate that keeps the limit, by launches at one rate after the
// other. What is found decides the rates at which the cells are then measured in full, which confirms it or does not.

import { cellLabel, sloLabel } from '../labels.js';
import { hasRate } from '../results/failed-outcome.js';
import { seededRandom, seedFrom } from '../statistics/random.js';
import { rateSearch } from '../statistics/rate-search.js';
import { judgedBySlo } from './slo.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').PlannedCell} PlannedCell */
/** @typedef {import('../types.js').Sweep} Sweep */
/** @typedef {import('./cell-runner.js').CellRunner} CellRunner */

const FIRST_ORDER = 2_000_000; // of the launches of a search: their ids differ from all others of the run
const GUESS_PER_SECOND = 1_000; // where closed loops gave no rate
const SHARES = [0.25, 0.5, 0.75, 0.9, 1, 1.1]; // of the rate found: the curve up to it, and one beyond
const SIGNIFICANT_DIGITS = 3;
const LAUNCHES_OF_A_SEARCH = 19; // about, with the one of closed loops

/**
 * @param {number} launches   of each rate that is measured in full
 * @returns {number} about how many a sweep of one cell takes
 */
export function launchesOfSweep(launches) {
  return LAUNCHES_OF_A_SEARCH + SHARES.length * launches;
}

/**
 * @param {Parameters<typeof import('./run.js').runBenchmark>[0]} run
 * @param {import('../types.js').Results} results   gets the searches
 * @param {CellRunner} runner
 * @returns {Promise<PlannedCell[]>} what is to be measured in full
 */
export async function sweptPlan(run, results, runner) {
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
    const sweep = await searchedFor(planned.cell, run.options, launch);
    sweeps.push(sweep);
    plan.push(...curveOf(sweep));
  }
  return plan;
}

/**
 * @param {Parameters<typeof sweptPlan>[0]} run
 * @param {CellRunner} runner
 * @param {number} cells
 * @returns {(cell: Cell) => Promise<import('../types.js').Launch>}
 */
function searchLauncher({ options, onProgress, signal }, runner, cells) {
  const beganMs = performance.now();
  const random = seededRandom(seedFrom(options.seed, 'sweep'));
  let launchesDone = 0;
  return async (cell) => {
    signal.throwIfAborted();
    onProgress({
      ...{ phase: 'launch', block: 0, blocks: options.launches, cell, launchesDone, failed: 0, etaMs: null },
      launchesTotal: Math.max(launchesDone + 1, cells * LAUNCHES_OF_A_SEARCH),
      elapsedMs: performance.now() - beganMs,
    });
    launchesDone += 1;
    return runner.run(cell, 0, FIRST_ORDER + launchesDone, random);
  };
}

/**
 * @param {Cell} cell
 * @param {import('../types.js').Options} options
 * @param {(cell: Cell) => Promise<import('../types.js').Launch>} launch
 * @returns {Promise<Sweep>}
 */
async function searchedFor(cell, { open, seed }, launch) {
  const slo = /** @type {import('../types.js').Slo} */ (open?.slo);
  // Closed loops ask as fast as they get answers: no open load of as many loops gets much beyond that.
  const closed = await launch(cell);
  const guessPerSecond = hasRate(closed) ? closed.roundTripsPerSecond : GUESS_PER_SECOND;
  const isUp = seededRandom(seedFrom(seed, 'direction', cellLabel(cell)))() < 0.5;
  const direction = isUp ? 'up' : 'down';
  const search = rateSearch({ guessPerSecond, direction });
  /** @type {Sweep['probes']} */
  const probes = [];
  let step = search.next();
  while (!step.done) {
    const ratePerSecond = step.value;
    const judged = judgedBySlo(await launch({ ...cell, ratePerSecond }), slo);
    probes.push({ ratePerSecond, ...judged });
    step = search.next(judged.keeps);
  }
  return { cell, slo, direction, probes, foundPerSecond: step.value };
}

/**
 * @param {Sweep} sweep
 * @returns {PlannedCell[]}
 */
export function curveOf({ cell, slo, probes, foundPerSecond }) {
  if (foundPerSecond === null) {
    const least = Math.min(...probes.map(({ ratePerSecond }) => ratePerSecond));
    const skip = `no rate kept ${sloLabel(slo)}, down to ${least}/s`;
    return [{ cell: { ...cell, ratePerSecond: least }, skip }];
  }
  const rates = SHARES.map((share) =>
    share === 1 ? foundPerSecond : Number((share * foundPerSecond).toPrecision(SIGNIFICANT_DIGITS)),
  );
  const whole = new Set(rates.map((rate) => Math.max(1, Math.round(rate))));
  return [...whole].map((ratePerSecond) => ({ cell: { ...cell, ratePerSecond }, skip: null }));
}
