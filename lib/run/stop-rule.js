// When an adaptive run has measured enough: as soon as the ratio of every row is known well enough, or the time is spent. It
// looks at widths only: a rule that looked at p would stop where chance shows a difference.

import { headlineOfLaunch } from '../cell/headline.js';
import { groupLabel, seriesLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import { hasRate } from '../results/failed-outcome.js';
import { modelLaunches } from '../results/launch-model.js';
import { LEAST_BLOCKS_TO_STOP } from '../statistics/log-model.js';

/** @import { Estimate, StopOptions, StopRule } from '../types/index.js' */
/** @import { Entry, Side } from './blocks.js' */

/** No run goes on forever because a machine is too noisy for its target. */
export const MOST_BLOCKS = 1000;

/** @param {Estimate | null} estimate @returns {number} half the width of the interval, as a share of the estimate; infinite where there is none */
export function halfWidth(estimate) {
  if (estimate === null || estimate.level === null) return Infinity;
  return (estimate.high - estimate.low) / 2 / estimate.estimate;
}

/**
 * @param {Side[]} sides
 * @param {Entry[]} entries     of all sides
 * @returns {number[]} half-widths of the ratios that are reported: to the reference of the group, or of several sides to the same
 *   row of the first one; of what is held against nothing, of its own estimate. A row that has failed gives no number, however
 *   often it is launched, and is left out
 */
export function ratioWidths(sides, entries) {
  const live = entries.filter(({ launches }) => launches.every(hasRate));
  return [...groupedBy(live, ({ cell }) => groupLabel(cell)).values()].flatMap((group) => {
    const [{ side, cell }] = group;
    const [headline] = side.results.scenarios[cell.scenario].measures;
    const model = modelLaunches(
      group.map(({ launches }) => launches.filter(hasRate)),
      (launch) => headlineOfLaunch(headline, launch),
      { isRate: headline.unit === 'per second' },
    );
    const references = group.map((entry) => group.indexOf(findReference(entry, sides, entries) ?? entry));
    return group.flatMap((_, row) => {
      const reference = references[row];
      if (reference !== -1 && reference !== row) return halfWidth(model.ratioOf(row, reference));
      const isReference = references.some((other, place) => other === row && place !== row);
      return isReference ? [] : halfWidth(model.valueOf(row));
    });
  });
}

/** @param {Entry} entry @param {Side[]} sides @param {Entry[]} entries @returns {Entry | undefined} what it is held against */
function findReference({ side, cell }, [first, ...others], entries) {
  const isAt = (/** @type {Entry} */ other) => groupLabel(other.cell) === groupLabel(cell);
  if (others.length === 0)
    return entries.find((other) => isAt(other) && seriesLabel(other.cell) === side.reference);
  const ofSide = (/** @type {Side} */ own) => entries.filter((entry) => entry.side === own);
  const place = ofSide(side).findIndex((entry) => entry.cell === cell);
  return ofSide(first)[place];
}

/**
 * @param {StopOptions} options
 * @param {object} progress
 * @param {number} progress.blocks            done
 * @param {number} progress.leastBlocks
 * @param {number} progress.elapsedMs
 * @param {readonly number[]} progress.widths  of every row that can still be measured
 * @returns {Pick<StopRule, 'endedBy' | 'widest'>} endedBy null: one more block
 */
export function stopDecision({ targetError, maxTimeMs }, { blocks, leastBlocks, elapsedMs, widths }) {
  const widest = Math.max(...widths);
  const known = { widest: Number.isFinite(widest) ? widest : null };
  if (blocks < Math.max(leastBlocks, LEAST_BLOCKS_TO_STOP)) return { endedBy: null, ...known };
  if (widths.length === 0) return { endedBy: 'failures', ...known };
  if (widest <= targetError) return { endedBy: 'target', ...known };
  // A block that could not end in time is not begun.
  if (elapsedMs + elapsedMs / blocks > maxTimeMs) return { endedBy: 'time', ...known };
  return { endedBy: blocks >= MOST_BLOCKS ? 'blocks' : null, ...known };
}
