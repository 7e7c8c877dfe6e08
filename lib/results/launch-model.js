// What the launches of comparable rows say together: a level for each launch, from its slices or its one window, then rows and
// blocks. Rates and their ratios come from the same levels, so that the quotient of two rates is their ratio.

import { headlineMeasure, headlineOfLaunch } from '../cell/headline.js';
import { groupedBy } from '../format/lists.js';
import {
  differenceOf,
  estimateOf,
  fitLogModel,
  intervalOf,
  LEAST_LAUNCHES,
  levelOf,
  levelSpread,
} from '../statistics/log-model.js';
import { sum, sumBy } from '../statistics/sum.js';

/** @import { Estimate, Interval, MeasuredLaunch, MeasuredOutcome, Slices } from '../types/index.js' */
/** @import { Contrast, Spread } from '../statistics/log-model.js' */
/** @typedef {(launch: MeasuredLaunch) => number | null} ValueOf   of a measure; null: the launch has none */
/** @typedef {Estimate & { simultaneous?: Interval }} ComparedEstimate   simultaneous: absent where there is no interval */
/**
 * @typedef {object} LaunchModel
 * @property {(row: number) => Estimate | null} valueOf   null: a launch of it has no value above 0
 * @property {(row: number, other: number, comparisons?: number) => ComparedEstimate | null} ratioOf   null: the same, or nothing connects
 *   them; `comparisons`: how many claims of the table hold together
 */

// What a fresh process makes of the same work differs by some 3 %, beside what the slices of a launch differ by. This counts as
// much as a row of five launches does: with two groups of two rows there is little else to go by.
const LAUNCH_VARIANCE = 0.03 ** 2;
const EXPECTED_DEGREES = 4;
const LEAST_OPERATIONS = 0.5; // of a slice in which none ended: 0 has no logarithm

/**
 * @param {readonly (readonly MeasuredLaunch[])[]} rows   of one table
 * @param {ValueOf} readValue
 * @param {{ isRate?: boolean }} [options]   isRate: it is in proportion to the operations per second, which slices tell
 * @returns {LaunchModel}
 */
export function modelLaunches(rows, readValue, { isRate = false } = {}) {
  const values = rows.map((launches) => launches.map(readValue));
  const isUsable = values.map((own) => own.length > 0 && own.every(hasLogarithm));
  const usable = rows.filter((_, row) => isUsable[row]);
  const places = new Map(
    rows.flatMap((_, row) => (isUsable[row] ? [row] : [])).map((row, place) => [row, place]),
  );
  const slicesOf = isRate ? sliceLevels(usable.flat()) : new Map();
  const blocksByRow = usable.map((launches) => {
    const levels = launches.map((launch) => [
      launch.block,
      Math.log(readValue(launch) ?? 0) + (slicesOf.get(launch)?.level ?? 0),
    ]);
    return /** @type {ReadonlyMap<number, number>} */ (new Map(/** @type {[number, number][]} */ (levels)));
  });
  const expected = expectedSpreads(
    usable.map((launches) => launches.flatMap((launch) => slicesOf.get(launch) ?? [])),
    new Set(blocksByRow.flatMap((row) => [...row.keys()])).size,
  );
  // Slices tell how well a single launch is known.
  const least = expected === null ? LEAST_LAUNCHES : 1;
  const model = usable.length === 0 ? null : fitLogModel(blocksByRow, expected);
  return {
    valueOf(row) {
      const place = places.get(row);
      if (model === null || place === undefined) return null;
      return estimateOf(levelOf(model, place), blocksByRow[place].size, least);
    },
    ratioOf(row, other, comparisons = 1) {
      const [place, reference] = [places.get(row), places.get(other)];
      if (model === null || place === undefined || reference === undefined) return null;
      const difference = differenceOf(model, place, reference);
      return difference === null ? null : comparedEstimate(difference, comparisons, least);
    },
  };
}

/** @param {readonly MeasuredOutcome[]} outcomes   of one group, at least one @returns {LaunchModel} of their headline */
export function modelHeadlines(outcomes) {
  const headline = headlineMeasure(outcomes[0]);
  const readValue = (/** @type {MeasuredLaunch} */ launch) => headlineOfLaunch(headline, launch);
  const launches = outcomes.map((outcome) => outcome.launches);
  return modelLaunches(launches, readValue, { isRate: headline.unit === 'per second' });
}

/** @param {number | null} value @returns {boolean} */
function hasLogarithm(value) {
  return value !== null && value > 0 && value < Infinity;
}

/** @param {{ contrast: Contrast, n: number }} difference @param {number} comparisons @param {number} least   launches @returns {ComparedEstimate} */
function comparedEstimate({ contrast, n }, comparisons, least) {
  const estimate = estimateOf(contrast, n, least);
  if (estimate.level === null) return estimate;
  return { ...estimate, simultaneous: intervalOf(contrast, comparisons) };
}

/**
 * The launches of a block lived together and took turns, so that what changed from round to round met all of them.
 * @param {MeasuredLaunch[]} launches
 * @returns {Map<MeasuredLaunch, { level: number } & Spread>} by how much the level of each launch differs from the
 *   logarithm of its rate, and how well that level is known
 */
function sliceLevels(launches) {
  const sliced = launches.filter(({ slices }) => slices !== undefined && slices.rounds.length > 0);
  const byBlock = groupedBy(sliced, ({ block }) => block);
  return new Map(
    [...byBlock.values()].flatMap((some) => {
      const model = fitLogModel(some.map(({ slices }) => logRates(/** @type {Slices} */ (slices))));
      return some.map(({ slices }, place) => {
        const level = model.levels[place] - logRate(/** @type {Slices} */ (slices));
        return /** @type {const} */ ([some[place], { level, ...levelSpread(model, place) }]);
      });
    }),
  );
}

/** @param {Slices} slices @returns {Map<number, number>} by round, of which one may have several slices */
function logRates({ rounds, operations, windowMs }) {
  /** @type {Map<number, { operations: number[], windowMs: number[] }>} */
  const byRound = new Map();
  for (const [place, round] of rounds.entries()) {
    const known = byRound.get(round) ?? { operations: [], windowMs: [] };
    known.operations.push(operations[place]);
    known.windowMs.push(windowMs[place]);
    byRound.set(round, known);
  }
  return new Map([...byRound].map(([round, some]) => [round, logRate(some)]));
}

/** @param {Pick<Slices, 'operations' | 'windowMs'>} slices @returns {number} of all of them together */
function logRate({ operations, windowMs }) {
  return Math.log(Math.max(sum(operations), LEAST_OPERATIONS) / sum(windowMs));
}

/**
 * @param {Spread[][]} levels   of each row, of its launches; none of a row that was not measured in slices
 * @param {number} blocks
 * @returns {Spread[] | null} of a launch of each row; null: none was measured in slices
 */
export function expectedSpreads(levels, blocks) {
  const all = levels.flat();
  if (all.length === 0) return null;
  return levels.map((own) => {
    const some = own.length === 0 ? all : own;
    const ofSlices = sumBy(some, ({ variance }) => variance) / some.length;
    const variance = ofSlices + LAUNCH_VARIANCE;
    if (blocks > 1) return { variance, degrees: EXPECTED_DEGREES };
    // Nothing else is known of a single block. Source of the degrees: F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
    const known = sumBy(some, ({ degrees }) => degrees) / some.length;
    return {
      variance,
      degrees: variance ** 2 / (ofSlices ** 2 / known + LAUNCH_VARIANCE ** 2 / EXPECTED_DEGREES),
    };
  });
}
