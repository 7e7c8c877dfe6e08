// The launches of a cell on both sides → what is compared of them: one speed per launch, more is better, and the
// quantity that people are shown.

import { BenchError } from '../errors.js';
import { latencyPercentiles } from '../statistics/latency.js';

/** @import { Samples } from '../statistics/ratio.js' */
/** @import { ComparedRow, ComparisonDesign as Design } from '../types/comparisons.js' */
/** @import { MeasuredLaunch } from '../types/launches.js' */
/** @typedef {{ block: number, shown: number, speed: number }} Speed   shown: in the unit of the quantity */
/** @typedef {{ quantity: ComparedRow['quantity'], old: Speed[], new: Speed[] }} Speeds */

/**
 * @param {MeasuredLaunch} launch
 * @returns {{ p50: number, p99: number | null }} of the response time, µs
 */
function responseOf({ open }) {
  if (open === undefined) throw new RangeError('closed loops have no response time');
  try {
    return latencyPercentiles(open.response);
  } catch (error) {
    throw unusable('a histogram of response times cannot be read', error);
  }
}

/** @param {string} what @param {unknown} [cause] */
function unusable(what, cause) {
  const message = `${what}: the results were changed after they were saved. Measure again.`;
  return new BenchError('BAD_RESULTS_FILE', message, { cause });
}

/** @param {Speed[]} speeds @returns {Speed[]} all above 0, as everything measured is */
function checked(speeds) {
  if (speeds.every(({ speed }) => speed > 0 && Number.isFinite(speed))) return speeds;
  throw unusable('a launch has no round trip');
}

/**
 * Under open load the number of round trips is planned, and says nothing: response times are compared instead.
 * @param {MeasuredLaunch[]} old
 * @param {MeasuredLaunch[]} fresh
 * @returns {Speeds}
 */
export function speedsOf(old, fresh) {
  if ([...old, ...fresh].some(({ open }) => open === undefined)) {
    const ratesOf = (/** @type {MeasuredLaunch[]} */ launches) =>
      checked(launches.map(({ block, roundTripsPerSecond: rate }) => ({ block, shown: rate, speed: rate })));
    return { quantity: 'roundTripsPerSecond', old: ratesOf(old), new: ratesOf(fresh) };
  }
  const responses = new Map([...old, ...fresh].map((launch) => [launch, responseOf(launch)]));
  const hasTail = [...responses.values()].every(({ p99 }) => p99 !== null);
  const timesOf = (/** @type {MeasuredLaunch[]} */ launches) =>
    checked(
      launches.map((launch) => {
        const response = responses.get(launch);
        const us = (hasTail ? response?.p99 : response?.p50) ?? 0;
        return { block: launch.block, shown: us, speed: 1 / us };
      }),
    );
  return { quantity: hasTail ? 'responseP99Us' : 'responseP50Us', old: timesOf(old), new: timesOf(fresh) };
}

/**
 * @param {Speeds} speeds
 * @param {Design} design
 * @returns {Samples} interleaved: of blocks that both sides have, in the same order
 */
export function samplesOf(speeds, design) {
  if (design === 'separate') {
    return { old: speeds.old.map(({ speed }) => speed), new: speeds.new.map(({ speed }) => speed) };
  }
  const newByBlock = new Map(speeds.new.map(({ block, speed }) => [block, speed]));
  const shared = speeds.old.flatMap(({ block, speed }) => {
    const partner = newByBlock.get(block);
    return partner === undefined ? [] : [{ speed, partner }];
  });
  return { old: shared.map(({ speed }) => speed), new: shared.map(({ partner }) => partner) };
}
