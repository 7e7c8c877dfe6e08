// Finds where one of two candidates becomes cheaper than the other along an axis. It uses the intervals that are printed for the measured
// points, so that no crossover contradicts the verdict on a point.

/** @import { Crossover, CrossoverPoint } from '../types/index.js' */
/** @typedef {'estimate' | 'low' | 'high'} Bound   of the excess */

/**
 * @param {CrossoverPoint[]} points   ascending in x
 * @returns {Crossover[]} ascending; each lies between two points at which different candidates are proven cheaper
 */
export function findCrossovers(points) {
  const crossovers = [];
  /** @type {number | null} index of the last point with a proven sign */
  let last = null;
  for (const [index, { sign }] of points.entries()) {
    if (sign === 0) continue;
    if (last !== null && points[last].sign !== sign)
      crossovers.push(crossoverAmong(points.slice(last, index + 1)));
    last = index;
  }
  return crossovers;
}

/** @param {CrossoverPoint[]} within   ascending; the first and the last have opposite signs, and no other point has one @returns {Crossover} */
function crossoverAmong(within) {
  const isCheaperAbove = within[within.length - 1].sign === -1;
  // Where the excess falls, its lower bound is the first to reach 0.
  const [near, far] = /** @type {[Bound, Bound]} */ (isCheaperAbove ? ['low', 'high'] : ['high', 'low']);
  return {
    estimate: findZero(within, 'estimate'),
    low: findZero(within, near),
    high: findZero(within.toReversed(), far),
    isCheaperAbove,
    points: within,
  };
}

/**
 * Interpolates linearly, since the costs of work, bytes and subscribers add up. Interpolating logarithms would shift the crossover by
 * about 8 % between points that differ tenfold.
 * @param {CrossoverPoint[]} points   ascending or descending; the bound is above 0 at one end and below 0 at the other
 * @param {Bound} bound
 * @returns {number} x of the first zero of the bound
 */
function findZero(points, bound) {
  const isPositive = points[0].excess[bound] > 0;
  const after = points.findIndex(({ excess }) => excess[bound] > 0 !== isPositive);
  const [{ x: from, excess: before }, { x: to, excess }] = points.slice(after - 1);
  return from + ((to - from) * before[bound]) / (before[bound] - excess[bound]);
}
