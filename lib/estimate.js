// How long a plan will take, roughly, for --dry-run and for the limit above which a run must be forced.

import { launchesOfSweep } from './conductor/sweep.js';
import { BenchError } from './errors.js';
import { durationText } from './format/duration.js';

/** @typedef {import('./types.js').Options} Options */
/** @typedef {import('./types.js').PlannedCell} PlannedCell */

// One launch on two cores: the master's start, each worker's, and the end. A fork takes 60 to 140 ms.
const START_MS = 250;
const START_OF_WORKER_MS = 60;
const DETECTED_WARMUP_MS = 700; // 600 at the least
const WORK_OF_WORKER_MS = 250; // until it is warm, one behind the other on the CPU beside the master's
const OPEN_WARMUP_MS = 1_000;
const SLOW_ROUND_TRIPS_PER_MS = 10; // for --messages: what a launch makes when every wake-up is slow
const GREATEST_LAUNCHES = 5000;
const GREATEST_MS = 2 * 3_600_000;

/**
 * @param {Options} options
 * @param {PlannedCell[]} plan
 * @returns {{ launches: number, ms: number }}
 */
export function estimatedRun(options, plan) {
  const cells = plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  const blockMs = cells.reduce((sum, { workers, loops }) => {
    const { messages, measureMs, warmupMs } = options;
    const windowMs = messages === null ? measureMs : (messages * workers * loops) / SLOW_ROUND_TRIPS_PER_MS;
    const detectedMs = Math.max(DETECTED_WARMUP_MS, WORK_OF_WORKER_MS * workers);
    const usualWarmupMs = options.open === undefined ? detectedMs : OPEN_WARMUP_MS;
    return sum + START_MS + START_OF_WORKER_MS * workers + (warmupMs ?? usualWarmupMs) + windowMs;
  }, 0);
  const launches = options.open?.slo ? launchesOfSweep(options.launches) : options.launches;
  return { launches: cells.length * launches, ms: blockMs * launches };
}

/**
 * @param {{ launches: number, ms: number }} estimated
 */
export function refuseEndlessRun({ launches, ms }) {
  if (launches <= GREATEST_LAUNCHES && ms <= GREATEST_MS) return;
  throw new BenchError(
    'TOO_MANY_CELLS',
    `this would be ${launches.toLocaleString('en')} launches and take about ${durationText(ms)}. ` +
      'Leave out some values, choose fewer --launches or a shorter --measure, or add --force',
  );
}
