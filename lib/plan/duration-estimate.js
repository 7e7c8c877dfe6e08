// Estimates the number of launches and the duration of a plan, which --dry-run prints. A run above the limits needs --force.

import { isSweep, listControlKeys } from '../cell/axes.js';
import { cellLabel } from '../cell/labels.js';
import { labelParts } from '../cell/settings.js';
import { BenchError } from '../errors.js';
import { durationText, formatCount } from '../format/numbers.js';
import { isBuiltin } from '../plugins/builtins.js';
import { leastRepetitions } from '../statistics/log-model.js';
import { MAX_LAUNCHES_OF_A_SEARCH } from '../statistics/rate-search.js';
import { sumBy } from '../statistics/sum.js';
import { FLOOR_LAUNCH_MS } from './planned-baseline.js';
import { CURVE, canBeSliced, launchMs, slowLaunchMs } from './timing.js';

/** @import { Cell, Options, PlannedCell, RunEstimate, StopOptions } from '../types/index.js' */
/** @import { Tempo } from './timing.js' */

/** @typedef {Pick<RunEstimate, 'ms' | 'slowMs' | 'mostMs'>} EstimatedTimes */

const MAX_LAUNCHES = 5000;
const MAX_MS = 2 * 3_600_000;
// Per byte, for the loops of a calibration, which encode and decode each message eight times with JSON; a calibration ends after 15 s.
const CALIBRATED_BYTE_MS = 4e-5;
const MAX_CALIBRATION_MS = 15_000;

/**
 * @param {Options} options
 * @param {PlannedCell[]} plan
 * @param {(name: string) => Tempo | undefined} [scenarioOf]
 * @param {number} [usableCpus]
 * @returns {RunEstimate}
 */
export function estimatedRun(options, plan, scenarioOf = () => undefined, usableCpus = undefined) {
  const cells = plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  if (isSweep(options.open)) {
    const launches = 1 + MAX_LAUNCHES_OF_A_SEARCH + CURVE.length * options.launches;
    return {
      launches: cells.length * launches,
      ofEach: launches,
      ms: cells.length * (options.open?.maxTimeMs ?? 0),
    };
  }
  const launches = launchesOfEach(options, cells, scenarioOf);
  const floorMs = options.floor ? countFloors(cells) * FLOOR_LAUNCH_MS : 0;
  const controlsMs = options.controls === false ? 0 : calibrationMs(cells);
  /** @param {(cell: Cell, scenario: Tempo | undefined) => number} ofLaunch */
  const runMs = (ofLaunch) =>
    (sumBy(cells, (cell) => ofLaunch(cell, scenarioOf(cell.scenario))) + floorMs) * launches + controlsMs;
  const ms = runMs((cell, scenario) => launchMs(cell, options, scenario, usableCpus));
  const { stop } = options;
  return {
    launches: cells.length * launches,
    ofEach: launches,
    ms,
    slowMs: runMs((cell, scenario = {}) =>
      slowLaunchMs(cell, options, scenario, usesPlugin(cell), usableCpus),
    ),
    ...(stop !== undefined && { mostMs: longestMs(stop, ms, launches) }),
  };
}

/**
 * @param {Cell} cell
 * @returns {boolean} true if transport, codec or scenario is not built in, so that the length of an operation cannot be predicted
 */
function usesPlugin({ transport, codec, scenario }) {
  return !(
    isBuiltin('transport', transport) &&
    isBuiltin('codec', codec) &&
    isBuiltin('scenario', labelParts(scenario).name)
  );
}

/** @param {Cell[]} cells @returns {number} ms of the calibrations of large messages, one for each codec, payload and number of loops */
function calibrationMs(cells) {
  return sumBy(listControlKeys(cells), ({ payloadBytes }) =>
    Math.min(MAX_CALIBRATION_MS, CALIBRATED_BYTE_MS * payloadBytes),
  );
}

/** @param {StopOptions} stop @param {number} ms   duration with the minimum of launches @param {number} launches   minimum per cell */
export function longestMs({ maxTimeMs, mostLaunches = Infinity }, ms, launches) {
  return Math.max(ms, Math.min(maxTimeMs, (ms * mostLaunches) / launches));
}

/**
 * @param {Options} options
 * @param {Cell[]} cells
 * @param {(name: string) => Tempo | undefined} scenarioOf
 * @returns launches per cell; the minimum in an adaptive run
 */
function launchesOfEach(options, cells, scenarioOf) {
  const { launches, stop } = options;
  if (stop === undefined) return launches;
  const areSliced = cells.every((cell) => canBeSliced(options, cell, scenarioOf(cell.scenario) ?? {}));
  return leastRepetitions(launches, areSliced);
}

/** @param {EstimatedTimes} estimate @returns {number} */
export function greatestMs({ ms, slowMs = ms, mostMs = ms }) {
  return Math.max(ms, slowMs, mostMs);
}

/** @param {EstimatedTimes} estimate */
export function runTimeText(estimate) {
  const [least, most] = [estimate.ms, greatestMs(estimate)].map(durationText);
  return least === most ? `about ${least}` : `about ${least} to ${most}`;
}

/**
 * @param {Cell[]} cells
 * @returns an upper bound of the number of baselines: cells may share one or have none, and codecs make no difference
 */
function countFloors(cells) {
  return new Set(cells.map((cell) => cellLabel({ ...cell, codec: '' }))).size;
}

/** @param {{ launches: number, ms: number }} estimated */
export function refuseEndlessRun({ launches, ms }) {
  if (launches <= MAX_LAUNCHES && ms <= MAX_MS) return;
  throw new BenchError(
    'TOO_MANY_CELLS',
    `this would be ${formatCount(launches)} launches and take about ${durationText(ms)}. ` +
      'Leave out some values, choose fewer --launches, a shorter --measure or, for --sweep, --max-time, or add --force',
  );
}
