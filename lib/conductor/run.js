// A whole run: blocks of launches in shuffled order, one at a time, each saved as soon as it has ended.

import { readTopology } from '../cpu-topology.js';
import { readEnvironment } from '../environment.js';
import { BenchError } from '../errors.js';
import { cellLabel } from '../labels.js';
import { newResults } from '../results/new.js';
import { summariseResults } from '../results/summarise.js';
import { writeResults } from '../results/write.js';
import { seededRandom, seedFrom, shuffled } from '../statistics/random.js';
import { canPin } from '../transport-kit/launcher.js';
import { BrokerKeeper } from './broker-keeper.js';
import { CellRunner } from './cell-runner.js';
import { openScratch } from './scratch.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Launch} Launch */
/** @typedef {import('../types.js').Options} Options */
/** @typedef {import('../types.js').PlannedCell} PlannedCell */
/** @typedef {import('../types.js').Results} Results */
/** @typedef {import('./assign.js').LoadedPlugins} LoadedPlugins */

const FAILURES_UNTIL_GIVEN_UP = 2; // of one cell: it has failed already, and each may cost a deadline

/**
 * @typedef {object} Progress
 * @property {'launch' | 'end'} phase        a launch begins, or the run has ended
 * @property {number} block                  from 0
 * @property {number} blocks
 * @property {Cell | null} cell              the one that is launched now
 * @property {number} launchesDone
 * @property {number} launchesTotal
 * @property {number} failed                 launches
 * @property {number} elapsedMs
 * @property {number | null} etaMs           null before the first launch has ended
 */

/**
 * @param {object} run
 * @param {Options} run.options
 * @param {LoadedPlugins} run.plugins
 * @param {PlannedCell[]} run.plan
 * @param {string} run.reference             label of the reference rows
 * @param {import('../types.js').PublishedFigures | null} run.published
 * @param {string} run.resultsPath           written after every launch
 * @param {(progress: Progress) => void} run.onProgress   called between launches only
 * @param {AbortSignal} run.signal
 * @param {Partial<import('../launch/assignment.js').Deadlines>} [run.deadlines]   what differs from the defaults
 * @returns {Promise<Results>}               status 'interrupted' when the signal was given
 */
export async function runBenchmark(run) {
  const { options, plan, reference, published, signal } = run;
  const cells = plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  if (cells.length === 0) {
    const reasons = [...new Set(plan.map(({ skip }) => skip))].join('; ');
    throw new BenchError('NOTHING_TO_RUN', `nothing to run, every cell is skipped: ${reasons}`);
  }
  const environment = readEnvironment({ pinning: canPin() });
  const results = newResults({ options, environment, reference, published });
  const scratch = await openScratch();
  const brokers = new BrokerKeeper(scratch.path);
  try {
    const runner = new CellRunner({ ...run, scratch, brokers, environment, cpus: usableCpus() });
    await runBlocks(run, cells, results, runner);
  } catch (error) {
    if (!signal.aborted) throw error;
    results.status = 'interrupted';
  } finally {
    await brokers.close();
    await scratch.remove();
  }
  if (results.status === 'running') results.status = 'complete';
  await writeResults(run.resultsPath, results);
  return results;
}

/**
 * @param {Parameters<typeof runBenchmark>[0]} run
 * @param {Cell[]} cells
 * @param {Results} results
 * @param {CellRunner} runner
 */
async function runBlocks(
  { options, plan, reference, resultsPath, onProgress, signal },
  cells,
  results,
  runner,
) {
  /** @type {Map<string, Launch[]>} */
  const launchesByCell = new Map(cells.map((cell) => [cellLabel(cell), []]));
  const summarise = () => {
    const circumstances = { plannedLaunches: options.launches, quick: options.quick };
    results.outcomes = summariseResults(plan, launchesByCell, reference, circumstances, results.outcomes);
    results.updatedAt = new Date().toISOString();
  };
  const track = tracker(cells.length * options.launches, options.launches, onProgress);
  try {
    for (let block = 0; block < options.launches; block += 1) {
      const random = seededRandom(seedFrom(options.seed, 'block', block));
      for (const cell of shuffled(cells, random)) {
        signal.throwIfAborted();
        const launches = /** @type {Launch[]} */ (launchesByCell.get(cellLabel(cell)));
        if (launches.filter(({ status }) => status === 'failed').length < FAILURES_UNTIL_GIVEN_UP) {
          track.begins(block, cell);
          launches.push(await runner.run(cell, block, track.order(), random));
          summarise();
          await writeResults(resultsPath, results);
        }
        track.ended(launches.at(-1)?.status === 'failed');
      }
    }
  } finally {
    summarise();
    track.ends();
  }
}

/**
 * @param {number} launchesTotal
 * @param {number} blocks
 * @param {(progress: Progress) => void} onProgress
 */
function tracker(launchesTotal, blocks, onProgress) {
  const beganMs = performance.now();
  let launchesDone = 0;
  let failed = 0;
  let block = 0;
  const tell = (/** @type {'launch' | 'end'} */ phase, /** @type {Cell | null} */ cell) => {
    const elapsedMs = performance.now() - beganMs;
    const etaMs = launchesDone === 0 ? null : (elapsedMs / launchesDone) * (launchesTotal - launchesDone);
    onProgress({ phase, block, blocks, cell, launchesDone, launchesTotal, failed, elapsedMs, etaMs });
  };
  return {
    order: () => launchesDone,
    begins(/** @type {number} */ ofBlock, /** @type {Cell} */ cell) {
      block = ofBlock;
      tell('launch', cell);
    },
    ended(/** @type {boolean} */ hasFailed) {
      launchesDone += 1;
      if (hasFailed) failed += 1;
    },
    ends: () => tell('end', null),
  };
}

/** @returns {number[] | null} in the order in which to use them; null where nothing can be pinned */
function usableCpus() {
  return canPin() ? (readTopology()?.siblingsLast ?? null) : null;
}
