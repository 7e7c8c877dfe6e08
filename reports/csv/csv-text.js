// One row per cell with raw numbers, for spreadsheets and data frames (RFC 4180). Units are in the names of the columns.

import { AXES, axisColumns, isUsual } from '../../lib/cell/axes.js';
import { commonOperation, findMainTimes, readHeadline, timesIn, valuesIn } from '../../lib/cell/headline.js';
import { camelCase, pascalCase } from '../../lib/format/lists.js';
import { shownInterval } from '../../lib/format/numbers.js';
import { printable } from '../../lib/format/printable.js';
import { readCause } from '../../lib/report/findings/gap-findings.js';
import { isOpen } from '../../lib/report/findings/groups.js';
import { backpressureOfRow } from '../../lib/report/text/delivery-words.js';
import { readFloor, shareOfFloor } from '../../lib/results/calibration-rows.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { listRoles } from '../../lib/results/summarise.js';

/** @import { MessageFile, Outcome, Estimate, Interval, LatencySummary, MeasuredOutcome } from '../../lib/types/index.js' */
/** @import { WithFloor } from '../../lib/results/calibration-rows.js' */
/** @typedef {string | number | null | undefined} CsvValue */

/**
 * Returns the fields of runs with open load. Response times start at the planned instant; p50Us and similar fields, which closed loops have
 * too, start at the actual send.
 * @param {Outcome} outcome
 * @returns {Record<string, CsvValue>}
 */
function openFields(outcome) {
  const open = isMeasured(outcome) ? outcome.open : undefined;
  return {
    model: isOpen(outcome) ? 'open' : 'closed',
    plannedPerSecond: outcome.cell.ratePerSecond,
    arrivals: open?.arrivals,
    pacing: open?.pacing,
    achieved: open?.achieved,
    due: open?.due,
    late: open?.late,
    dropped: open?.dropped,
    ...percentileFields('response', open?.responseUs),
    ...percentileFields('sendLag', open?.sendLagUs),
    // Names of percentiles that are only lower bounds: in the merged histogram, and in at least one launch.
    responseAtLeast: open?.responseUs.atLeast?.join(' '),
    responsePerLaunchAtLeast: open?.responseUs.perLaunch.atLeast?.join(' '),
    ...estimateFields('responseP50PerLaunchUs', open?.responseUs.perLaunch.p50 ?? null),
    ...estimateFields('responseP99PerLaunchUs', open?.responseUs.perLaunch.p99 ?? null),
  };
}

/** Returns the fields of runs with a transport that may lose messages. @param {Outcome} outcome @returns {Record<string, CsvValue>} */
function lossFields(outcome) {
  const losses = isMeasured(outcome) ? outcome.losses : undefined;
  return {
    requests: losses?.requests,
    lostResponses: losses?.lost,
    lateResponses: losses?.late,
    reorderedResponses: losses?.reordered,
  };
}

/** Returns the fields of runs with streams. @param {Outcome} outcome @returns {Record<string, CsvValue>} */
function backpressureFields(outcome) {
  const facts = isMeasured(outcome) ? outcome.backpressure : undefined;
  return {
    backpressure: isMeasured(outcome) ? backpressureOfRow(outcome) : null,
    waits: facts?.waits,
    backlogPerSecond: facts?.backlogPerSecond,
    lostShare: facts?.lostShare,
    grownIn: facts?.grownIn,
  };
}

/** Returns the fields of runs with --floor. @param {Outcome} outcome @param {WithFloor} results @returns {Record<string, CsvValue>} */
function floorFields(outcome, results) {
  return {
    ...estimateFields('floorPerSecond', readFloor(results.floor, outcome.cell)),
    ...estimateFields('ofFloor', isMeasured(outcome) ? shareOfFloor(outcome, results) : null),
  };
}

/**
 * Returns the fields of runs with messages from a file: the lengths of the messages as written in the file. Their mean is the payload size
 * of the cell, so it has no field here.
 * @param {Outcome} outcome
 * @param {MessageFile} file
 * @returns {Record<string, CsvValue>}
 */
function messageFields({ cell }, { content, messages, bytes }) {
  const sizes = cell.content === content ? { ...bytes, messages } : undefined;
  return {
    messagesInFile: sizes?.messages,
    leastBytes: sizes?.least,
    p50Bytes: sizes?.p50,
    p90Bytes: sizes?.p90,
    p99Bytes: sizes?.p99,
    greatestBytes: sizes?.greatest,
  };
}

/** @param {Outcome} outcome @returns {Record<string, CsvValue>} */
function causeFields(outcome) {
  if (isMeasured(outcome)) return { code: null, reason: null };
  const { code, message } = readCause(outcome);
  return { code, reason: message };
}

