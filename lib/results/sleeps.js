// Computes how often the ends of a row sleep per operation, from the voluntary context switches of its launches. Ends that sleep after each
// batch of messages and ends that hardly ever sleep have different rates with the same transport and codec. Even on an idle machine, one
// row may stay in the first state and another row in the second (docs/method.md).

import { sum } from '../statistics/sum.js';
import { costedOperations, cpuUsInAll, hasCpuCost } from './calibration-rows.js';

/** @import { MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../types/index.js' */
/**
 * @typedef {object} UnequalSleeps
 * @property {number} sleeps       sleeps per operation of the row, 0 to 2
 * @property {number} baseSleeps   sleeps per operation of the row that it is compared with
 * @property {number | null} cpuRatio   CPU time per operation of the row / that of the other; null if unknown
 */

const UNEQUAL_RATIO = 2;
// Launches of one row differ by more than UNEQUAL_RATIO at smaller counts, and a sleep in more than twenty operations costs a few per cent
// of their time at most.
const MIN_SLEEPS = 0.05;

/**
 * @param {Pick<MeasuredLaunch, 'costs' | 'operations' | 'completed'>} launch
 * @returns {number | null} sleeps of master and workers per operation, 0 to 2. Each end counts at most once, since further sleeps belong to
 *   other threads; null if unknown
 */
export function sleepsPerOperation({ costs, ...counts }) {
  const operations = costedOperations(counts);
  const ofMaster = sumSwitches(costs.filter(({ role }) => role === 'master'));
  const ofWorkers = sumSwitches(costs.filter(({ role }) => role === 'worker'));
  if (ofMaster === null || ofWorkers === null) return null;
  return Math.min(1, ofMaster / operations) + Math.min(1, ofWorkers / operations);
}

/** @param {ProcessCost[]} costs @returns {number | null} voluntary context switches; null without processes, or if those of one are unknown */
function sumSwitches(costs) {
  const counts = costs.map(({ voluntarySwitches }) => voluntarySwitches).filter((count) => count !== null);
  return costs.length === 0 || counts.length < costs.length ? null : sum(counts);
}

/**
 * @param {readonly MeasuredLaunch[]} launches
 * @returns {number | null} sleeps per operation: mean of the launches in which they are known; null if there are none
 */
export function meanSleeps(launches) {
  const known = launches.map(sleepsPerOperation).filter((count) => count !== null);
  return known.length === 0 ? null : sum(known) / known.length;
}

/**
 * @param {MeasuredOutcome} row
 * @param {MeasuredOutcome} base
 * @returns {UnequalSleeps | null} null if neither sleeps more than twice as often as the other, if both hardly sleep, or if the sleeps of
 *   one are unknown or prevented by its settings
 */
export function findUnequalSleeps(row, base) {
  if (!hasCpuCost(row) || !hasCpuCost(base)) return null;
  const [sleeps, baseSleeps] = [row, base].map(({ launches }) => meanSleeps(launches));
  if (sleeps === null || baseSleeps === null) return null;
  const [less, more] = [Math.min(sleeps, baseSleeps), Math.max(sleeps, baseSleeps)];
  if (more < MIN_SLEEPS || more <= UNEQUAL_RATIO * less) return null;
  const [us, baseUs] = [row, base].map(({ cpuUsPerOperation }) => cpuUsInAll(cpuUsPerOperation));
  const isKnown = us !== null && baseUs !== null && us > 0 && baseUs > 0;
  return { sleeps, baseSleeps, cpuRatio: isKnown ? us / baseUs : null };
}
