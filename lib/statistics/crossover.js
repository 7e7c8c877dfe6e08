// Where one of two becomes cheaper than the other along an axis. At each place their ratio has an interval; the crossover
// may be wherever that interval holds 1. So its interval holds the truth as often as those of the ratios do.

import { estimateOf, fitLogModel, levelOf } from './log-model.js';
import { claimDirection } from './verdict.js';

/** @import { Crossover, CrossoverPoint, Estimate } from '../types/index.js' */
/** @typedef {{ x: number, sign: -1 | 0 | 1 }} Sign   -1 where the first is cheaper, 0 where that is inconclusive */

const STEPS = 16; // between two neighbours, before the edges are looked for
const HALVINGS = 40;

/**
 * Between two places an operation is taken to cost what lies on the straight line between them: so it is with bytes and with
 * subscribers, whose cost adds up. On logarithms the line would be bent, and the crossover shifted by some 8 % where the
 * places are ten times apart.
 * @param {CrossoverPoint[]} points   ascending, at least one
 * @param {number} x            between the first and the last
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
    Array.from({ length: n }, (_, place) => (1 - share) * from[place] + share * to[place]);
  return { costs: between(left.costs, right.costs), others: between(left.others, right.others) };
}

/** @param {CrossoverPoint[]} points   ascending @param {number} x @returns {Estimate} costs over others */
export function ratioAt(points, x) {
  const { costs, others } = costsBetween(points, x);
  const logs = new Map(costs.map((cost, place) => [place, Math.log(cost / others[place])]));
  return estimateOf(levelOf(fitLogModel([logs]), 0), logs.size);
}

/** @param {CrossoverPoint[]} points   ascending @param {number} x @returns {boolean} it may be the crossover */
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
 * Set inversion: the places that the data do not distinguish from the crossover. Source of the idea: E. C. Fieller, "Some Problems
 * in Interval Estimation", Journal of the Royal Statistical Society B 16 (1954).
 * @param {CrossoverPoint[]} points   ascending in x; with fewer blocks than an interval needs nothing is found
 * @returns {Crossover[]} ascending: each between a place where one is proven cheaper and the next where the other is
 */
export function findCrossovers(points) {
  const signs = placesBetween(points).map((x) => ({ x, sign: signAt(points, x) }));
  const crossovers = [];
  /** @type {Sign | null} the last place that proves anything */
  let last = null;
  for (const at of signs) {
    if (at.sign === 0) continue;
    if (last !== null && last.sign !== at.sign) crossovers.push(crossoverWithin(points, last, at));
    last = at;
  }
  return crossovers;
}

/** @param {CrossoverPoint[]} points @param {Sign} from @param {Sign} to   of the other sign */
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

/** @param {CrossoverPoint[]} points @returns {number[]} theirs, and some between them, evenly on logarithms */
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
 * @param {number} from     where it holds
 * @param {number} to       where it does not
 * @param {(x: number) => boolean} holds
 * @returns {number} how far from `from` towards `to` it holds
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
