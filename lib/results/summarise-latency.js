// The times of a cell's launches: percentiles of all round trips together, and how they spread over the launches.
// Percentiles are never averaged: histograms are merged, or launches are samples (M-18).

import { estimateOf } from '../statistics/estimate.js';
import { latencyPercentiles, mergeLatencies } from '../statistics/latency.js';
import { achievedShare, OPEN_COUNTS, summed } from './summed.js';

/** @import { Latency, LatencySummary, MeasuredLaunch, OpenLaunch, OpenSummary } from '../types/index.js' */

/** @param {Latency[]} latencies    one per launch @returns {LatencySummary} */
export function summariseLatency(latencies) {
  const perLaunch = latencies.map(latencyPercentiles);
  const p99s = perLaunch.map((launch) => launch.p99).filter((p99) => p99 !== null);
  return {
    ...latencyPercentiles(mergeLatencies(latencies)),
    perLaunch: {
      p50: estimateOf(perLaunch.map((launch) => launch.p50)),
      // Of some launches only, it would be the p99 of the faster ones.
      p99: p99s.length < latencies.length ? null : estimateOf(p99s),
    },
  };
}

/** @param {MeasuredLaunch[]} launches   under open load, at least one @returns {OpenSummary} */
export function summariseOpen(launches) {
  const opens = launches.map(({ open }) => /** @type {OpenLaunch} */ (open));
  const [{ arrivals, catchesUp, pacing }] = opens;
  const { due, started, ...others } = summed(opens, OPEN_COUNTS);
  return {
    ...{ arrivals, catchesUp, pacing, due },
    achieved: achievedShare({ due, started }),
    ...others,
    responseUs: summariseLatency(opens.map(({ response }) => response)),
    sendLagUs: latencyPercentiles(mergeLatencies(opens.map(({ sendLag }) => sendLag))),
  };
}
