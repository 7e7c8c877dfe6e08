// Compares a cell with loops without a transport (controls), to flag a cell that the harness limits and to subtract the CPU time of the
// codec. Also compares it with the native baseline, and adds up the CPU times of launches.

import { CONTROL_KEYS } from '../cell/axes.js';
import { headlineMeasure, headlineOfLaunch } from '../cell/headline.js';
import { cellLabel } from '../cell/labels.js';
import { UNDIVIDED } from '../cell/launch-roles.js';
import { US_PER_S } from '../format/units.js';
import { estimateRatio, estimateTypical } from '../statistics/estimate.js';
import { sum, sumBy } from '../statistics/sum.js';
import { MIN_LEAD_OF_NULL, TOLERATED_SPREAD } from './thresholds.js';

/** @import { Cell, ControlRow, Controls, Estimate, Flag, Floor, FloorRow, MeasuredLaunch, MeasuredOutcome } from '../types/index.js' */
/** @import { Outcome, Results, WakeUp } from '../types/index.js' */

/** @param {Controls | null | undefined} controls @param {Cell} cell */
export function findControl(controls, cell) {
  return controls?.rows.find((row) => CONTROL_KEYS.every((key) => row[key] === cell[key])) ?? null;
}

/**
 * @param {Controls | null | undefined} controls
 * @param {Cell} cell
 * @returns {ControlRow | null} null if there is none, or if it is not reliable
 */
function findReliableControl(controls, cell) {
  return hasDoubtfulControl(controls, cell) ? null : findControl(controls, cell);
}

/** @param {Controls | null | undefined} controls @param {Cell} cell @returns {boolean} */
export function hasDoubtfulControl(controls, cell) {
  const control = findControl(controls, cell);
  return control !== null && !isReliable(control);
}

/**
 * @param {ControlRow} row
 * @returns {boolean} false if the samples differ too much, or if the codec alone takes longer than the loop that contains it
 */
export function isReliable({ codecUs, nullUs, spread = 0 }) {
  return spread <= TOLERATED_SPREAD && nullUs >= codecUs.estimate;
}

/**
 * Joins the controls of several machines, which each machine measures alone. The median represents all machines. Of two middle values the
 * slower one is used, because it may cause a remark.
 * @param {Controls[]} all
 * @returns {Controls | undefined} undefined for none
 */
export function joinedControls(all) {
  if (all.length === 0) return undefined;
  const rows = all[0].rows.flatMap((row) => {
    const same = all.flatMap((controls) =>
      controls.rows.filter((other) => CONTROL_KEYS.every((key) => other[key] === row[key])),
    );
    return upperMedian(same, ({ nullUs }) => nullUs) ?? [];
  });
  const timers = all.flatMap(({ timer }) => timer ?? []);
  return { timer: upperMedian(timers, ({ nowNs }) => nowNs) ?? null, rows };
}

/** @param {(WakeUp | null | undefined)[]} all   one for each machine @returns {WakeUp | null} null if none is known */
export function joinedWakeUp(all) {
  const known = all.flatMap((wakeUp) => wakeUp ?? []);
  return upperMedian(known, ({ costUs }) => costUs) ?? null;
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => number} read
 * @returns {T | undefined} the greater of the two middle items if their number is even; undefined without items
 */
function upperMedian(items, read) {
  return items.toSorted((one, other) => read(one) - read(other))[Math.floor(items.length / 2)];
}

/**
 * @param {Cell} cell
 * @param {number | null} perSecond   operations per second; null if the headline is not a rate
 * @param {Controls | undefined} controls
 * @returns {Flag[]} empty unless the loop without a transport is less than MIN_LEAD_OF_NULL times as fast as the cell
 */
export function harnessFlags(cell, perSecond, controls) {
  const control = findReliableControl(controls, cell);
  // Open load has a planned rate, which does not show the possible rate.
  if (control === null || perSecond === null || cell.ratePerSecond !== undefined) return [];
  const lead = US_PER_S / control.nullUs / perSecond;
  if (lead >= MIN_LEAD_OF_NULL) return [];
  return [{ code: 'harness-limited', lead }];
}

/**
 * Compares the CPU time of a cell with that of the same loop without a transport.
 * @param {MeasuredOutcome} outcome
 * @param {Controls | undefined} controls
 * @returns {number | null} share of CPU time for codec and harness, at most 1; null if unknown or if CPU time is not a cost
 */
export function harnessShare(outcome, controls) {
  const control = findReliableControl(controls, outcome.cell);
  const wholeUs = cpuUsInAll(outcome.cpuUsPerOperation);
  if (control === null || !hasCpuCost(outcome) || wholeUs === null || !(wholeUs > 0)) return null;
  return Math.min(1, control.nullUs / wholeUs);
}

/** @param {MeasuredOutcome['cpuUsPerOperation']} cpuUsPerOperation @returns {number | null} sum of the known values; null if there are none */
export function cpuUsInAll(cpuUsPerOperation) {
  const known = Object.values(cpuUsPerOperation).filter((us) => us !== null);
  return known.length === 0 ? null : sum(known);
}

