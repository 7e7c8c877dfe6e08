// Estimates of rows and of their ratios from the launches of a table: a level for each launch, from its slices or its one window,
// then effects of rows and blocks. Rates and ratios come from the same levels, so the quotient of two rates is their ratio.

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
/** @typedef {(launch: MeasuredLaunch) => number | null} ValueOf   of a measure, if the launch has it */
/** @typedef {Estimate & { simultaneous?: Interval }} ComparedEstimate   simultaneous: if there is an interval */
/**
 * @typedef {object} LaunchModel
 * @property {(row: number) => Estimate | null} valueOf   null if a launch of it has no value above 0
 * @property {(row: number, other: number, comparisons?: number) => ComparedEstimate | null} ratioOf   null likewise, or if nothing
 *   connects them; `comparisons`: number of claims of the table that hold together
 */

// Fresh processes differ by some 3 % at the same work, beyond the differences between the slices of a launch. This prior counts as
// much as a row of five launches: two groups of two rows provide little else.
const LAUNCH_VARIANCE = 0.03 ** 2;
const EXPECTED_DEGREES = 4;

/**
 * @param {readonly (readonly MeasuredLaunch[])[]} rows   of one table
 * @param {ValueOf} readValue
 * @param {{ isRate?: boolean }} [options]   isRate: it is in proportion to the operations per second, which slices measure
 * @returns {LaunchModel}
 */
export function modelLaunches(rows, readValue, { isRate = false } = {}) {
  const values = rows.map((launches) => launches.map(readValue));
  const isUsable = values.map((own) => own.length > 0 && own.every(hasLogarithm));
  const usable = rows.filter((_, row) => isUsable[row]);
  const places = new Map(
    rows.flatMap((_, row) => (isUsable[row] ? [row] : [])).map((row, place) => [row, place]),
  );
  const slicesOf = isRate ? sliceSpreads(usable.flat()) : new Map();
  // On average, the logarithm of an estimate is low by half of its relative variance.
  const logLevel = (/** @type {MeasuredLaunch} */ launch) =>
    Math.log(readValue(launch) ?? 0) + (slicesOf.get(launch)?.variance ?? 0) / 2;
  const blocksByRow = usable.map(
    (launches) => new Map(launches.map((launch) => [launch.block, logLevel(launch)])),
  );
  const expected = expectedSpreads(
    usable.map((launches) => launches.flatMap((launch) => slicesOf.get(launch) ?? [])),
    new Set(blocksByRow.flatMap((row) => [...row.keys()])).size,
  );
  // With slices, a single launch has an interval.
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
 * The level of a launch is the logarithm of its whole rate; its slices give the variance of that. The launches of a block are alive
 * together and measured in rounds, so what changes from round to round meets all of them.
 * @param {MeasuredLaunch[]} launches
 * @returns {Map<MeasuredLaunch, Spread>}
 */
function sliceSpreads(launches) {
  const sliced = launches.filter(({ slices }) => slices !== undefined && slices.rounds.length > 0);
  const byBlock = groupedBy(sliced, ({ block }) => block);
  return new Map(
    [...byBlock.values()].flatMap((members) => {
      const model = fitLogModel(members.map(({ slices }) => roundLevels(/** @type {Slices} */ (slices))));
      return members.map((launch, place) => /** @type {const} */ ([launch, levelSpread(model, place)]));
    }),
  );
}

/**
 * By how much each round moves the logarithm of the whole rate R = Σn / Σt: by (n − R·t) / (R·t), whose mean, weighted by t, is 0. A
 * logarithm of n / t itself would be biased where a slice holds one or two operations.
 * Source: W. G. Cochran, "Sampling Techniques", 1977, section 6.4 (the variance of a ratio).
 * @param {Pick<Slices, 'rounds' | 'operations' | 'windowMs'>} slices
 * @returns {Map<number, number>} by round, which may have several slices
 */
export function roundLevels({ rounds, operations, windowMs }) {
  const perMs = sum(operations) / sum(windowMs);
  /** @type {Map<number, { count: number, ms: number }>} */
  const byRound = new Map();
  for (const [place, round] of rounds.entries()) {
    const { count, ms } = byRound.get(round) ?? { count: 0, ms: 0 };
    byRound.set(round, { count: count + operations[place], ms: ms + windowMs[place] });
  }
  const meanMs = sum(windowMs) / byRound.size;
  return new Map(
    [...byRound].map(([round, { count, ms }]) => [round, (count - perMs * ms) / (perMs * meanMs)]),
  );
}

/**
 * @param {Spread[][]} levels   of the launches of each row; empty if a row was not measured in slices
 * @param {number} blocks
 * @returns {Spread[] | null} of a launch of each row; null if none was measured in slices
 */
export function expectedSpreads(levels, blocks) {
  const all = levels.flat();
  if (all.length === 0) return null;
  return levels.map((spreads) => {
    const used = spreads.length === 0 ? all : spreads;
    const ofSlices = sumBy(used, ({ variance }) => variance) / used.length;
    const variance = ofSlices + LAUNCH_VARIANCE;
    if (blocks > 1) return { variance, degrees: EXPECTED_DEGREES };
    // A single block has no other source. Degrees: F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
    const known = sumBy(used, ({ degrees }) => degrees) / used.length;
    return {
      variance,
      degrees: variance ** 2 / (ofSlices ** 2 / known + LAUNCH_VARIANCE ** 2 / EXPECTED_DEGREES),
    };
  });
}
