// The notes below a table: what limits rows, what remarks mean, which rows are missing and why, and what calibration and extra launches
// found. The default table has a selection of them; --notes, the page and the Markdown report have all.

import { dirname } from 'node:path/posix';
import { axesIn, unusualText } from '../../cell/axes.js';
import { commonOperation, readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, unended } from '../../format/lists.js';
import { formatCount, formatNumber, hasRange, spanText, UNKNOWN_NOTE } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagNotes, isFault } from '../../format/result-flags.js';
import { isReliable } from '../../results/calibration-rows.js';
import { sumBy } from '../../statistics/sum.js';
import { flagsIn } from '../findings/groups.js';
import { findingsIn } from '../findings/index.js';
import { readFacts } from '../findings/report-facts.js';
import { readResponseTime } from '../findings/response-times.js';
import { transportFacts } from '../findings/transport-kinds.js';
import { floorGaps, floorNotes } from './baseline-words.js';
import { gapSentences, propertySentences, sentencesOn } from './conclusion.js';
import { guaranteeNotes } from './kind-words.js';
import { messageNotes } from './message-words.js';
import { cellName } from './names.js';
import { runLengthLines } from './run-words.js';
import { inheritedLines, sourceLine } from './surroundings.js';
import { openNotes } from './time-words.js';

/** @import { Estimate, MeasuredOutcome, Results } from '../../types/index.js' */

const CALLS_SHOWN = 4; // kinds of system calls per process; rarer ones are timers, signals and memory
const WRITE = /^(?:p?write|send)/; // write, writev, pwrite64, sendto, sendmsg, ...

/**
 * @param {Results} results
 * @param {{ isBrief?: boolean }} [detail]   isBrief: the notes of the default table, with the most important lines of those above a table
 * @returns {string[]}
 */
export function makeNotes(results, { isBrief = false } = {}) {
  const { measured } = readFacts(results);
  const findings = findingsIn(results);
  return [
    ...propertySentences(findings, isBrief),
    ...(hasOnlyRange(measured) ? ['[low–high] = range of the launches, where there is no interval.'] : []),
    ...unknownIntervalNotes(measured),
    ...(isBrief ? [] : [...openNotes(results.outcomes), ...faultNotes(measured)]),
    ...sentencesOn(findings, ['losses'], isBrief),
    ...(isBrief ? [] : sideNotes(results, measured)),
    ...gapSentences(findings),
    ...floorGaps(results),
    ...insideNotes(results),
    ...(isBrief
      ? [...inheritedLines(results), ...runLengthLines(results)].map((line) => `${capitalised(line)}.`)
      : []),
    ...deathNotes(results),
    ...sentencesOn(findings, ['unknown-costs'], isBrief),
    ...(isBrief ? [...messageNotes(results), sourceLine(results)] : []),
  ];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} what the remarks in the rows mean */
export function faultNotes(measured) {
  return measured.length === 0 ? [] : flagNotes(flagsIn(measured).filter(isFault), commonOperation(measured));
}

/** @param {Results} results @param {MeasuredOutcome[]} measured @returns {string[]} what was measured beside the rows */
function sideNotes(results, measured) {
  return [
    ...(results.controls ? controlNotes(results.controls) : []),
    ...floorNotes(results),
    ...guaranteeNotes(results, results.outcomes),
    ...trafficNotes(measured, results),
  ];
}

