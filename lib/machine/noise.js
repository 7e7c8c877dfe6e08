// What else went on while a launch ran: read by the conductor before and after it, never inside its window. Which
// reading disturbs a launch is judged here; what that means for a cell, in results/summarise.js.

import { formatPercent } from '../words/numbers.js';
import { FLAGS } from '../words/result-flags.js';
import { readThrottledPeriods } from './cgroup.js';
import { cpuTimesOf, familyTimeOf, pressureTimeOf, usedBetween } from './cpu-times.js';
import { takenBy } from './placement.js';
import { readCostOf } from './process-cost.js';
import { readSystemFile } from './system-file.js';

/** @import { Flag, Noise } from '../types/index.js' */
/** @import { SystemFileReader } from './system-file.js' */
/** @typedef {Omit<Noise, 'masterStallMs'>} LaunchNoise    what can be told from outside of its processes */
/**
 * @typedef {object} NoiseReading
 * @property {number} atMs
 * @property {Map<number, import('./cpu-times.js').CpuTimes> | null} cpuTimes   of every CPU, since the machine started
 * @property {number | null} ownMs                     CPU time of this process, of its ended children, of its brokers
 * @property {number | null} pressureMs
 * @property {number | null} throttledPeriods
 */

// What takes this share of the CPUs can change a result by as much: the least difference that matters by default. Half
// of it would be lost in the ticks of 10 ms at both ends of these counters.
export const DISTURBING_SHARE = 0.05;

/**
 * @param {number[] | null} pids     of brokers, which outlive the launch; null: it uses one that is not ours, so that
 *     nobody can tell what others used
 * @param {SystemFileReader} [read]
 * @returns {NoiseReading}
 */
export function readNoise(pids, read = readSystemFile) {
  const familyMs = pids === null ? null : familyTimeOf(read('/proc/self/stat'));
  const brokerUs = (pids ?? [])
    .map(readCostOf)
    .reduce((sum, cost) => sum + (cost ? cost.userUs + cost.systemUs : 0), 0);
  return {
    atMs: performance.now(),
    cpuTimes: cpuTimesOf(read('/proc/stat')),
    ownMs: familyMs === null ? null : familyMs + brokerUs / 1_000,
    pressureMs: pressureTimeOf(read('/proc/pressure/cpu')),
    throttledPeriods: readThrottledPeriods(read),
  };
}

/**
 * @param {object} launch
 * @param {import('./spin.js').SpinGauge} launch.gauge
 * @param {number[] | null} launch.brokerPids    null: the broker is not ours
 * @param {import('./placement.js').Places | null} launch.places
 * @returns {() => LaunchNoise} to be called when the last process of the launch has ended
 */
export function watchNoise({ gauge, brokerPids, places }) {
  const beforeMs = gauge.read();
  const from = readNoise(brokerPids);
  return () => {
    const to = readNoise(brokerPids);
    const cpus = places && takenBy(places);
    return { ...noiseBetween(from, to, cpus), spinRatio: gauge.ratioOf(beforeMs, gauge.read()) };
  };
}

/**
 * @param {NoiseReading} from
 * @param {NoiseReading} to
 * @param {number[] | null} cpus      that the launch was placed on; null: all
 * @returns {Omit<LaunchNoise, 'spinRatio'>}
 */
export function noiseBetween(from, to, cpus) {
  const wallMs = to.atMs - from.atMs;
  const used = usedBetween(from.cpuTimes, to.cpuTimes, cpus);
  const availableMs = wallMs * (used?.cpus ?? 1);
  const ownMs = difference(from.ownMs, to.ownMs);
  const pressureMs = difference(from.pressureMs, to.pressureMs);
  return {
    // Below zero by rounding, or since the conductor itself ran elsewhere.
    othersShare: used === null || ownMs === null ? null : Math.max(0, (used.busyMs - ownMs) / availableMs),
    stealShare: used === null ? null : used.stealMs / availableMs,
    pressureShare: pressureMs === null ? null : pressureMs / wallMs,
    throttledPeriods: difference(from.throttledPeriods, to.throttledPeriods),
  };
}

/** @param {number | null} from @param {number | null} to */
function difference(from, to) {
  return from === null || to === null ? null : Math.max(0, to - from);
}

/** @param {{ noise?: Noise, windowMs: number }} launch @returns {Flag[]} */
export function noiseFlags({ noise, windowMs }) {
  if (noise === undefined) return [];
  const { othersShare, stealShare, throttledPeriods, spinRatio, masterStallMs } = noise;
  /** @type {[string, boolean, string][]} */
  const findings = [
    ['crowded', isDisturbing(othersShare), `${formatPercent(othersShare ?? 0)} of these CPUs`],
    ['steal', isDisturbing(stealShare), `${formatPercent(stealShare ?? 0)} of these CPUs`],
    ['throttled', (throttledPeriods ?? 0) > 0, `in ${throttledPeriods} periods`],
    ['frequency', isDisturbing(spinRatio - 1), `${spinRatio.toFixed(2)} times as long as usual`],
    ['stalled', isDisturbing(masterStallMs / windowMs), `for ${Math.round(masterStallMs)} ms`],
  ];
  return findings
    .filter(([, isFound]) => isFound)
    .map(([code, , detail]) => ({ code, message: `${FLAGS[code].summary} (${detail})` }));
}

/** @param {number | null} share */
function isDisturbing(share) {
  return share !== null && share > DISTURBING_SHARE;
}
