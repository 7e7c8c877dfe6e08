// Where the answer changes: along every axis with several values, the crossovers of the choice with the others that could take
// its place; of these the nearest on either side.

import { crossoversOf, logRatioAt } from '../statistics/crossover.js';
import { AXIS_NAMES } from './evidence.js';
import { pairedAlong } from './merits.js';

/** @import { AxisName, Candidate, Merit, Spot, Turn } from '../types/recommendations.js' */

const LEAST_LEAD = 1.05; // at its best place: of less nobody would change

/**
 * @param {Candidate} choice
 * @param {Candidate[]} rivals
 * @param {Spot} spot
 * @param {Merit} merit
 * @returns {{ turns: Turn[], searched: { axis: AxisName, ends: [number, number] }[] }}
 */
export function turnsAround(choice, rivals, spot, merit) {
  const searched = AXIS_NAMES.flatMap((axis) => {
    const xs = choice.along[axis].map(({ x }) => x);
    const ends = /** @type {[number, number]} */ ([xs[0], xs[xs.length - 1]]);
    return xs.length < 2 ? [] : { axis, ends };
  });
  const turns = searched.flatMap(({ axis }) => {
    const all = rivals.flatMap((rival) => turnsWith(choice, rival, axis, merit));
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

/** @param {Candidate} choice @param {Candidate} rival @param {AxisName} axis @param {Merit} merit @returns {Turn[]} */
function turnsWith(choice, rival, axis, merit) {
  const points = pairedAlong(choice, rival, axis, merit);
  if (points.length < 2) return [];
  const ends = /** @type {[number, number]} */ ([points[0].x, points[points.length - 1].x]);
  return crossoversOf(points)
    .map((crossover) => ({
      ...{ axis, choice, rival, crossover, ends, points },
      side: /** @type {Turn['side']} */ (crossover.isCheaperAbove ? 'below' : 'above'),
    }))
    .filter((turn) => leadBeyond(turn) >= LEAST_LEAD);
}

/** @param {Pick<Turn, 'points' | 'side' | 'crossover'>} turn @returns {number} the most by which the rival is cheaper there */
function leadBeyond({ points, side, crossover: { estimate } }) {
  const beyond = points.filter(({ x }) => (side === 'above' ? x > estimate : x < estimate));
  return Math.max(...beyond.map(({ x }) => Math.exp(logRatioAt(points, x).estimate)));
}
