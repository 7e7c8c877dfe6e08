// Estimates rows and their ratios from the launches of a table. Each launch gets a level from its slices or its one window; a model then
// separates effects of rows and groups. Rates and ratios come from the same levels, so the quotient of two rates equals their ratio.

import { headlineMeasure, headlineOfLaunch } from '../cell/headline.js';
import { groupedBy } from '../format/lists.js';
import {
  computeDifference,
  computeLevel,
  fitLogModel,
  isSaturated,
  levelSpread,
  MIN_LAUNCHES,
  makeEstimate,
} from '../statistics/log-model.js';
import { sum, sumBy } from '../statistics/sum.js';

/** @import { Estimate, MeasuredLaunch, MeasuredOutcome, Slices } from '../types/index.js' */
/** @import { Spread } from '../statistics/log-model.js' */
/** @typedef {(launch: MeasuredLaunch) => number | null} ValueOf   Reads a measure; null if the launch lacks it. */
/** @typedef {import('../statistics/log-model.js').ComparedEstimate} ComparedEstimate   `simultaneous` is set if there is an interval. */
/**
 * @typedef {object} LaunchModel
 * @property {(row: number) => Estimate | null} valueOf   null without launches, or if one of them has no value above 0
 * @property {(row: number, other: number, comparisons?: number) => ComparedEstimate | null} ratioOf   null as for `valueOf`,
 *   or if no groups connect the rows; `comparisons` is the number of claims of the table that must hold together
 */

// Fresh processes differ by about 3 % at the same work, in addition to the differences between slices of a launch. This prior has the
// weight of a row of five launches, because two groups of two rows provide little other evidence.
const LAUNCH_VARIANCE = 0.03 ** 2;
const EXPECTED_DEGREES = 4;

/**
 * @param {readonly (readonly MeasuredLaunch[])[]} rows   rows of one table
 * @param {ValueOf} readValue
 * @param {{ isRate?: boolean }} [options]   `isRate`: the value is proportional to the operations per second, which slices measure
 * @returns {LaunchModel}
 */
export function modelLaunches(rows, readValue, { isRate = false } = {}) {
  const values = rows.map((launches) => launches.map(readValue));
  const isUsable = values.map((own) => own.length > 0 && own.every(hasLogarithm));
  const usable = rows.filter((_, row) => isUsable[row]);
  const modelRows = new Map(
    rows.flatMap((_, row) => (isUsable[row] ? [row] : [])).map((row, index) => [row, index]),
  );
  const slicesOf = isRate ? sliceSpreads(usable.flat()) : new Map();
  // On average, the logarithm of an estimate is too low by half of its relative variance.
  /** @param {MeasuredLaunch} launch */
  const logLevel = (launch) => Math.log(readValue(launch) ?? 0) + (slicesOf.get(launch)?.variance ?? 0) / 2;
  const groupsByRow = usable.map(
    (launches) => new Map(launches.map((launch) => [launch.group, logLevel(launch)])),
  );
  const expected = expectedSpreads(
    usable.map((launches) => launches.flatMap((launch) => slicesOf.get(launch) ?? [])),
    isSaturated(groupsByRow),
  );
  // With slices, even a single launch has an interval.
  const least = expected === null ? MIN_LAUNCHES : 1;
  const model = usable.length === 0 ? null : fitLogModel(groupsByRow, expected);
  return {
    valueOf(row) {
      const modelRow = modelRows.get(row);
      if (model === null || modelRow === undefined) return null;
      return makeEstimate(computeLevel(model, modelRow), groupsByRow[modelRow].size, least);
    },
    ratioOf(row, other, comparisons = 1) {
      const [modelRow, reference] = [modelRows.get(row), modelRows.get(other)];
      if (model === null || modelRow === undefined || reference === undefined) return null;
      const difference = computeDifference(model, modelRow, reference);
      return difference === null ? null : makeEstimate(difference.contrast, difference.n, least, comparisons);
    },
  };
}

/** @param {readonly MeasuredOutcome[]} outcomes   of one group, at least one @returns {LaunchModel} */
export function modelHeadlines(outcomes) {
  const headline = headlineMeasure(outcomes[0]);
  const launches = outcomes.map((outcome) => outcome.launches);
  return modelLaunches(launches, (launch) => headlineOfLaunch(headline, launch), {
    isRate: headline.unit === 'per second',
  });
}

/** @param {number | null} value @returns {boolean} */
function hasLogarithm(value) {
  return value !== null && value > 0 && value < Infinity;
}

/**
 * The level of a launch is the logarithm of its overall rate, and its slices give the variance of that level. The launches of a group
 * run at the same time and are measured in rounds, so changes between rounds affect all of them.
 * @param {MeasuredLaunch[]} launches
 * @returns {Map<MeasuredLaunch, Spread>}
 */
function sliceSpreads(launches) {
  const sliced = launches.filter(({ slices }) => slices !== undefined && slices.rounds.length > 0);
  const byGroup = groupedBy(sliced, ({ group }) => group);
  return new Map(
    [...byGroup.values()].flatMap((members) => {
      const model = fitLogModel(members.map(({ slices }) => roundLevels(/** @type {Slices} */ (slices))));
      return members.map((launch, index) => /** @type {const} */ ([launch, levelSpread(model, index)]));
    }),
  );
}

/**
 * The effect of each round on the logarithm of the overall rate R = Σn / Σt is (n − R·t) / (R·m), where m is the mean of t. The effects
 * have a mean of 0. The logarithm of n / t would be biased for slices with one or two operations.
 * Source: W. G. Cochran, "Sampling Techniques", 1977, section 6.4 (the variance of a ratio).
 * @param {Pick<Slices, 'rounds' | 'operations' | 'windowMs'>} slices
 * @returns {Map<number, number>} round → effect, where a round may have several slices
 */
export function roundLevels({ rounds, operations, windowMs }) {
  const perMs = sum(operations) / sum(windowMs);
  /** @type {Map<number, { count: number, ms: number }>} */
  const byRound = new Map();
  for (const [slice, round] of rounds.entries()) {
    const { count, ms } = byRound.get(round) ?? { count: 0, ms: 0 };
    byRound.set(round, { count: count + operations[slice], ms: ms + windowMs[slice] });
  }
  const meanMs = sum(windowMs) / byRound.size;
  return new Map(
    [...byRound].map(([round, { count, ms }]) => [round, (count - perMs * ms) / (perMs * meanMs)]),
  );
}

/**
 * @param {Spread[][]} levels   one for each launch of each row; a row that was not measured in slices is empty
 * @param {boolean} isAlone   the launches themselves contain no information on noise
 * @returns {Spread[] | null} the spread to expect of one launch, for each row; null if no row was measured in slices
 */
export function expectedSpreads(levels, isAlone) {
  const all = levels.flat();
  if (all.length === 0) return null;
  return levels.map((spreads) => {
    const used = spreads.length === 0 ? all : spreads;
    const ofSlices = sumBy(used, ({ variance }) => variance) / used.length;
    const variance = ofSlices + LAUNCH_VARIANCE;
    if (!isAlone) return { variance, degrees: EXPECTED_DEGREES };
    // The degrees are those of the sum. Source: F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
    const known = sumBy(used, ({ degrees }) => degrees) / used.length;
    return {
      variance,
      degrees: variance ** 2 / (ofSlices ** 2 / known + LAUNCH_VARIANCE ** 2 / EXPECTED_DEGREES),
    };
  });
}
