// When an adaptive run has measured enough: as soon as every interval is narrow enough, or the time is spent. It looks at
// widths only: a rule that looked at p would stop where chance shows a difference.

import { estimateMedian } from '../statistics/estimate.js';
import { LEAST_PAIRS } from '../statistics/signed-rank.js';

/** @import { StopOptions, StopRule } from '../types/index.js' */

/** No run goes on forever because a machine is too noisy for its target. */
export const MOST_BLOCKS = 1000;

/**
 * @param {readonly number[]} rates per launch, all above 0
 * @returns {number} half the width of the 95 % interval, as a share of the estimate; infinite where there is none
 */
export function halfWidth(rates) {
  if (rates.length === 0) return Infinity;
  const { estimate, low, high, level } = estimateMedian([...rates]);
  return level === null ? Infinity : (high - low) / 2 / estimate;
}

/**
 * @param {StopOptions} options
 * @param {object} progress
 * @param {number} progress.blocks            done
 * @param {number} progress.leastBlocks
 * @param {number} progress.elapsedMs
 * @param {readonly (readonly number[])[]} progress.samples   of every cell that can still be measured
 * @returns {Pick<StopRule, 'endedBy' | 'widest'>} endedBy null: one more block
 */
export function stopDecision({ targetError, maxTimeMs }, { blocks, leastBlocks, elapsedMs, samples }) {
  const widest = Math.max(...samples.map(halfWidth));
  const known = { widest: Number.isFinite(widest) ? widest : null };
  if (blocks < Math.max(leastBlocks, LEAST_PAIRS)) return { endedBy: null, ...known };
  if (samples.length === 0) return { endedBy: 'failures', ...known };
  if (widest <= targetError) return { endedBy: 'target', ...known };
  // A block that could not end in time is not begun.
  if (elapsedMs + elapsedMs / blocks > maxTimeMs) return { endedBy: 'time', ...known };
  return { endedBy: blocks >= MOST_BLOCKS ? 'blocks' : null, ...known };
}
