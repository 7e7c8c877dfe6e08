// What a scenario's measures say of one launch: each is read once in what the roles handed in.

import { latencyPercentiles, mergeLatencies } from '../statistics/latency.js';
import { LatencyCounts } from '../statistics/latency-counts.js';

/** @import { BrokerTraffic, Measure, MeasuredLaunch, ProcessCost, RoleReport } from '../types/index.js' */

/**
 * @param {readonly Measure[]} measures
 * @param {RoleReport[]} reports
 * @param {import('../types/plans.js').Cell} cell
 * @param {ProcessCost[]} costs
 * @param {BrokerTraffic | null} [traffic]
 * @returns {Pick<MeasuredLaunch, 'values' | 'times'>} what the scenario's measures read in what the roles handed in
 */
export function readings(measures, reports, cell, costs, traffic = null) {
  /** @type {Pick<MeasuredLaunch, 'values' | 'times'>} */
  const read = { values: {}, times: {} };
  const handedIn = cell.hosts === undefined ? reports : reports.map(withoutInstants);
  for (const { name, kind, read: readIn } of measures) {
    const found = readIn(handedIn, cell, costs, traffic);
    if (kind === 'value') read.values[name] = numberOrNull(found);
    else if (found instanceof Float64Array && found.length > 0) read.times[name] = countedTimes(found);
    else if (Array.isArray(found) && found.length > 0) read.times[name] = mergeLatencies(found);
  }
  const [headline] = measures;
  if (Object.hasOwn(read.times, headline.name)) {
    read.values[headline.name] = latencyPercentiles(read.times[headline.name]).p50;
  }
  return read;
}

/**
 * Instants of two hosts are not subtracted from each other: what their clocks differ by is known no better than a message is quick.
 * @param {RoleReport} report
 * @returns {RoleReport}
 */
function withoutInstants({ sightings: _sightings, ...report }) {
  return report;
}

/** @param {unknown} found @returns {number | null} JSON has no others */
function numberOrNull(found) {
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** @param {Float64Array} times   ns @returns {import('../types/launches.js').Latency} */
export function countedTimes(times) {
  const counts = new LatencyCounts();
  for (const ns of times) counts.record(ns);
  return counts.toLatency();
}
