// The flags of a cell: the flags of its launches, and further flags that depend on all launches together.

import { isNoise } from '../format/result-flags.js';
import { estimateClimb } from '../statistics/warm-up.js';
import { harnessFlags } from './calibration-rows.js';
import { meanSleeps } from './sleeps.js';
import { BOTTLENECK_SHARE, DOMINATING_WAKE_UPS, TOLERATED_CLIMB, TOLERATED_LAUNCHES } from './thresholds.js';

/** @import { Busiest, Cell, Flag, MeasuredLaunch, ProcessCost } from '../types/index.js' */
/**
 * @typedef {object} OfCell
 * @property {Busiest | null} busiest   null if unknown, or if processes never sleep
 * @property {number | null} medianUs     median time of an operation; null if operations are not timed
 * @property {number | null} perSecond    operations per second; null if the headline is not a rate
 */
/** @typedef {import('./summarise.js').RunConditions & OfCell} CellConditions */

const JUDGED_OVER_THE_CELL = ['bottleneck', 'interrupted', 'quick'];
const JUDGED_BY_SHARE = ['not-steady', 'cold', 'little-law'];
// Flags that at least two launches must have. A single unsteady launch widens the interval and needs no flag. A wrong clock, which violates
// Little's law, affects all launches; a single launch may seem to have one because a process was not scheduled at the end of a slice.
const JUDGED_BY_TWO = ['not-steady', 'little-law'];

/**
 * @param {Cell} cell
 * @param {MeasuredLaunch[]} launches
 * @param {CellConditions} circumstances
 * @returns {Flag[]} Each code occurs once.
 */
export function flagsOfCell(cell, launches, circumstances) {
  const { medianUs, perSecond, wakeUpUs = null, controls } = circumstances;
  const flags = [
    ...launchFlags(launches),
    ...wakeUpFlags(cell, launches, medianUs, wakeUpUs),
    ...harnessFlags(cell, perSecond, controls),
    ...cellFlags(launches, circumstances),
    ...(cell.ratePerSecond === undefined ? climbFlags(launches) : []),
  ];
  return flags.filter(({ code }, index) => flags.findIndex((other) => other.code === code) === index);
}

/**
 * @param {MeasuredLaunch[]} launches
 * @returns {Flag[]} Each code occurs once. Codes for which countConcerned() returns 0 are omitted.
 */
function launchFlags(launches) {
  const codes = new Set(launches.flatMap(({ flags }) => flags.map(({ code }) => code)));
  return [...codes]
    .map((code) => ({ code, launches: countConcerned(launches, code), of: launches.length }))
    .filter(({ launches: count }) => count > 0);
}

/**
 * @param {Pick<MeasuredLaunch, 'flags'>[]} launches
 * @param {string} code
 * @returns {number} number of launches with that flag; 0 if they are too few to flag the cell, or if cellFlags() decides on this flag
 */
export function countConcerned(launches, code) {
  const count = launches.filter(({ flags }) => flags.some((flag) => flag.code === code)).length;
  const isTolerated =
    JUDGED_OVER_THE_CELL.includes(code) ||
    (isNoise(code) && !areOftenDisturbed(launches)) ||
    (JUDGED_BY_SHARE.includes(code) && count <= TOLERATED_LAUNCHES * launches.length) ||
    (JUDGED_BY_TWO.includes(code) && count < 2);
  return isTolerated ? 0 : count;
}

/** @param {MeasuredLaunch[]} launches @param {CellConditions} circumstances */
function cellFlags(launches, { busiest, plannedLaunches, quick }) {
  /** @type {Flag[]} */
  const flags = [];
  if (busiest !== null && busiest.share >= BOTTLENECK_SHARE) {
    flags.push({ code: 'bottleneck', process: busiest.name, share: busiest.share });
  }
  // A quick run may have fewer launches, because its time is limited.
  if (launches.length < plannedLaunches && !quick) {
    flags.push({ code: 'interrupted', launches: launches.length, planned: plannedLaunches });
  }
  if (quick) flags.push({ code: 'quick' });
  return flags;
}

/**
 * Ignores a climb that is not proven, because noise or few launches then widen the interval of the row just as much.
 * @param {MeasuredLaunch[]} launches
 * @returns {Flag[]} empty unless throughput climbed during the windows
 */
function climbFlags(launches) {
  const climb = estimateClimb(launches.map(wholeBins));
  const isCold = climb !== null && climb.low > 1 && climb.estimate > TOLERATED_CLIMB;
  return isCold ? [{ code: 'cold', climb: climb.estimate }] : [];
}

/** Omits the first bin, which contains the start, and an incomplete last bin. @param {MeasuredLaunch} launch @returns {number[]} */
function wholeBins({ bins, binMs, windowMs }) {
  // The windows of two workers may differ by a few µs.
  return bins.slice(1, Math.floor(windowMs / binMs + 0.01));
}

/** @param {{ flags: readonly Pick<Flag, 'code'>[] }} launch   or a row @returns {boolean} true if it has a flag of noise */
export function isDisturbed({ flags }) {
  return flags.some(({ code }) => isNoise(code));
}

/**
 * @param {Parameters<typeof isDisturbed>[0][]} launches    launches of a cell, a run or a search
 * @returns {boolean} true if more than TOLERATED_LAUNCHES of them were disturbed
 */
export function areOftenDisturbed(launches) {
  return launches.filter(isDisturbed).length > TOLERATED_LAUNCHES * launches.length;
}

/**
 * A round trip has at most two wake-ups, one at each end. The count of voluntary context switches shows how often an end sleeps: with
 * many loops it rarely does, and one wake-up then serves many round trips.
 * @param {Cell} cell
 * @param {MeasuredLaunch[]} launches
 * @param {number | null} medianUs   median time of an operation; null if operations are not timed
 * @param {number | null} wakeUpUs   cost of waking a CPU; null if unknown
 * @returns {number | null} share of the median time that waking takes, at most 1; null if unknown or if no CPU has to be woken
 */
export function wakeUpShare({ placement, poll }, launches, medianUs, wakeUpUs) {
  if (wakeUpUs === null || medianUs === null || placement !== 'split' || poll === 'busy') return null;
  const sleeps = meanSleeps(launches.filter(haveOwnCpus));
  return sleeps === null ? null : Math.min(1, (sleeps * wakeUpUs) / medianUs);
}

/**
 * @param {Cell} cell
 * @param {MeasuredLaunch[]} launches
 * @param {number | null} medianUs   see wakeUpShare
 * @param {number | null} wakeUpUs
 * @returns {Flag[]} empty unless waking CPUs dominates the latency of this cell
 */
export function wakeUpFlags(cell, launches, medianUs, wakeUpUs) {
  const share = wakeUpShare(cell, launches, medianUs, wakeUpUs);
  if (share === null || medianUs === null || share <= DOMINATING_WAKE_UPS) return [];
  return [{ code: 'wake-up', share, medianUs }];
}

/** @param {MeasuredLaunch} launch @returns {boolean} false if master and workers share a CPU, which then does not sleep */
function haveOwnCpus({ costs }) {
  const master = costs.find(({ role }) => role === 'master');
  const workers = costs.filter(({ role }) => role === 'worker');
  return master !== undefined && workers.every(({ cpus }) => cpus !== null && !shareCpus(cpus, master));
}

/** @param {number[]} cpus @param {ProcessCost} other */
function shareCpus(cpus, other) {
  return other.cpus === null || other.cpus.some((cpu) => cpus.includes(cpu));
}
