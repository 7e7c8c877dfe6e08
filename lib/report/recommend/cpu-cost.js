// CPU time of an operation, as rows at the same rate are compared by it.

import { totalCpuUs } from '../../results/calibration-rows.js';

/** @import { MeasuredLaunch } from '../../types/index.js' */

/** @param {MeasuredLaunch} launch @returns {boolean} workers that busy-wait until the next instant spend a core, whatever the transport costs */
export function isPacedBySpinning({ open }) {
  return open?.pacing === 'spin';
}

/** @param {MeasuredLaunch} launch @returns {number} µs per operation of all processes, without workers that busy-wait; NaN: unknown */
export function readCpuUs(launch) {
  const isCounted = (/** @type {string} */ role) => role !== 'worker' || !isPacedBySpinning(launch);
  return totalCpuUs({ ...launch, costs: launch.costs.filter(({ role }) => isCounted(role)) });
}
