// Where the answer changes: along every axis with several values, the crossovers of the choice with the others that could take
// its place; of these the nearest on either side.

import { US_PER_S } from '../../format/units.js';
import { findCrossovers, logRatioAt } from '../../statistics/crossover.js';
import { AXIS_NAMES } from './evidence.js';
import { NOTICED_CORE_SHARE, OBJECTIVES, pairedAlong } from './objectives.js';

/** @import { AxisName, Candidate, Request, Spot, Turn } from '../../types/index.js' */

/**
 * @param {Candidate} choice
 * @param {Candidate[]} rivals
 * @param {Spot} spot
 * @param {Request} request
 * @returns {{ turns: Turn[], searched: { axis: AxisName, ends: [number, number] }[] }}
 */
export function crossoversAround(choice, rivals, spot, request) {
  const searched = AXIS_NAMES.flatMap((axis) => {
    // Where a plan is kept, the rate says nothing of how quick a row is; closed loops have none.
    const isTold = axis !== 'ratePerSecond' || (request.by !== 'speed' && spot.ratePerSecond !== undefined);
    const xs = isTold ? choice.along[axis].map(({ x }) => x) : [];
    const ends = /** @type {[number, number]} */ ([xs[0], xs[xs.length - 1]]);
    return xs.length < 2 ? [] : { axis, ends };
  });
  const turns = searched.flatMap(({ axis }) => {
    const all = rivals.flatMap((rival) => turnsWith(choice, rival, axis, request));
    const x = spot[axis] ?? 1;
    const above = all.filter((turn) => turn.crossover.estimate >= x && turn.side === 'above');
    const below = all.filter((turn) => turn.crossover.estimate < x && turn.side === 'below');
    const distance = (/** @type {Turn} */ { crossover }) => Math.abs(Math.log(crossover.estimate / x));
    return [above, below].flatMap(
      (some) => some.toSorted((one, other) => distance(one) - distance(other))[0] ?? [],
    );
  });
  return { turns, searched };
}

/** @param {Request} request @param {AxisName} axis @returns {number} µs by which an operation, along a rate all of a second, may cost more, and nobody notices; 0: no rate is given */
function unnoticedUs({ by, ratePerSecond }, axis) {
  if (by === 'speed' || ratePerSecond === null) return 0;
  return (NOTICED_CORE_SHARE * US_PER_S) / (axis === 'ratePerSecond' ? 1 : ratePerSecond);
}

/**
 * @param {Candidate} choice
 * @param {Candidate} rival
 * @param {AxisName} axis
 * @param {Request} request
 * @returns {Pick<Turn, 'points' | 'spareUs'>}
 */
export function heldAlong(choice, rival, axis, request) {
  const spareUs = unnoticedUs(request, axis);
  const points = pairedAlong(choice, rival, axis, OBJECTIVES[request.by]).map(({ others, ...point }) => ({
    ...point,
    others: others.map((cost) => cost + spareUs),
  }));
  return { points, spareUs };
}

/** @param {Candidate} choice @param {Candidate} rival @param {AxisName} axis @param {Request} request @returns {Turn[]} */
function turnsWith(choice, rival, axis, request) {
  const { points, spareUs } = heldAlong(choice, rival, axis, request);
  if (points.length < 2) return [];
  return findCrossovers(points)
    .map((crossover) => ({
      axis,
      choice,
      rival,
      crossover,
      points,
      spareUs,
      by: request.by,
      side: /** @type {Turn['side']} */ (crossover.isCheaperAbove ? 'below' : 'above'),
    }))
    .filter((turn) => spareUs > 0 || leadBeyond(turn) >= 1 + request.minEffect);
}

/** @param {Pick<Turn, 'points' | 'side' | 'crossover'>} turn @returns {number} the most by which the rival is cheaper there */
function leadBeyond({ points, side, crossover: { estimate } }) {
  const beyond = points.filter(({ x }) => (side === 'above' ? x > estimate : x < estimate));
  return Math.max(...beyond.map(({ x }) => Math.exp(logRatioAt(points, x).estimate)));
}
