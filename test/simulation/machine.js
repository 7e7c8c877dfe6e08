// A machine that does not exist, with the noise of those that do: runs drift, groups and launches differ, windows
// flicker, and now and then something else takes the cores. What is true is known here, so that verdicts can be judged.
import { COUNTED } from '../fixtures/counted.js';

/** @import { ComparisonDesign as Design, MeasuredOutcome } from '../../lib/types/index.js' */
/** @typedef {ReturnType<typeof import('../fixtures/noise.js').noiseFrom>} Noise */
/**
 * Standard deviations are of logs: 0.05 is about 5 %.
 * @typedef {object} Machine
 * @property {number} launches      a side
 * @property {number} launchNoise   of what a fresh process makes of the same work
 * @property {number} disturbed     share of launches slowed to between 40 and 90 %
 * @property {number} [groupNoise]  of what all launches of a group share
 * @property {number} [drift]       of the slope over a run, in the middle of which it is as fast as planned
 * @property {number} [between]     of what a whole run has and the next has not
 * @property {number} [ratio]       the truth: how many times as fast the new side is
 * @property {number} [cells]
 */

const TYPICAL_RATE = 20_000;
const WINDOWS = 10;
const WINDOW_NOISE = 0.08;

/** @param {number} index @returns {import('../../lib/types/plans.js').Cell} */
function cellOf(index) {
  return {
    transport: `simulated-${index}`,
    codec: 'json',
    scenario: 'round-trip',
    payloadBytes: 1000,
    workers: 1,
    loops: 1,
    placement: 'split',
    settings: {},
  };
}

/**
 * @param {Noise} noise
 * @param {Machine} machine
 * @returns {number[]} the log speed that each group would have without its launches
 */
function groupLevels(noise, { launches, groupNoise = 0.05, drift = 0.05, between = 0 }) {
  const level = between * noise.normal();
  const slope = drift * noise.normal();
  return Array.from(
    { length: launches },
    (_, group) => level + slope * ((group + 0.5) / launches - 0.5) + groupNoise * noise.normal(),
  );
}

/**
 * @param {Noise} noise
 * @param {Machine} machine
 * @param {number} level log speed of its group
 * @returns {number[]} the rates of the windows of one launch
 */
function windowsOfLaunch(noise, { launchNoise, disturbed }, level) {
  const slowed = noise.uniform(0, 1) < disturbed ? Math.log(noise.uniform(0.4, 0.9)) : 0;
  const launch = level + launchNoise * noise.normal() + slowed;
  return Array.from(
    { length: WINDOWS },
    () => TYPICAL_RATE * Math.exp(launch + WINDOW_NOISE * noise.normal()),
  );
}

/** @param {number[]} values */
function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const [rate] = COUNTED.measures;

/**
 * @param {number} index
 * @param {number[][]} windows per launch
 * @returns {MeasuredOutcome} with all that a comparison looks at
 */
function outcomeOf(index, windows) {
  const launches = windows.map((rates, group) => ({ group, values: { roundTripsPerSecond: meanOf(rates) } }));
  return /** @type {any} */ ({
    status: 'measured',
    cell: cellOf(index),
    launches,
    flags: [],
    operation: COUNTED.operation,
    headline: rate.name,
    measures: { [rate.name]: rate },
  });
}

/**
 * @param {Noise} noise
 * @param {Design} design
 * @param {Machine} machine
 * @returns {{ old: MeasuredOutcome, new: MeasuredOutcome, windows: { old: number[], new: number[] } }[]} per cell
 */
export function simulatedPairs(noise, design, machine) {
  const { cells = 1, ratio = 1 } = machine;
  const oldLevels = groupLevels(noise, machine);
  const newLevels = design === 'interleaved' ? oldLevels : groupLevels(noise, machine);
  return Array.from({ length: cells }, (_, index) => {
    const old = oldLevels.map((level) => windowsOfLaunch(noise, machine, level));
    const fresh = newLevels.map((level) => windowsOfLaunch(noise, machine, level + Math.log(ratio)));
    return {
      old: outcomeOf(index, old),
      new: outcomeOf(index, fresh),
      windows: { old: old.flat(), new: fresh.flat() },
    };
  });
}
