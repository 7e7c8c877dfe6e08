// CPU time per operation, by which rows at the same rate are compared, since all of them do the same work.

import { hasDividedCosts, totalCpuUs } from '../../results/calibration-rows.js';
import { modelLaunches } from '../../results/launch-model.js';
import { claimDirection } from '../../statistics/verdict.js';

/** @import { ComparedEstimate } from '../../results/launch-model.js' */
/** @import { Estimate, MeasuredLaunch } from '../../types/index.js' */
/** @typedef {{ launches: readonly MeasuredLaunch[] }} LaunchedRow */

/** @param {MeasuredLaunch} launch @returns {boolean} true if its workers busy-wait, which always takes a whole core */
export function isPacedBySpinning({ open }) {
  return open?.pacing === 'spin';
}

/** @param {MeasuredLaunch} launch @returns {number} µs per operation, without workers that busy-wait; 0 or NaN if unknown */
export function readCpuUs(launch) {
  if (!isPacedBySpinning(launch)) return totalCpuUs(launch);
  if (!hasDividedCosts(launch)) return Number.NaN;
  return totalCpuUs({ ...launch, costs: launch.costs.filter(({ role }) => role !== 'worker') });
}

/**
 * Compares rows by their CPU time, with the model that the table uses for headlines.
 * @template {LaunchedRow} T
 * @param {readonly T[]} rows   all at one rate
 * @returns {{
 *   judge: (first: T, second: T) => { ratio: ComparedEstimate | null, verdict: 'better' | 'worse' | 'unclear' | 'none' },
 *   usOf: (row: T) => Estimate | null,
 * }} verdict: on the first row; usOf: µs of an operation, null if it is unknown in a launch
 */
export function compareCpu(rows) {
  const model = modelLaunches(
    rows.map(({ launches }) => launches),
    readCpuUs,
  );
  const comparisons = Math.max(1, rows.length - 1);
  return {
    judge(first, second) {
      const ratio = model.ratioOf(rows.indexOf(first), rows.indexOf(second), comparisons);
      if (ratio === null || ratio.level === null) return { ratio, verdict: 'none' };
      const side = claimDirection(ratio);
      return { ratio, verdict: side === 0 ? 'unclear' : side < 0 ? 'better' : 'worse' };
    },
    usOf: (row) => model.valueOf(rows.indexOf(row)),
  };
}