/** @param {MeasuredOutcome[]} measured @returns {boolean} true if a headline has the range of its launches instead of an interval */
function hasOnlyRange(measured) {
  return measured.map(readHeadline).some((headline) => headline.level === null && hasRange(headline));
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function unknownIntervalNotes(measured) {
  const isUnknown = measured.some((outcome) =>
    [readHeadline(outcome), outcome.ratio, ...responseTimes(outcome)].some(
      (one) => one?.method === 'unknown',
    ),
  );
  return isUnknown ? [UNKNOWN_NOTE] : [];
}

/** @param {MeasuredOutcome} outcome @returns {Estimate[]} those that a table of open load shows with an interval */
function responseTimes(outcome) {
  return /** @type {const} */ (['p50', 'p99']).flatMap((name) => readResponseTime(outcome, name)?.us ?? []);
}

/** @param {Results} results @returns {string[]} what the extra launches found */
function insideNotes(results) {
  const { syscalls = [], profiles = [], failedDiagnoses = [] } = results;
  const byFolder = groupedBy(profiles, ({ file }) => dirname(file));
  return [
    ...syscallNotes(syscalls, results),
    ...[...byFolder].map(
      ([folder, [{ cell }]]) =>
        `CPU profiles of ${cellName(cell)}, for Chrome DevTools: ${printable(folder)}, beside the results.`,
    ),
    ...failedDiagnoses.map(({ cell, flag, code, message }) => {
      const why = `${unended(printable(message))} (${printable(code)})`;
      return `--${printable(flag)} has no result for ${cellName(cell)}: ${code === 'RUNTIME' ? '' : 'its extra launch failed, '}${why}.`;
    }),
  ];
}

/** @param {Results} results @returns {string[]} private brokers that died */
function deathNotes({ environment: { brokers } }) {
  return Object.entries(brokers).flatMap(([name, { deaths = [] }]) =>
    deaths.map((cause) => printable(`The private ${name} died (${cause}) and was restarted.`)),
  );
}

/** @param {NonNullable<Results['controls']>} controls @returns {string[]} */
function controlNotes({ timer, rows: measured }) {
  const rows = measured.filter(isReliable);
  if (rows.length === 0) return [];
  const byPayload = groupedBy(rows, (row) => unusualText(row, axesIn(['payload'])));
  const lines = [...byPayload].map(([payload, own]) => {
    const byName = groupedBy(own, ({ codec, runtime }) =>
      printable(runtime === undefined ? codec : `${codec} on ${runtime}`),
    );
    const texts = [...byName].map(([name, some]) => {
      const alone = spanText(some.map(({ codecUs }) => codecUs.estimate));
      return `${name} alone ${alone} µs, null ${spanText(some.map(({ nullUs }) => nullUs))} µs`;
    });
    return `Controls at ${payload}: ${texts.join('; ')}; checking a response ${spanText(own.map(({ checkUs }) => checkUs))} µs.`;
  });
  const clock =
    timer === null
      ? ''
      : ` Reading the clock ${formatNumber(timer.nowNs)} ns, recording a latency ${formatNumber(timer.recordNs)} ns.`;
  const legend =
    'alone = CPU time of encoding and decoding request and response; null = a round trip with a function call as transport; ' +
    'net of codec = CPU time of all processes minus the codec, so transport, kernel, event loop and harness; ≤ = too small to separate from the codec; ' +
    'harness = share of the CPU time that codec and harness take, which is null.';
  return [...lines, `${legend}${clock}`];
}

/** @param {MeasuredOutcome[]} measured @param {Results} results @returns {string[]} */
function trafficNotes(measured, results) {
  const isOneOfMany = new Set(measured.map(({ cell }) => cell.scenario)).size > 1;
  const series = groupedBy(measured, ({ cell }) => `${cell.scenario} ${seriesLabel(cell)}`);
  return [...series.values()].flatMap((rows) => {
    const [{ cell }] = rows;
    const traffic = rows.flatMap(({ launches }) => launches.flatMap((launch) => launch.traffic ?? []));
    if (traffic.length === 0) return [];
    const { operation, roundTrips = 1 } = results.scenarios[cell.scenario];
    const predicted = (transportFacts(results, cell).messagesPerRoundTrip ?? 0) * (roundTrips ?? 0);
    const needed = predicted > 0 ? `, ${predicted} needed` : '';
    const published = spanText(traffic.map((passed) => passed.published));
    const known = traffic.flatMap(({ delivered }) => delivered ?? []);
    const delivered = known.length === 0 ? '' : `, ${spanText(known)} from it`;
    const bytes = spanText(traffic.map((passed) => passed.bytes));
    const name = `${seriesLabel(cell)}${isOneOfMany ? ` (${cell.scenario})` : ''}`;
    return [
      `${printable(name)}, per ${operation.one}: ${published} messages to the broker${delivered}${needed}; ${bytes} B from it.`,
    ];
  });
}

/** @param {NonNullable<Results['syscalls']>} syscalls @param {Results} results @returns {string[]} */
function syscallNotes(syscalls, { scenarios }) {
  return syscalls.map(({ cell, operations, processes }) => {
    const { one, many } = scenarios[cell.scenario].operation;
    const texts = processes.map(({ name, calls }) => {
      const most = Object.entries(calls).slice(0, CALLS_SHOWN);
      return `${printable(name)} ${most.map(([call, count]) => `${printable(call)} ${count.toFixed(2)}`).join(', ')}`;
    });
    const all = processes.flatMap(({ calls }) => Object.entries(calls));
    /** @param {typeof all} calls */
    const countOf = (calls) => sumBy(calls, ([, count]) => count).toFixed(2);
    const from = `${formatCount(operations)} ${printable(many)} under strace, which slows it down`;
    return `System calls per ${printable(one)} of ${cellName(cell)} (${from}): ${countOf(all)}, of which ${countOf(all.filter(([call]) => WRITE.test(call)))} writes; ${texts.join('; ')}.`;
  });
}
