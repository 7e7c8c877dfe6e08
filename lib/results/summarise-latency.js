// The times of a cell's launches: percentiles of all round trips together, and how they spread over the launches.
// Percentiles are never averaged: histograms are merged, or launches are samples (M-18).

import { estimateOf } from '../statistics/estimate.js';
import { censoredPercentiles, latencyPercentiles, mergeLatencies } from '../statistics/latency.js';
import { achievedShare, OPEN_COUNTS, summed } from './summed.js';

/** @import { Latency, LatencySummary, MeasuredLaunch, OpenLaunch, OpenSummary } from '../types/index.js' */

const BOUNDED = /** @type {const} */ (['p50', 'p99']);

/**
 * @param {Latency[]} latencies    one per launch
 * @param {(Latency | undefined)[]} [unanswered]   of the same launches: what had no answer at the end of their windows
 * @returns {LatencySummary}
 */
export function summariseLatency(latencies, unanswered = []) {
  const perLaunch = latencies.map((latency, place) => censoredPercentiles(latency, unanswered[place]));
  const p99s = perLaunch.map((launch) => launch.p99).filter((p99) => p99 !== null);
  const open = unanswered.filter((one) => one !== undefined);
  const atLeast = BOUNDED.filter((name) => perLaunch.some((launch) => launch.atLeast?.includes(name)));
  return {
    ...censoredPercentiles(mergeLatencies(latencies), open.length > 0 ? mergeLatencies(open) : undefined),
    perLaunch: {
      p50: estimateOf(perLaunch.map((launch) => launch.p50)),
      // Of some launches only, it would be the p99 of the faster ones.
      p99: p99s.length < latencies.length ? null : estimateOf(p99s),
      ...(atLeast.length > 0 && { atLeast }),
    },
  };
}

/** @param {MeasuredLaunch[]} launches   under open load, at least one @returns {OpenSummary} */
export function summariseOpen(launches) {
  const opens = launches.map(({ open }) => /** @type {OpenLaunch} */ (open));
  const [{ arrivals, catchesUp, pacing }] = opens;
  const { due, started, ...others } = summed(opens, OPEN_COUNTS);
  return {
    arrivals,
    catchesUp,
    pacing,
    due,
    achieved: achievedShare({ due, started }),
    ...others,
    responseUs: summariseLatency(
      opens.map(({ response }) => response),
      opens.map(({ unanswered }) => unanswered),
    ),
    sendLagUs: latencyPercentiles(mergeLatencies(opens.map(({ sendLag }) => sendLag))),
  };
}
