// What a master handed in → a launch of the results file, with the flags that this launch earned.

import { FLAGS } from '../flags.js';
import { mergeLatencies } from '../statistics/latency.js';
import { littleLawResidual } from '../statistics/little-law.js';
import { leftSteadyState } from '../statistics/warm-up.js';

/** @typedef {import('../types.js').Flag} Flag */
/** @typedef {import('../types.js').MeasuredLaunch} MeasuredLaunch */
/** @typedef {import('../launch/assignment.js').Assignment} Assignment */

const FEWEST_SAMPLES = 1_000; // below, ten samples lie beyond p99 no more (M-18)
const LARGEST_RESIDUAL = 0.02; // M-17
const NS_PER_MS = 1e6;
const FEWEST_BINS = 10; // for a window to show a trend

/**
 * @param {any} fields                   of the master's 'done'
 * @param {Assignment} assignment
 * @param {Pick<MeasuredLaunch, 'block' | 'order' | 'startedAt'>} place
 * @param {{ usableCpus: number, quick: boolean, isBrokerOurs: boolean }} circumstances
 * @returns {MeasuredLaunch}
 */
export function measuredLaunch(fields, assignment, place, circumstances) {
  const { roundTrips, windowMs, roundTripsPerSecond, warmup, bins, latencies, costs, strangers } = fields;
  const latency = mergeLatencies(latencies);
  /** @type {MeasuredLaunch} */
  const launch = {
    status: 'measured',
    ...place,
    roundTrips,
    windowMs,
    roundTripsPerSecond,
    warmup,
    binMs: assignment.timing.binMs,
    bins,
    latency,
    costs,
    strangers,
    flags: [],
  };
  launch.flags = flagsOf(launch, assignment, circumstances);
  return launch;
}

/**
 * @param {MeasuredLaunch} launch
 * @param {Assignment} assignment
 * @param {{ usableCpus: number, quick: boolean, isBrokerOurs: boolean }} circumstances
 * @returns {Flag[]}
 */
function flagsOf(launch, { cell, cpus, timing }, { usableCpus, quick, isBrokerOurs }) {
  const processes = 1 + cell.workers + (isBrokerOurs ? 1 : 0);
  const residual = littleLawResidual({
    loops: cell.workers * cell.loops,
    roundTripsPerSecond: launch.roundTripsPerSecond,
    meanNs: launch.latency.meanNs,
  });
  // Round trips that cross an end of the window count whole or not at all: that much the law cannot tell.
  const edges = launch.latency.maxNs / (launch.windowMs * NS_PER_MS);
  const isUnsteady =
    launch.warmup.status === 'not-steady' ||
    (launch.bins.length >= FEWEST_BINS && leftSteadyState(launch.bins));
  /** @type {[string, boolean, string?][]} */
  const findings = [
    ['quick', quick],
    ['not-steady', isUnsteady],
    ['too-few-samples', launch.roundTrips < FEWEST_SAMPLES],
    // Loops that have done their messages wait for the others: the law is for loops that all go on.
    [
      'little-law',
      timing.messages === null && residual > LARGEST_RESIDUAL + edges,
      `by ${(residual * 100).toFixed(1)} %`,
    ],
    ['oversubscribed', processes > usableCpus, `${processes} processes on ${usableCpus} CPUs`],
    ['free', cell.placement !== 'free' && cpus === null],
    ['strangers', launch.strangers > 0, `${launch.strangers} of them`],
  ];
  return findings
    .filter(([, isFound]) => isFound)
    .map(([code, , detail]) => ({
      code,
      message: detail === undefined ? FLAGS[code].summary : `${FLAGS[code].summary} (${detail})`,
    }));
}