/** @param {CsvValue} value */
function formatField(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = printable(value);
  // Spreadsheets evaluate a field with this beginning as a formula; an apostrophe makes it text.
  const harmless = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** @param {Outcome[]} outcomes @param {WithFloor} results @returns {string} */
export function csvText(outcomes, results) {
  const { messageFile } = results.options;
  const measuredFields = makeMeasuredFields(outcomes.filter(isMeasured));
  const hasOpen = outcomes.some(isOpen);
  const hasLosses = outcomes.some((outcome) => isMeasured(outcome) && outcome.losses !== undefined);
  const hasStreams = outcomes.some((outcome) => isMeasured(outcome) && outcome.backpressure !== undefined);
  const axes = AXES.filter((axis) => !axis.isSparse || outcomes.some(({ cell }) => !isUsual(axis, cell)));
  const records = outcomes.map((outcome) => ({
    status: outcome.status,
    ...axisColumns(outcome.cell, axes),
    ...measuredFields(isMeasured(outcome) ? outcome : null),
    ...(hasOpen ? openFields(outcome) : {}),
    ...(hasLosses ? lossFields(outcome) : {}),
    ...(hasStreams ? backpressureFields(outcome) : {}),
    ...(results.floor === undefined ? {} : floorFields(outcome, results)),
    ...(messageFile === undefined ? {} : messageFields(outcome, messageFile)),
    ...causeFields(outcome),
  }));
  const names = Object.keys(records[0] ?? {});
  const rows = [names, ...records.map((record) => Object.values(record))];
  return rows.map((row) => `${row.map(formatField).join(',')}\r\n`).join('');
}

/**
 * @param {string} name
 * @param {Estimate & { simultaneous?: Interval } | null} estimate
 * @returns {Record<string, CsvValue>} the estimate, with the interval that the table prints
 */
function estimateFields(name, estimate) {
  const interval = estimate && shownInterval(estimate);
  return {
    [name]: estimate?.estimate,
    [`${name}Low`]: interval?.low,
    [`${name}High`]: interval?.high,
    [`${name}Level`]: estimate?.level,
    [`${name}Method`]: estimate?.method,
  };
}

/**
 * @param {string} name
 * @param {Pick<LatencySummary, 'p50' | 'p90' | 'p99' | 'p999' | 'max'>} [times]
 * @returns {Record<string, CsvValue>}
 */
function percentileFields(name, times) {
  return {
    [`${name}P50Us`]: times?.p50,
    [`${name}P90Us`]: times?.p90,
    [`${name}P99Us`]: times?.p99,
    [`${name}P999Us`]: times?.p999,
    [`${name}MaxUs`]: times?.max,
  };
}

/** @param {MeasuredOutcome[]} measured @returns {(outcome: MeasuredOutcome | null) => Record<string, CsvValue>} */
function makeMeasuredFields(measured) {
  const { one, many } = commonOperation(measured);
  /** @param {string[]} names */
  const unique = (names) => [...new Set(names)];
  const headlines = unique(measured.map(({ headline }) => headline));
  // These lists exclude the headline and the first times of each scenario, which have their own columns.
  const values = unique(measured.flatMap((outcome) => valuesIn(outcome).map(({ name }) => name)));
  const times = unique(measured.flatMap((outcome) => timesIn(outcome).slice(1)).map(({ name }) => name));
  const roles = listRoles(measured);
  return (outcome) => {
    const latency = outcome && findMainTimes(outcome);
    return Object.assign(
      { launches: outcome?.launches.length },
      ...headlines.map((name) =>
        estimateFields(name, outcome?.headline === name ? readHeadline(outcome) : null),
      ),
      {
        ...estimateFields('ratio', outcome?.ratio ?? null),
        ratioTo: outcome?.ratio?.to,
        [camelCase(many)]: outcome?.launches.reduce((sum, { operations }) => sum + operations, 0),
        minUs: latency?.min,
        meanUs: latency?.mean,
        p50Us: latency?.p50,
        p90Us: latency?.p90,
        p99Us: latency?.p99,
        p999Us: latency?.p999,
        maxUs: latency?.max,
        ...estimateFields('p50PerLaunchUs', latency?.perLaunch.p50 ?? null),
        ...estimateFields('p99PerLaunchUs', latency?.perLaunch.p99 ?? null),
      },
      ...times.map((name) => {
        const measure = outcome?.measures[name];
        return percentileFields(name, measure?.kind === 'times' ? measure : undefined);
      }),
      ...values.map((name) => {
        const measure = outcome?.measures[name];
        return { [name]: measure?.kind === 'value' ? measure.estimate : null };
      }),
      ...roles.map((role) => ({
        [`cpuUsPer${pascalCase(one)}${pascalCase(role)}`]: outcome?.cpuUsPerOperation[role],
      })),
      {
        peakRssBytes: outcome?.peakRssBytes,
        busiestProcess: outcome?.busiest?.name,
        busiestShare: outcome?.busiest?.share,
        flags: outcome?.flags.map(({ code }) => code).join(' '),
      },
    );
  };
}
