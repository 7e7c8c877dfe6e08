// One row per cell with raw numbers, for spreadsheets and data frames (RFC 4180). Units are in the names.

import { columnsOf } from '../lib/cell/axes.js';
import { isMeasured, isOpen } from '../lib/verdicts/groups.js';
import { printable } from '../lib/words/printable.js';

/** @import { Estimate } from '../lib/types/launches.js' */
/** @import { MeasuredOutcome, Outcome } from '../lib/types/outcomes.js' */
/** @typedef {string | number | null | undefined} Value */

/**
 * @param {string} name
 * @param {Estimate | null} estimate
 * @returns {Record<string, Value>}
 */
function estimateFields(name, estimate) {
  return {
    [name]: estimate?.estimate,
    [`${name}Low`]: estimate?.low,
    [`${name}High`]: estimate?.high,
    [`${name}Level`]: estimate?.level,
    [`${name}Method`]: estimate?.method,
  };
}

/**
 * @param {MeasuredOutcome | null} outcome    null gives the names, without values
 * @returns {Record<string, Value>}
 */
function measuredFields(outcome) {
  const latency = outcome?.latencyUs;
  return {
    launches: outcome?.launches.length,
    ...estimateFields('roundTripsPerSecond', outcome?.roundTripsPerSecond ?? null),
    ...estimateFields('ratio', outcome?.ratio ?? null),
    ratioTo: outcome?.ratio?.to,
    roundTrips: latency?.count,
    minUs: latency?.min,
    meanUs: latency?.mean,
    p50Us: latency?.p50,
    p90Us: latency?.p90,
    p99Us: latency?.p99,
    p999Us: latency?.p999,
    maxUs: latency?.max,
    ...estimateFields('p50PerLaunchUs', latency?.perLaunch.p50 ?? null),
    ...estimateFields('p99PerLaunchUs', latency?.perLaunch.p99 ?? null),
    megabytesPerSecond: outcome?.megabytesPerSecond,
    cpuUsPerRoundTripWorkers: outcome?.cpuUsPerRoundTrip.workers,
    cpuUsPerRoundTripMaster: outcome?.cpuUsPerRoundTrip.master,
    cpuUsPerRoundTripBroker: outcome?.cpuUsPerRoundTrip.broker,
    peakRssBytes: outcome?.peakRssBytes,
    busiestProcess: outcome?.busiest?.name,
    busiestShare: outcome?.busiest?.share,
    flags: outcome?.flags.map(({ code }) => code).join(' '),
  };
}

/**
 * Only where a run has them: p50Us and the like stay the service time of both models.
 * @param {Outcome} outcome
 * @returns {Record<string, Value>}
 */
function openFields(outcome) {
  const open = isMeasured(outcome) ? outcome.open : undefined;
  const times = { response: open?.responseUs, sendLag: open?.sendLagUs };
  return {
    model: isOpen(outcome) ? 'open' : 'closed',
    plannedPerSecond: outcome.cell.ratePerSecond,
    arrivals: open?.arrivals,
    pacing: open?.pacing,
    achieved: open?.achieved,
    due: open?.due,
    late: open?.late,
    missed: open?.missed,
    dropped: open?.dropped,
    ...Object.fromEntries(
      Object.entries(times).flatMap(([name, percentiles]) => [
        [`${name}P50Us`, percentiles?.p50],
        [`${name}P90Us`, percentiles?.p90],
        [`${name}P99Us`, percentiles?.p99],
        [`${name}P999Us`, percentiles?.p999],
        [`${name}MaxUs`, percentiles?.max],
      ]),
    ),
    ...estimateFields('responseP50PerLaunchUs', open?.responseUs.perLaunch.p50 ?? null),
    ...estimateFields('responseP99PerLaunchUs', open?.responseUs.perLaunch.p99 ?? null),
  };
}

/**
 * Only where a transport of the run may lose messages.
 * @param {Outcome} outcome
 * @returns {Record<string, Value>}
 */
function lossFields(outcome) {
  const losses = isMeasured(outcome) ? outcome.losses : undefined;
  return {
    questions: losses?.asked,
    lostAnswers: losses?.lost,
    lateAnswers: losses?.late,
    reorderedAnswers: losses?.reordered,
  };
}

/**
 * @param {Outcome} outcome
 * @returns {Record<string, Value>}
 */
function causeFields(outcome) {
  if (outcome.status === 'measured') return { code: null, reason: null };
  if (outcome.status === 'skipped') return { code: null, reason: outcome.reason };
  return { code: outcome.code, reason: outcome.message };
}

/**
 * @param {Value} value
 * @returns {string}
 */
function fieldOf(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = printable(value);
  // Spreadsheets run what begins like this as a formula; an apostrophe makes it text.
  const harmless = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** @type {import('../lib/types/scenarios.js').Report} */
export default {
  name: 'csv',
  summary: 'one row per cell with raw numbers, for spreadsheets',
  option: { flag: 'csv', rank: 2 },
  render({ outcomes }) {
    const hasOpen = outcomes.some(isOpen);
    const hasLosses = outcomes.some((outcome) => isMeasured(outcome) && outcome.losses !== undefined);
    const records = outcomes.map((outcome) => ({
      status: outcome.status,
      ...columnsOf(outcome.cell),
      ...measuredFields(isMeasured(outcome) ? outcome : null),
      ...(hasOpen ? openFields(outcome) : {}),
      ...(hasLosses ? lossFields(outcome) : {}),
      ...causeFields(outcome),
    }));
    const names = Object.keys(records[0] ?? {});
    const rows = [names, ...records.map((record) => Object.values(record))];
    const content = rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
    return [{ name: 'results.csv', mediaType: 'text/csv; charset=utf-8', content }];
  },
};
