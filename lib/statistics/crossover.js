// Finds where one of two candidates becomes cheaper than the other along an axis. The crossover may be anywhere the interval of their
// ratio contains 1, so its interval has the confidence level of the ratios.

import { estimateOf, fitLogModel, levelOf } from './log-model.js';
import { claimDirection } from './verdict.js';

/** @import { Crossover, CrossoverPoint, Estimate } from '../types/index.js' */
/** @typedef {{ x: number, sign: -1 | 0 | 1 }} Sign   -1 if the first candidate is cheaper, 1 if the second is, 0 if neither is proven */

const STEPS = 16; // between two adjacent points, before the search for the edges
const HALVINGS = 40;

/**
 * Interpolates costs linearly, since the costs of bytes and of subscribers add up. Interpolating logarithms would shift the crossover by
 * about 8 % between points that differ tenfold.
 * @param {CrossoverPoint[]} points   ascending, at least one
 * @param {number} x   between the first and the last
 * @returns {{ costs: number[], others: number[] }}
 */
function costsBetween(points, x) {
  const after = points.findIndex((point) => point.x >= x);
  const right = points[after === -1 ? points.length - 1 : after];
  if (after <= 0 || right.x === x) return right;
  const left = points[after - 1];
  const share = (x - left.x) / (right.x - left.x);
  const n = Math.min(left.costs.length, right.costs.length);
  const between = (/** @type {number[]} */ from, /** @type {number[]} */ to) =>
    Array.from({ length: n }, (_, index) => (1 - share) * from[index] + share * to[index]);
  return { costs: between(left.costs, right.costs), others: between(left.others, right.others) };
}

/** @param {CrossoverPoint[]} points   ascending @param {number} x @returns {Estimate} costs over others */
export function ratioAt(points, x) {
  const { costs, others } = costsBetween(points, x);
  const logs = new Map(costs.map((cost, index) => [index, Math.log(cost / others[index])]));
  return estimateOf(levelOf(fitLogModel([logs]), 0), logs.size);
}

/** @param {CrossoverPoint[]} points   ascending @param {number} x @returns {boolean} true unless the interval of the ratio excludes 1 */
function mayBeCrossover(points, x) {
  const { low, high, level } = ratioAt(points, x);
  return level === null || (low <= 1 && high >= 1);
}

/** @param {CrossoverPoint[]} points   ascending @param {number} x */
function signAt(points, x) {
  const ratio = ratioAt(points, x);
  return ratio.level === null ? 0 : claimDirection(ratio);
}

/**
 * Set inversion: finds the values that the data do not distinguish from the crossover. Source of the idea: E. C. Fieller, "Some Problems in
 * Interval Estimation", Journal of the Royal Statistical Society B 16 (1954).
 * @param {CrossoverPoint[]} points   ascending in x; if they have too few groups for an interval, no crossover is found
 * @returns {Crossover[]} ascending; a crossover lies between two values of x at which different candidates are proven cheaper
 */
export function findCrossovers(points) {
  const signs = placesBetween(points).map((x) => ({ x, sign: signAt(points, x) }));
  const crossovers = [];
  /** @type {Sign | null} the last conclusive place */
  let last = null;
  for (const at of signs) {
    if (at.sign === 0) continue;
    if (last !== null && last.sign !== at.sign) crossovers.push(crossoverWithin(points, last, at));
    last = at;
  }
  return crossovers;
}

/** @param {CrossoverPoint[]} points @param {Sign} from @param {Sign} to   has the opposite sign */
function crossoverWithin(points, from, to) {
  const estimate = findEdge(
    from.x,
    to.x,
    (x) => Math.sign(Math.log(ratioAt(points, x).estimate)) === from.sign,
  );
  const isBeside = (/** @type {number} */ x) => !mayBeCrossover(points, x);
  const [low, high] = [from.x, to.x].map((end) => findEdge(end, estimate, isBeside));
  return { estimate, low, high, isCheaperAbove: to.sign === -1 };
}

/**
 * @param {CrossoverPoint[]} points
 * @returns {number[]} the x of all points, and values between them that are evenly spaced on a log scale
 */
export function placesBetween(points) {
  return points.flatMap(({ x }, index) => {
    if (index === 0) return [x];
    const before = points[index - 1].x;
    const factor = x / before;
    const between = Array.from({ length: STEPS - 1 }, (_, step) => before * factor ** ((step + 1) / STEPS));
    return [...between, x];
  });
}

/**
 * @param {number} from   a value for which `holds` is true
 * @param {number} to   a value for which it is false
 * @param {(x: number) => boolean} holds
 * @returns {number} the last value from `from` towards `to` for which it is true
 */
function findEdge(from, to, holds) {
  let [yes, no] = [Math.log(from), Math.log(to)];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (yes + no) / 2;
    if (holds(Math.exp(middle))) yes = middle;
    else no = middle;
  }
  return Math.exp(yes);
}
