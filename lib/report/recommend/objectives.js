// What candidates are compared by, as the cost of an operation: the less, the better. Launches of one block are paired, as in
// every verdict.

import { headlineMeasure, headlineOfLaunch, isHigherBetter } from '../../cell/headline.js';
import { US_PER_S } from '../../format/units.js';
import { totalCpuUs } from '../../results/calibration-rows.js';
import { costsBetween } from '../../statistics/crossover.js';
import { isNear } from './evidence.js';

/** @import { AxisName, Candidate, CrossoverPoint, MeasuredLaunch, Merit, Place } from '../../types/index.js' */

/** Of a core: nobody notices less, whatever the ratio is. */
export const NOTICED_CORE_SHARE = 0.05;

/** @param {MeasuredLaunch} launch @param {(role: string) => boolean} isCounted @returns {number} CPU time of an operation, µs */
function cpuUsIn({ costs, operations }, isCounted) {
  return totalCpuUs({ costs: costs.filter((cost) => isCounted(cost.role)), operations });
}

/** @param {MeasuredLaunch} launch @returns {boolean} the CPU time of its workers is no cost */
export function isPacedBySpinning({ open }) {
  return open?.pacing === 'spin';
}

/** @type {Readonly<Record<Merit['name'], Merit>>} */
export const OBJECTIVES = Object.freeze({
  speed: {
    name: 'speed',
    costOf(outcome, launch) {
      const measure = headlineMeasure(outcome);
      const value = headlineOfLaunch(measure, launch);
      return isHigherBetter(measure) ? US_PER_S / value : value;
    },
  },
  cpu: {
    name: 'cpu',
    // Who sends by a plan and never sleeps between its instants spends a core on that, whatever the transport costs.
    costOf: (_, launch) => cpuUsIn(launch, (role) => role !== 'worker' || !isPacedBySpinning(launch)),
  },
  master: {
    name: 'master',
    costOf: (_, launch) => cpuUsIn(launch, (role) => role === 'master' || role === 'helpers'),
  },
});

/** @param {Place} place @returns {MeasuredLaunch[]} */
export function launchesAt({ measured }) {
  return measured.flatMap(({ outcome }) => outcome.launches);
}

/** @param {Place} place @param {Merit} merit @returns {number[]} of its launches, those that tell */
export function costsAt({ measured }, { costOf }) {
  return measured.flatMap(({ outcome }) =>
    outcome.launches.map((launch) => costOf(outcome, launch)).filter((cost) => cost > 0 && cost < Infinity),
  );
}

/**
 * @param {Place} one
 * @param {Place} other   at the same x
 * @param {Merit} merit
 * @returns {CrossoverPoint} of the blocks that they share
 */
function pairedAt(one, other, { costOf }) {
  const pairs = one.measured.flatMap(({ run, outcome }) => {
    const rival = other.measured.find((each) => each.run === run)?.outcome;
    return outcome.launches.flatMap((launch) => {
      const beside = rival?.launches.find(({ block }) => block === launch.block);
      if (rival === undefined || beside === undefined) return [];
      return { cost: costOf(outcome, launch), other: costOf(rival, beside) };
    });
  });
  const usable = pairs.filter(({ cost, other: its }) => cost > 0 && its > 0 && cost + its < Infinity);
  return { x: one.x, costs: usable.map(({ cost }) => cost), others: usable.map((pair) => pair.other) };
}

/**
 * @param {Candidate} one
 * @param {Candidate} other
 * @param {AxisName} axis
 * @param {Merit} merit
 * @returns {CrossoverPoint[]} ascending: where both were measured in the same blocks
 */
export function pairedAlong(one, other, axis, merit) {
  return one.along[axis].flatMap((place) => {
    const beside = other.along[axis].find(({ x }) => x === place.x);
    const point = beside === undefined ? null : pairedAt(place, beside, merit);
    return point === null || point.costs.length === 0 ? [] : [scaleCosts(point, timesAt(axis, one, place.x))];
  });
}

/**
 * So that what lies between two places lies on a straight line between them.
 * @param {AxisName} axis
 * @param {Candidate} candidate
 * @param {number} x
 * @returns {number} operations whose cost adds up there: a message to all of x workers, or what is done in a second
 */
function timesAt(axis, { at }, x) {
  const isToAll = axis === 'workers' && at.measured[0].outcome.operation.toAll !== undefined;
  return isToAll || axis === 'ratePerSecond' ? x : 1;
}

/** @param {CrossoverPoint} point @param {number} times @returns {CrossoverPoint} */
function scaleCosts({ x, costs, others }, times) {
  return { x, costs: costs.map((cost) => cost * times), others: others.map((cost) => cost * times) };
}

/**
 * @param {Candidate} one
 * @param {Candidate} other
 * @param {number} payloadBytes   that was asked for
 * @param {Merit} merit
 * @returns {{ costs: number[], others: number[] }} there, or between its neighbours; empty: they share no blocks
 */
export function pairedHere(one, other, payloadBytes, merit) {
  const points = pairedAlong(one, other, 'payloadBytes', merit);
  const near = points.find(({ x }) => x === one.at.x);
  if (near !== undefined && isNear(near.x, payloadBytes)) return near;
  const isBetween =
    points.length > 1 && points[0].x <= payloadBytes && points[points.length - 1].x >= payloadBytes;
  return isBetween ? costsBetween(points, payloadBytes) : (near ?? { costs: [], others: [] });
}
