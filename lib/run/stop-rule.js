// Decides when an adaptive run has measured enough: when the ratio of every row is known well enough, or the time is up. The rule
// depends on widths, because a rule that depends on p would stop when chance shows a difference. With --launches auto, a row whose ratio
// clearly differs from 1 needs no narrow interval. Stricter bounds after few repetitions keep such checks from adding many false claims.

import { headlineOfLaunch } from '../cell/headline.js';
import { groupLabel, seriesLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import { SETTLED_ERROR } from '../options/load-options.js';
import { hasRate } from '../results/failed-outcome.js';
import { modelLaunches } from '../results/launch-model.js';
import { MIN_CLAIM } from '../statistics/verdict.js';

/** @import { Estimate, StopOptions, StopRule } from '../types/index.js' */
/** @import { ComparedEstimate } from '../results/launch-model.js' */
/** @import { RunCell, RunSide } from './run-groups.js' */
/**
 * The precision of a row.
 * @typedef {object} RowPrecision
 * @property {number} width    half the width of its interval, relative to the estimate; Infinity without an interval
 * @property {number} clear    factor by which the simultaneous interval could be wider, on logarithms, and still exclude the differences
 *   that are too small to claim; below 1 if it includes some of them, 0 if the estimate is one of them or if there is no ratio
 */

/** Limit that ends a run on a machine that is too noisy for the target. */
export const MAX_REPETITIONS = 1000;

/** @param {Estimate | null} estimate @returns {number} half the width of its interval relative to the estimate, or Infinity without one */
export function halfWidth(estimate) {
  if (estimate === null || estimate.level === null) return Infinity;
  return (estimate.high - estimate.low) / 2 / estimate.estimate;
}

/**
 * @param {RunSide[]} sides
 * @param {RunCell[]} entries     the entries of all sides
 * @returns {RowPrecision[]} for each row the precision of its ratio: to the reference of the table or, with several sides, to the same row
 *   of the first side. For a row without a ratio, the precision of its estimate. Omits references, and rows with a failed launch, since
 *   further launches do not help
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
    const references = group.map((entry) =>
      group.indexOf(findReferenceEntry(entry, sides, entries) ?? entry),
    );
    const comparisons = references.filter((reference, row) => reference !== -1 && reference !== row).length;
    return group.flatMap((_, row) => {
      const reference = references[row];
      if (reference !== -1 && reference !== row) {
        return judgeRatio(model.ratioOf(row, reference, comparisons));
      }
      const isReference = references.some((other, index) => other === row && index !== row);
      return isReference ? [] : { width: halfWidth(model.valueOf(row)), clear: 0 };
    });
  });
}

/** @param {ComparedEstimate | null} ratio   null if it is unknown @returns {RowPrecision} */
export function judgeRatio(ratio) {
  const width = halfWidth(ratio);
  if (!ratio?.simultaneous) return { width, clear: 0 };
  const { estimate, simultaneous } = ratio;
  const halfLog = Math.log(simultaneous.high / simultaneous.low) / 2;
  return { width, clear: Math.max(0, Math.abs(Math.log(estimate)) - Math.log1p(MIN_CLAIM)) / halfLog };
}

/**
 * @param {RunCell} entry
 * @param {RunSide[]} sides
 * @param {RunCell[]} entries   of all sides
 * @returns {RunCell | undefined} with one side, the row of its reference in the group of the entry; with several, the same cell of the first
 *   side. It may be the entry itself; undefined if there is none
 */
export function findReferenceEntry({ side, cell }, [first, ...others], entries) {
  if (others.length === 0)
    return entries.find(
      (other) => groupLabel(other.cell) === groupLabel(cell) && seriesLabel(other.cell) === side.reference,
    );
  /** @param {RunSide} one */
  const findEntries = (one) => entries.filter((entry) => entry.side === one);
  const index = findEntries(side).findIndex((entry) => entry.cell === cell);
  return findEntries(first)[index];
}

/**
 * @param {StopOptions} options
 * @param {object} progress
 * @param {number} progress.repetitions            number of completed repetitions
 * @param {number} progress.leastRepetitions
 * @param {number} progress.elapsedMs
 * @param {readonly RowPrecision[]} progress.known    from knownRatios()
 * @returns {Pick<StopRule, 'endedBy' | 'widest'>} `endedBy` is null if the run continues
 */
export function stopDecision(
  { targetError, maxTimeMs, mostLaunches },
  { repetitions, leastRepetitions, elapsedMs, known },
) {
  const widths = known.map(({ width }) => width);
  const finite = Math.max(...widths);
  const widest = { widest: Number.isFinite(finite) ? finite : null };
  if (repetitions < leastRepetitions) return { endedBy: null, ...widest };
  if (widths.length === 0) return { endedBy: 'failures', ...widest };
  if (finite <= targetError) return { endedBy: 'target', ...widest };
  const needed = settlingNeeds({ targetError, mostLaunches }, repetitions);
  if (known.every((one) => isSettled(one, needed))) return { endedBy: 'settled', ...widest };
  // The next repetition would exceed the time limit.
  if (elapsedMs + elapsedMs / repetitions > maxTimeMs) return { endedBy: 'time', ...widest };
  return { endedBy: repetitions >= (mostLaunches ?? MAX_REPETITIONS) ? 'repetitions' : null, ...widest };
}

/** @typedef {{ width: number, clear: number }} SettlingNeeds   as in RowPrecision. Reaching one of the two settles a row. */

/**
 * @param {Pick<StopOptions, 'targetError' | 'mostLaunches'> | undefined} stop    set for an adaptive run
 * @param {number} repetitions   number of completed repetitions, plus the current one if there is one
 * @returns {SettlingNeeds}
 */
export function settlingNeeds(stop, repetitions) {
  if (stop === undefined) return { width: SETTLED_ERROR, clear: 1 };
  const { targetError, mostLaunches } = stop;
  // With --target-error or --max-time, `mostLaunches` is undefined, and only the width of its interval settles a row.
  return {
    width: targetError,
    clear: mostLaunches === undefined ? Infinity : earlyBound(repetitions, mostLaunches),
  };
}

/** @param {RowPrecision} known @param {SettlingNeeds} needed @returns {boolean} */
export function isSettled({ width, clear }, needed) {
  return width <= needed.width || clear >= needed.clear;
}

/**
 * Returns stricter bounds for early repetitions, so that checks after every repetition make hardly more false claims than one at the end.
 * Source: P. C. O'Brien, T. R. Fleming, Biometrics 35 (1979).
 * @param {number} repetitions   number of completed repetitions
 * @param {number} most     number of planned repetitions
 * @returns {number} factor relative to the bound after the last planned repetition
 */
function earlyBound(repetitions, most) {
  return Math.sqrt(most / Math.min(repetitions, most));
}
