// Where the answer changes: along every axis with several values, the crossovers of the choice with the others that could take
// its place; of these the nearest on either side.

import { US_PER_S } from '../../format/units.js';
import { findCrossovers, ratioAt } from '../../statistics/crossover.js';
import { AXIS_NAMES } from './evidence.js';
import { NOTICED_CORE_SHARE, OBJECTIVES, pairedAlong } from './objectives.js';

/** @import { AxisName, Candidate, Request, Spot, Turn, CrossoverPoint, Recommendation } from '../../types/index.js' */

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
  return Math.max(...beyond.map(({ x }) => ratioAt(points, x).estimate));
}

/** @typedef {{ rows: Candidate[], x: number }} Round   rows to be measured at one more place */

const RIVALS = 2; // beside the choice: each more costs as much as another place
const NARROW = 1.5; // times, of two neighbours: closer, a straight line between them is right enough
/** coarse: times the place that was asked for, what matters most first. Each worker is a process of 50 MB. */
const AXES = Object.freeze({
  payloadBytes: { coarse: [10, 0.1, 100], min: 1, max: 4e6 },
  workers: { coarse: [2, 0.5, 4, 8], min: 1, max: 32 },
});

/**
 * @param {Recommendation} recommendation   of all that was measured so far
 * @param {'payloadBytes' | 'workers'} axis
 * @param {ReadonlySet<number>} tried       places
 * @returns {Round | null} null: nothing more would be learnt
 */
export function nextRound(recommendation, axis, tried) {
  const { choice, judged, evidence, request } = recommendation;
  if (choice === null || judged.length === 0) return null;
  const rows = [choice, ...judged.slice(0, RIVALS)].map(({ candidate }) => candidate);
  const spot = evidence.spot[axis];
  const { coarse, min, max } = AXES[axis];
  const places = coarse.map((times) => readable(Math.min(max, Math.max(min, spot * times))));
  const wide = places.find((x) => !tried.has(x) && x !== spot);
  if (wide !== undefined) return { rows, x: wide };
  for (const rival of rows.slice(1)) {
    const gap = widestTurn(heldAlong(choice.candidate, rival, axis, request).points);
    const x = gap === null ? null : readable(Math.sqrt(gap[0] * gap[1]));
    if (x !== null && !tried.has(x)) return { rows: [choice.candidate, rival], x };
  }
  return null;
}

/**
 * @param {CrossoverPoint[]} points   ascending
 * @returns {[number, number] | null} the neighbours between which the estimate changes sides; null: it does nowhere, or they are
 *   close enough
 */
function widestTurn(points) {
  const signs = points.map(({ x }) => Math.sign(Math.log(ratioAt(points, x).estimate)));
  const gaps = points.slice(1).flatMap(({ x }, place) => {
    const before = points[place].x;
    const isTurning = signs[place] !== signs[place + 1];
    const isWide = x / before > NARROW && x - before > 1;
    return isTurning && isWide ? [[before, x]] : [];
  });
  return /** @type {[number, number] | undefined} */ (gaps[0]) ?? null;
}

/** @param {number} value @returns {number} whole, of two digits: nobody remembers more */
function readable(value) {
  return Math.max(1, Math.round(Number(value.toPrecision(2))));
}
