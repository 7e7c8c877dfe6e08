// Reads the measures of a scenario from the reports of one launch. Plug-ins of the user may define them, so the values are checked.

import { BenchError } from '../../errors.js';
import { printable } from '../../format/printable.js';
import { latencyPercentiles, mergeLatencies } from '../../statistics/latency.js';
import { LatencyCounts } from '../../statistics/latency-counts.js';

/** @import { BrokerTraffic, Cell, Measure, MeasuredCell, MeasuredLaunch, ProcessCost, RoleReport } from '../../types/index.js' */

/**
 * @param {readonly Measure[]} measures
 * @param {RoleReport[]} reports
 * @param {MeasuredCell} cell
 * @param {ProcessCost[]} costs
 * @param {BrokerTraffic | null} [traffic]   null without a broker whose counters can be read
 * @returns {Pick<MeasuredLaunch, 'values' | 'times'>}
 * @throws {BenchError} BAD_PLUGIN, with the name of the scenario and of the measure that throws or returns an invalid value
 */
export function readings(measures, reports, cell, costs, traffic = null) {
  /** @type {Pick<MeasuredLaunch, 'values' | 'times'>} */
  const read = { values: {}, times: {} };
  const readable = cell.hosts === undefined ? reports : reports.map(withoutInstants);
  // An idle launch is reported as such, so errors of its measures are ignored.
  const isIdle = !reports.some(({ operations, windowMs }) => Number(operations) > 0 && windowMs > 0);
  for (const measure of measures) {
    const { name, kind } = measure;
    try {
      const found = measure.read(readable, cell, costs, traffic);
      if (kind === 'value') read.values[name] = checkedValue(found, measure);
      else {
        const times = timesIn(found);
        if (times !== null) read.times[name] = times;
      }
    } catch (error) {
      if (!isIdle) throw unreadable(cell, name, error);
      if (kind === 'value') read.values[name] = null;
    }
  }
  const [{ name }] = measures;
  if (Object.hasOwn(read.times, name)) read.values[name] = latencyPercentiles(read.times[name]).p50;
  const value = read.values[name] ?? null;
  if (!isIdle && !(Number(value) > 0)) {
    throw unreadable(cell, name, `it is the headline and gave ${shown(value)}: ratios need a number above 0`);
  }
  return read;
}

/** @param {Cell} cell @param {string} name @param {unknown} cause */
function unreadable({ scenario }, name, cause) {
  const why = printable(cause instanceof Error ? cause.message : String(cause));
  const message = `the measure ${name} of the scenario ${scenario} cannot be read: ${why}`;
  return new BenchError('BAD_PLUGIN', message, { cause });
}

/** @param {unknown} found @param {Pick<Measure, 'scale'>} measure */
function checkedValue(found, { scale }) {
  const least = scale === 'linear' ? -Infinity : 0;
  if (found === null) return null;
  if (typeof found === 'number' && Number.isFinite(found) && found >= least) return found;
  const wanted = scale === 'linear' ? 'a finite number' : 'a finite number from 0 on';
  throw new TypeError(`it gave ${shown(found)}, not ${wanted}, or null where there is none`);
}

/** @param {unknown} found @returns a description for messages */
function shown(found) {
  if (typeof found === 'string') return 'a text';
  if (typeof found === 'bigint') return 'a BigInt';
  return typeof found === 'object' && found !== null ? 'an object' : String(found);
}

/** @param {unknown} found @returns the histogram of the times; null if there are none */
function timesIn(found) {
  if (found === null) return null;
  if (found instanceof Float64Array) return found.length === 0 ? null : countedTimes(found);
  if (!Array.isArray(found)) throw new TypeError(`it gave ${shown(found)}, not a list of times`);
  return found.length === 0 ? null : mergeLatencies(found);
}

/**
 * Removes instants, which must not be subtracted across hosts: the clock offset is known only to within the time of a message.
 * @param {RoleReport} report
 * @returns {RoleReport}
 */
function withoutInstants({ sightings: _sightings, ...report }) {
  return report;
}

/** @param {Float64Array} times   in ns */
export function countedTimes(times) {
  const counts = new LatencyCounts();
  for (const ns of times) counts.record(ns);
  return counts.toLatency();
}
