// When an adaptive run has measured enough: as soon as the ratio of every row is known well enough, or the time is spent. The rule depends on
// widths: a rule that depended on p would stop when chance shows a difference. A run of --launches auto also stops when ratios are clear of
// 1, by bounds that make an early look cost next to nothing.

import { headlineOfLaunch } from '../cell/headline.js';
import { groupLabel, seriesLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import { SETTLED_ERROR } from '../options/load-options.js';
import { hasRate } from '../results/failed-outcome.js';
import { modelLaunches } from '../results/launch-model.js';
import { LEAST_BLOCKS_TO_STOP } from '../statistics/log-model.js';
import { LEAST_CLAIM } from '../statistics/verdict.js';

/** @import { Estimate, StopOptions, StopRule } from '../types/index.js' */
/** @import { ComparedEstimate } from '../results/launch-model.js' */
/** @import { Entry, Side } from './run-groups.js' */
/**
 * How well a row is known.
 * @typedef {object} Known
 * @property {number} width    half the width of its interval, as a share of the estimate; Infinity without an interval
 * @property {number} clear    the factor, on logarithms, by which its simultaneous interval could be wider and still exclude differences too
 *   small to claim; 0 if it includes them, or the row is compared with nothing
 */

/** The limit of a run on a machine that is too noisy for its target. */
export const MOST_BLOCKS = 1000;

/** @param {Estimate | null} estimate @returns {number} half the width of the interval, as a share of the estimate; Infinity without one */
export function halfWidth(estimate) {
  if (estimate === null || estimate.level === null) return Infinity;
  return (estimate.high - estimate.low) / 2 / estimate.estimate;
}

/**
 * @param {Side[]} sides
 * @param {Entry[]} entries     of all sides
 * @returns {Known[]} of the reported ratios: to the reference of the table, or with several sides to the same row of the first one; of the
 *   estimate of a row that is compared with nothing. Rows that have failed are left out, since further launches do not help
 */
export function knownRatios(sides, entries) {
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
    const comparisons = references.filter((reference, row) => reference !== -1 && reference !== row).length;
    return group.flatMap((_, row) => {
      const reference = references[row];
      if (reference !== -1 && reference !== row) {
        return judgeRatio(model.ratioOf(row, reference, comparisons));
      }
      const isReference = references.some((other, place) => other === row && place !== row);
      return isReference ? [] : { width: halfWidth(model.valueOf(row)), clear: 0 };
    });
  });
}

/** @param {ComparedEstimate | null} ratio @returns {Known} */
export function judgeRatio(ratio) {
  const width = halfWidth(ratio);
  if (!ratio?.simultaneous) return { width, clear: 0 };
  const { estimate, simultaneous } = ratio;
  const halfLog = Math.log(simultaneous.high / simultaneous.low) / 2;
  return { width, clear: Math.max(0, Math.abs(Math.log(estimate)) - Math.log1p(LEAST_CLAIM)) / halfLog };
}

/** @param {Entry} entry @param {Side[]} sides @param {Entry[]} entries @returns {Entry | undefined} the row that it is compared with */
export function findReference({ side, cell }, [first, ...others], entries) {
  if (others.length === 0)
    return entries.find(
      (other) => groupLabel(other.cell) === groupLabel(cell) && seriesLabel(other.cell) === side.reference,
    );
  const findEntries = (/** @type {Side} */ one) => entries.filter((entry) => entry.side === one);
  const place = findEntries(side).findIndex((entry) => entry.cell === cell);
  return findEntries(first)[place];
}

/**
 * @param {StopOptions} options
 * @param {object} progress
 * @param {number} progress.blocks            done
 * @param {number} progress.leastBlocks
 * @param {number} progress.elapsedMs
 * @param {readonly Known[]} progress.known    of every row that can still be measured
 * @returns {Pick<StopRule, 'endedBy' | 'widest'>} endedBy: null if the run goes on
 */
export function stopDecision(
  { targetError, maxTimeMs, mostLaunches },
  { blocks, leastBlocks, elapsedMs, known },
) {
  const widths = known.map(({ width }) => width);
  const finite = Math.max(...widths);
  const widest = { widest: Number.isFinite(finite) ? finite : null };
  if (blocks < Math.max(leastBlocks, LEAST_BLOCKS_TO_STOP)) return { endedBy: null, ...widest };
  if (widths.length === 0) return { endedBy: 'failures', ...widest };
  if (finite <= targetError) return { endedBy: 'target', ...widest };
  const needed = settlingNeeds({ targetError, mostLaunches }, blocks);
  if (known.every((one) => isSettled(one, needed))) return { endedBy: 'settled', ...widest };
  // Another repetition would not end in time.
  if (elapsedMs + elapsedMs / blocks > maxTimeMs) return { endedBy: 'time', ...widest };
  return { endedBy: blocks >= (mostLaunches ?? MOST_BLOCKS) ? 'blocks' : null, ...widest };
}

/** @typedef {{ width: number, clear: number }} SettlingNeeds   a row that reaches one of the two is settled */

/**
 * @param {Pick<StopOptions, 'targetError' | 'mostLaunches'> | undefined} stop    of an adaptive run
 * @param {number} blocks   done, with the current one
 * @returns {SettlingNeeds}
 */
export function settlingNeeds(stop, blocks) {
  if (stop === undefined) return { width: SETTLED_ERROR, clear: 1 };
  const { targetError, mostLaunches } = stop;
  // A target of the user is about widths alone.
  return {
    width: targetError,
    clear: mostLaunches === undefined ? Infinity : earlyBound(blocks, mostLaunches),
  };
}

/** @param {Known} known @param {SettlingNeeds} needed @returns {boolean} */
export function isSettled({ width, clear }, needed) {
  return width <= needed.width || clear >= needed.clear;
}

/**
 * Bounds of early looks are wider, so that many looks together claim no more than one at the end does.
 * Source: P. C. O'Brien, T. R. Fleming, Biometrics 35 (1979).
 * @param {number} blocks   done
 * @param {number} most     planned
 * @returns {number} factor to the bound of the last look
 */
function earlyBound(blocks, most) {
  return Math.sqrt(most / Math.min(blocks, most));
}
