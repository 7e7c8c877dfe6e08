// How long a plan will take, roughly, for --dry-run, for the limit above which a run must be forced, and for a sweep that
// begins no launch that cannot end in time.

import { windowForSlo } from './conductor/slo.js';
import { CURVE } from './conductor/sweep-curve.js';
import { usualWarmupMs } from './conductor/timing.js';
import { BenchError } from './errors.js';
import { durationText } from './format/duration.js';
import { TRIES_OF_A_SEARCH } from './statistics/rate-search.js';

/** @typedef {import('./types.js').Cell} Cell */
/** @typedef {import('./types.js').Options} Options */
/** @typedef {import('./types.js').PlannedCell} PlannedCell */

// One launch on two cores: the master's start, each worker's, and the end. A fork takes 60 to 140 ms.
const START_MS = 250;
const START_OF_WORKER_MS = 60;
const SLOW_ROUND_TRIPS_PER_MS = 10; // for --messages: what a launch makes when every wake-up is slow
const GREATEST_LAUNCHES = 5000;
const GREATEST_MS = 2 * 3_600_000;

/**
 * @param {Options} options
 * @param {PlannedCell[]} plan
 * @returns {{ launches: number, ms: number }} of a sweep: how many it takes where rates are high, and how long at the most
 */
export function estimatedRun(options, plan) {
  const cells = plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  if (options.open?.slo) {
    const launches = 1 + TRIES_OF_A_SEARCH + CURVE.length * options.launches;
    return { launches: cells.length * launches, ms: cells.length * (options.open.maxTimeMs ?? 0) };
  }
  const blockMs = cells.reduce((sum, cell) => sum + launchMs(cell, options), 0);
  return { launches: cells.length * options.launches, ms: blockMs * options.launches };
}

/**
 * @param {Cell} cell
 * @param {Options} options
 * @returns {number} of one launch, from its first fork to its last exit
 */
export function launchMs(cell, options) {
  const { workers, loops, ratePerSecond } = cell;
  const { messages, measureMs, open } = options;
  const leastMs = windowForSlo(open?.slo ?? null, ratePerSecond);
  const windowMs =
    messages === null ? Math.max(measureMs, leastMs) : (messages * workers * loops) / SLOW_ROUND_TRIPS_PER_MS;
  return START_MS + START_OF_WORKER_MS * workers + usualWarmupMs(options, cell) + windowMs;
}

/**
 * @param {{ launches: number, ms: number }} estimated
 */
export function refuseEndlessRun({ launches, ms }) {
  if (launches <= GREATEST_LAUNCHES && ms <= GREATEST_MS) return;
  throw new BenchError(
    'TOO_MANY_CELLS',
    `this would be ${launches.toLocaleString('en')} launches and take about ${durationText(ms)}. ` +
      'Leave out some values, choose fewer --launches, a shorter --measure or, for --sweep, --max-time, or add --force',
  );
}
