// What the floor of a run says about a cell: how many answers programs in C got over the same mechanism, and which share of
// that the cell makes. Pure arithmetic over the results.

import { headlineMeasure, headlineOfLaunch } from '../cell/headline.js';
import { cellLabel } from '../cell/labels.js';
import { estimateMedian, estimateRatio } from '../statistics/estimate.js';
import { sumBy } from '../statistics/sum.js';
import { isAgreed } from './thresholds.js';

/** @import { Estimate, Floor, FloorLaunch, FloorRow, MeasuredOutcome, Outcome, Results } from '../types/index.js' */
/** @typedef {Pick<Results, 'floor' | 'options'>} WithFloor */

/** @param {Floor | undefined} floor @param {Outcome['cell']} cell @returns {FloorRow | null} */
export function findFloorRow(floor, cell) {
  if (floor === undefined) return null;
  const label = cellLabel(cell);
  return floor.rows.find(({ cells }) => cells.includes(label)) ?? null;
}

/** @param {FloorRow} row @returns {FloorLaunch[]} */
export function measuredFloors({ launches }) {
  return launches.flatMap((launch) => ('perSecond' in launch ? [launch] : []));
}

/** @param {FloorRow} row @returns {number | null} CPU time of its processes for each answer; null: unknown, or it is no cost, since they never sleep */
export function floorCpuUs(row) {
  const known = row.spins ? [] : measuredFloors(row).flatMap(({ cpuUs }) => cpuUs ?? []);
  if (known.length === 0) return null;
  return sumBy(known, ({ master, workers }) => master + workers) / known.length;
}

/** @param {Floor | undefined} floor @param {Outcome['cell']} cell @returns {Estimate | null} answers per second; null: none was measured */
export function readFloor(floor, cell) {
  const row = findFloorRow(floor, cell);
  const rates = row === null ? [] : measuredFloors(row).map(({ perSecond }) => perSecond);
  return rates.length === 0 ? null : estimateMedian(rates);
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {WithFloor} results
 * @returns {Estimate | null} by which the floor is to be multiplied to get the cell, of launches of the same blocks; null: unknown,
 *   or a quick run whose launches do not agree
 */
export function shareOfFloor(outcome, { floor, options }) {
  const row = findFloorRow(floor, outcome.cell);
  const measure = headlineMeasure(outcome);
  if (row === null || measure.unit !== 'per second') return null;
  const byBlock = new Map(measuredFloors(row).map(({ block, perSecond }) => [block, perSecond]));
  const pairs = outcome.launches.flatMap((launch) => {
    const below = byBlock.get(launch.block);
    return below === undefined ? [] : [{ rate: headlineOfLaunch(measure, launch), below }];
  });
  if (pairs.length === 0) return null;
  const share = estimateRatio(
    pairs.map(({ rate }) => rate),
    pairs.map(({ below }) => below),
  );
  return options.quick && !isAgreed(share) ? null : share;
}
