// One row per cell with raw numbers, for spreadsheets and data frames (RFC 4180). Units are in the names.

import { AXES, axisColumns } from '../../lib/cell/axes.js';
import { isUsual } from '../../lib/cell/axis.js';
import { printable } from '../../lib/format/printable.js';
import { backpressureOfRow } from '../../lib/report/text/backpressure-words.js';
import { isMeasured, isOpen } from '../../lib/report/text/groups.js';
import { readFloor, shareOfFloor } from '../../lib/results/baseline-rows.js';
import { estimateFields, measuredFields, percentileFields, sharedBy } from './raw-fields.js';

/** @import { MessageFile, Outcome } from '../../lib/types/index.js' */
/** @import { WithFloor } from '../../lib/results/baseline-rows.js' */
/** @import { Value } from './raw-fields.js' */

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
      Object.entries(times).flatMap(([name, percentiles]) =>
        Object.entries(percentileFields(name, percentiles)),
      ),
    ),
    // Names of percentiles that are lower bounds: of all launches together, and of one launch or more.
    responseAtLeast: open?.responseUs.atLeast?.join(' '),
    responsePerLaunchAtLeast: open?.responseUs.perLaunch.atLeast?.join(' '),
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
 * Only where a run has streams.
 * @param {Outcome} outcome
 * @returns {Record<string, Value>}
 */
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

/**
 * Only where a run has a floor.
 * @param {Outcome} outcome
 * @param {WithFloor} results
 * @returns {Record<string, Value>}
 */
function floorFields(outcome, results) {
  return {
    ...estimateFields('floorPerSecond', readFloor(results.floor, outcome.cell)),
    ...estimateFields('ofFloor', isMeasured(outcome) ? shareOfFloor(outcome, results) : null),
  };
}

/**
 * Only where messages are those of a file: how long they are, in the text of the file. Their mean is the payload.
 * @param {Outcome} outcome
 * @param {MessageFile} file
 * @returns {Record<string, Value>}
 */
function messageFields({ cell }, { content, messages, bytes }) {
  const own = cell.content === content ? { ...bytes, messages } : undefined;
  return {
    messagesInFile: own?.messages,
    leastBytes: own?.least,
    p50Bytes: own?.p50,
    p90Bytes: own?.p90,
    p99Bytes: own?.p99,
    greatestBytes: own?.greatest,
  };
}

/** @param {Outcome} outcome @returns {Record<string, Value>} */
function causeFields(outcome) {
  if (outcome.status === 'measured') return { code: null, reason: null };
  if (outcome.status === 'skipped') return { code: null, reason: outcome.reason };
  return { code: outcome.code, reason: outcome.message };
}

/** @param {Value} value @returns {string} */
function formatField(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = printable(value);
  // Spreadsheets run what begins like this as a formula; an apostrophe makes it text.
  const harmless = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** @param {Outcome[]} outcomes @param {WithFloor} results @returns {string} one row per cell */
export function csvText(outcomes, results) {
  const { messageFile } = results.options;
  const shared = sharedBy(outcomes.filter(isMeasured));
  const hasOpen = outcomes.some(isOpen);
  const hasLosses = outcomes.some((outcome) => isMeasured(outcome) && outcome.losses !== undefined);
  const hasStreams = outcomes.some((outcome) => isMeasured(outcome) && outcome.backpressure !== undefined);
  const isUsed = (/** @type {import('../../lib/cell/axis.js').Axis} */ axis) =>
    !axis.isSparse || outcomes.some(({ cell }) => !isUsual(axis, cell));
  const axes = AXES.filter(isUsed);
  const records = outcomes.map((outcome) => ({
    status: outcome.status,
    ...axisColumns(outcome.cell, axes),
    ...measuredFields(isMeasured(outcome) ? outcome : null, shared),
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
