// Where to measure next, so that it is told where the answer changes: first coarsely around the place that was asked for, then
// between the two neighbours where it turns. Pure: the caller, who measures, decides when the time is over.

import { logRatioAt } from '../../statistics/crossover.js';
import { heldAlong } from './crossover-points.js';

/** @import { Candidate, CrossoverPoint, Recommendation } from '../../types/index.js' */
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
  const signs = points.map(({ x }) => Math.sign(logRatioAt(points, x).estimate));
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