/**
 * @param {Pick<MeasuredLaunch, 'operations' | 'completed'>} launch
 * @returns {number} the number of operations among which its costs are divided
 */
export function costedOperations({ operations, completed = operations }) {
  return completed;
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @returns {boolean} */
export function hasKnownCosts({ costs }) {
  return costs.length > 0;
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @returns {boolean} false if only the sum of the costs of several threads is known */
export function hasDividedCosts({ costs }) {
  return costs.every(({ role }) => role !== UNDIVIDED);
}

/**
 * @param {Pick<MeasuredLaunch, 'costs' | 'operations' | 'completed'>} launch   with known costs
 * @returns {number} CPU time of all processes in µs per operation
 */
export function totalCpuUs(launch) {
  return sumBy(launch.costs, ({ userUs, systemUs }) => userUs + systemUs) / costedOperations(launch);
}

/**
 * @param {Pick<MeasuredOutcome, 'cell' | 'launches'>} outcome
 * @returns {boolean} false if processes never sleep, because their CPU time is then not a cost
 */
export function hasCpuCost({ cell, launches }) {
  return (
    cell.poll !== 'busy' && launches.every(({ open, isSpinning }) => !isSpinning && open?.pacing !== 'spin')
  );
}

/**
 * CPU time of all processes, including a private broker, minus the CPU time of the codec alone. The remainder is the transport, its share
 * of the kernel, the event loops and the harness. A codec is fastest alone in a hot loop, so this is an upper bound for the transport.
 * @param {MeasuredOutcome} outcome
 * @param {Controls | undefined} controls
 * @returns {{ us: number, halfWidthUs: number, wholeUs: number } | null} null if unknown or if CPU time is not a cost
 */
export function netCpuUs(outcome, controls) {
  const { cell, launches, cpuUsPerOperation } = outcome;
  const control = findReliableControl(controls, cell);
  if (control === null || !hasCpuCost(outcome)) return null;
  const all = launches.filter(hasKnownCosts).map(totalCpuUs);
  const wholeUs = cpuUsInAll(cpuUsPerOperation);
  if (wholeUs === null || all.length === 0 || all.some((us) => !(us > 0))) return null;
  const { low, high, method } = estimateTypical(all);
  if (method === 'unknown') return null;
  const { codecUs } = control;
  // The table shows the mean of all operations, which may lie outside of the interval of the launches if one of them is uneven.
  const aroundMeanUs = Math.max(high - wholeUs, wholeUs - low);
  // The CPU times of the cell and of the codec are independent, so their half-widths add as squares.
  const halfWidthUs = Math.hypot(aroundMeanUs, (codecUs.high - codecUs.low) / 2);
  return { us: wholeUs - codecUs.estimate, halfWidthUs, wholeUs };
}

// Compares a cell with the native baseline (--floor): the responses per second of C programs over the same mechanism.

/** @typedef {Pick<Results, 'floor' | 'options'>} WithFloor */

/** @param {Floor | undefined} floor @param {Outcome['cell']} cell */
export function findFloorRow(floor, cell) {
  if (floor === undefined) return null;
  const label = cellLabel(cell);
  return floor.rows.find(({ cells }) => cells.includes(label)) ?? null;
}

/** @param {FloorRow} row */
export function measuredFloors({ launches }) {
  return launches.flatMap((launch) => ('perSecond' in launch ? [launch] : []));
}

/**
 * @param {FloorRow} row
 * @returns {number | null} µs of CPU time per response; null if unknown, or if its processes never sleep, because CPU time is then not a
 *   cost
 */
export function floorCpuUs(row) {
  const known = row.spins ? [] : measuredFloors(row).flatMap(({ cpuUs }) => cpuUs ?? []);
  if (known.length === 0) return null;
  return sumBy(known, ({ master, workers }) => master + workers) / known.length;
}

/** @param {Floor | undefined} floor @param {Outcome['cell']} cell @returns {Estimate | null} responses per second; null if not measured */
export function readFloor(floor, cell) {
  const row = findFloorRow(floor, cell);
  const rates = row === null ? [] : measuredFloors(row).map(({ perSecond }) => perSecond);
  return rates.length === 0 ? null : estimateTypical(rates);
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {WithFloor} results
 * @returns {Estimate | null} rate of the cell divided by the rate of the baseline in the same groups; null if unknown, or for a quick run
 *   without an interval
 */
export function shareOfFloor(outcome, { floor, options }) {
  const row = findFloorRow(floor, outcome.cell);
  const measure = headlineMeasure(outcome);
  if (row === null || measure.unit !== 'per second') return null;
  const byGroup = new Map(measuredFloors(row).map(({ group, perSecond }) => [group, perSecond]));
  const pairs = outcome.launches.flatMap((launch) => {
    const below = byGroup.get(launch.group);
    return below === undefined ? [] : [{ rate: headlineOfLaunch(measure, launch), below }];
  });
  if (pairs.length === 0) return null;
  const share = estimateRatio(
    pairs.map(({ rate }) => rate),
    pairs.map(({ below }) => below),
  );
  return options.quick && share.level === null ? null : share;
}
