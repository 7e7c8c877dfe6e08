// What the machine did to a cell: how many of its launches were disturbed, and whether waking CPUs is most of what its
// latency shows.

import { FLAGS, findFlag } from '../format/result-flags.js';
import { sum } from '../statistics/sum.js';
import { DOMINATING_WAKE_UPS, TOLERATED_LAUNCHES } from './thresholds.js';

/** @import { Cell, Flag, MeasuredLaunch, ProcessCost } from '../types/index.js' */

/** @param {Pick<MeasuredLaunch, 'flags'>} launch @returns {boolean} something else took part in it */
export function isDisturbed({ flags }) {
  return flags.some(({ code }) => findFlag(code)?.isNoise === true);
}

/**
 * @param {Pick<MeasuredLaunch, 'flags'>[]} launches    of a cell, of a run, or of a search
 * @returns {boolean} more than a few of them were disturbed
 */
export function areOftenDisturbed(launches) {
  return launches.filter(isDisturbed).length > TOLERATED_LAUNCHES * launches.length;
}

/**
 * A round trip is met by at most two wake-ups, one at each end. How often an end really sleeps is known from its
 * voluntary context switches: with many loops it hardly does, and a wake-up then serves many round trips.
 * @param {Cell} cell
 * @param {MeasuredLaunch[]} launches
 * @param {number | null} medianUs of an operation; null: unknown
 * @param {number | null} wakeUpUs null: unknown
 * @returns {Flag[]} none, or that waking CPUs dominates this cell
 */
export function wakeUpFlags({ placement, poll }, launches, medianUs, wakeUpUs) {
  if (wakeUpUs === null || medianUs === null || placement !== 'split' || poll === 'busy') return [];
  const sleeps = launches.map(sleepsPerOperation).filter((count) => count !== null);
  if (sleeps.length === 0) return [];
  const mean = sum(sleeps) / sleeps.length;
  const share = (mean * wakeUpUs) / medianUs;
  if (share <= DOMINATING_WAKE_UPS) return [];
  const percent = Math.min(100, Math.round(share * 100));
  const detail = `about ${percent} % of ${Math.round(medianUs)} µs`;
  return [{ code: 'wake-up', message: `${FLAGS['wake-up'].summary} (${detail})` }];
}

/**
 * @param {MeasuredLaunch} launch
 * @returns {number | null} 0 to 2; null where it is not known, or master and workers share a CPU, so that none sleeps
 */
function sleepsPerOperation({ costs, operations }) {
  const master = costs.find((cost) => cost.role === 'master');
  const workers = costs.filter((cost) => cost.role === 'worker');
  if (master === undefined || workers.some(({ cpus }) => cpus === null || shareCpus(cpus, master)))
    return null;
  const ofMaster = sumSwitches([master]);
  const ofWorkers = sumSwitches(workers);
  if (ofMaster === null || ofWorkers === null) return null;
  return Math.min(1, ofMaster / operations) + Math.min(1, ofWorkers / operations);
}

/** @param {number[]} cpus @param {ProcessCost} other */
function shareCpus(cpus, other) {
  return other.cpus === null || other.cpus.some((cpu) => cpus.includes(cpu));
}

/** @param {ProcessCost[]} costs */
function sumSwitches(costs) {
  const counts = costs.map(({ voluntarySwitches }) => voluntarySwitches).filter((count) => count !== null);
  return counts.length < costs.length ? null : sum(counts);
}
