// The notes below a table: the meaning of its remarks, and which rows are missing and why. --notes and the Markdown report have
// the full set.

import { dirname } from 'node:path/posix';
import { axesIn, unusualText } from '../../cell/axes.js';
import { commonOperation, readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, listed, unended } from '../../format/lists.js';
import { formatCount, formatNumber, hasRange, spanText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagNotes } from '../../format/result-flags.js';
import { sumBy } from '../../statistics/sum.js';
import { openNotes } from '../columns/columns.js';
import { sourceLine } from '../columns/surroundings.js';
import { floorGaps, floorNotes } from './baseline-words.js';
import { lossNotes } from './delivery-words.js';
import { foundNotes } from './explained.js';
import { gapNotes } from './gaps.js';
import { cellName, flagsIn, formatRowName, isMeasured } from './groups.js';
import { messageNotes } from './message-words.js';
import { runLengthLines } from './run-words.js';
import { guaranteeNotes, transportFacts } from './transport-kinds.js';

/** @import { Outcome, Results, ControlRow, MeasuredOutcome } from '../../types/index.js' */

/** @param {Outcome[]} outcomes @returns {boolean} brackets are shown instead of an interval */
function hasRanges(outcomes) {
  return outcomes
    .filter(isMeasured)
    .map(readHeadline)
    .some((headline) => headline.level === null && hasRange(headline));
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function rangeNotes(outcomes) {
  return hasRanges(outcomes) ? ['[low–high] = range of the launches, where there is no interval.'] : [];
}

/**
 * @param {Results} results
 * @returns {string[]} the notes of the default table; failures are in the conclusion
 */
export function makeBriefNotes(results) {
  return [
    ...(hasRanges(results.outcomes) ? ['[low–high]: range of the launches.'] : []),
    ...lossNotes(results.outcomes, { isBrief: true }),
    ...gapNotes(results, 'skipped'),
    ...floorGaps(results),
    ...insideNotes(results),
    ...runLengthLines(results).map((line) => `${capitalised(line)}.`),
    ...unknownCostNotes(results.outcomes),
    ...messageNotes(results),
    ...deathNotes(results),
    sourceLine(results),
  ];
}

/** @param {Results} results @returns {string[]} private brokers that died; so do the launches that failed because of it */
function deathNotes({ environment: { brokers } }) {
  return Object.entries(brokers).flatMap(([name, { deaths = [] }]) =>
    deaths.map((cause) => printable(`The private ${name} died (${cause}) and was restarted.`)),
  );
}

const UNKNOWN_SHOWN = 4;

/** @param {Outcome[]} outcomes @returns {string[]} the rows without a CPU time, or with that of some launches only, and why */
export function unknownCostNotes(outcomes) {
  const rows = outcomes.filter(isMeasured).flatMap(({ cell, launches }) => {
    const unknown = launches.flatMap(({ unknownCosts }) =>
      unknownCosts === undefined ? [] : [unknownCosts],
    );
    if (unknown.length === 0) return [];
    const names = printable(listed([...new Set(unknown.flat())], UNKNOWN_SHOWN));
    return `${formatRowName(cell)} (${names}; ${unknown.length} of ${launches.length} launches)`;
  });
  if (rows.length === 0) return [];
  const why =
    'a reading of the CPU time of a process is missing, or the two do not span the window within 5 %';
  return [`CPU time unknown, because ${why}: ${listed(rows, UNKNOWN_SHOWN)}.`];
}

/** @param {Results} results @returns {string[]} */
export function makeNotes(results) {
  const { outcomes } = results;
  return [
    ...rangeNotes(outcomes),
    ...openNotes(outcomes),
    ...flagNotes(flagsIn(outcomes), commonOperation(outcomes.filter(isMeasured))),
    ...lossNotes(outcomes),
    ...fairnessNotes(results),
    ...gapNotes(results),
    ...floorGaps(results),
    ...insideNotes(results),
    ...deathNotes(results),
    ...unknownCostNotes(outcomes),
    ...foundNotes(results.explanations ?? []),
  ];
}

// The facts for a fair comparison of rows: the controls, the traffic of brokers, and the results of extra launches.

const CALLS_SHOWN = 4; // of a process: beyond are timers, signals and memory
const WRITE = /^(?:p?write|send)/; // write, writev, pwrite64, sendto, sendmsg, ...

/** @param {ControlRow[]} rows   of one codec, runtime and payload @returns {string} 'json on bun alone 1.2 µs, null 2.1 µs' */
function codecText(rows) {
  const alone = spanText(rows.map(({ codecUs }) => codecUs.estimate));
  return `${controlText(rows[0])} alone ${alone} µs, null ${spanText(rows.map(({ nullUs }) => nullUs))} µs`;
}

/** @param {ControlRow} row @returns {string} 'json', 'json on bun' */
function controlText({ codec, runtime }) {
  return printable(runtime === undefined ? codec : `${codec} on ${runtime}`);
}

/** @param {ControlRow} row @returns {string} '100 B', '100 B of utf8' */
function payloadText(row) {
  return unusualText(row, axesIn(['payload']));
}

/** @param {Results} results @returns {string[]} */
function controlNotes({ controls }) {
  if (controls === undefined || controls.rows.length === 0) return [];
  const { timer, rows } = controls;
  const payloads = [...new Set(rows.map(payloadText))];
  const lines = payloads.map((payload) => {
    const own = rows.filter((row) => payloadText(row) === payload);
    const texts = [...groupedBy(own, controlText).values()].map(codecText);
    const check = spanText(own.map(({ checkUs }) => checkUs));
    return `Controls at ${payload}: ${texts.join('; ')}; checking a response ${check} µs.`;
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

/** @param {Results} results @returns {string[]} the traffic of each broker */
function trafficNotes(results) {
  const measured = results.outcomes.filter(isMeasured);
  const isOneOfMany = new Set(measured.map(({ cell }) => cell.scenario)).size > 1;
  const keyOf = (/** @type {MeasuredOutcome} */ { cell }) => `${cell.scenario} ${seriesLabel(cell)}`;
  return [...new Set(measured.map(keyOf))].flatMap((key) => {
    const own = measured.filter((outcome) => keyOf(outcome) === key);
    const where = isOneOfMany ? ` (${own[0].cell.scenario})` : '';
    const name = `${seriesLabel(own[0].cell)}${where}`;
    const traffic = own.flatMap(({ launches }) => launches.flatMap((launch) => launch.traffic ?? []));
    if (traffic.length === 0) return [];
    const { operation, roundTrips = 1 } = results.scenarios[own[0].cell.scenario];
    const predicted = (transportFacts(results, own[0].cell).messagesPerRoundTrip ?? 0) * (roundTrips ?? 0);
    const needed = predicted > 0 ? `, ${predicted} needed` : '';
    const published = spanText(traffic.map((passed) => passed.published));
    const known = traffic.flatMap(({ delivered }) => delivered ?? []);
    const delivered = known.length === 0 ? '' : `, ${spanText(known)} from it`;
    const bytes = spanText(traffic.map((passed) => passed.bytes));
    return [
      `${printable(name)}, per ${operation.one}: ${published} messages to the broker${delivered}${needed}; ${bytes} B from it.`,
    ];
  });
}

/** @param {Results} results @returns {string[]} what extra launches showed of the processes */
export function insideNotes({ scenarios, syscalls = [], profiles = [], failedLooks = [] }) {
  const counted = syscalls.map(({ cell, operations, processes }) => {
    const { one, many } = scenarios[cell.scenario].operation;
    const texts = processes.map(({ name, calls }) => {
      const most = Object.entries(calls).slice(0, CALLS_SHOWN);
      return `${printable(name)} ${most.map(([call, count]) => `${printable(call)} ${count.toFixed(2)}`).join(', ')}`;
    });
    const all = processes.flatMap(({ calls }) => Object.entries(calls));
    const total = sumBy(all, ([, count]) => count);
    const writes = sumBy(
      all.filter(([call]) => WRITE.test(call)),
      ([, count]) => count,
    );
    const from = `${formatCount(operations)} ${printable(many)} under strace, which slows it down`;
    return `System calls per ${printable(one)} of ${cellName(cell)} (${from}): ${total.toFixed(2)}, of which ${writes.toFixed(2)} writes; ${texts.join('; ')}.`;
  });
  const profiled = [...groupedBy(profiles, ({ file }) => dirname(file))].map(
    ([folder, [{ cell }]]) =>
      `CPU profiles of ${cellName(cell)}, for Chrome DevTools: ${printable(folder)}, beside the results.`,
  );
  const failed = failedLooks.map(({ cell, look, code, message }) => {
    const why = `${unended(printable(message))} (${printable(code)})`;
    return `--${printable(look)} has no result for ${cellName(cell)}: ${code === 'RUNTIME' ? '' : 'its extra launch failed, '}${why}.`;
  });
  return [...counted, ...profiled, ...failed];
}

/** @param {Results} results @returns {string[]} for below a table */
export function fairnessNotes(results) {
  return [
    ...controlNotes(results),
    ...floorNotes(results),
    ...guaranteeNotes(results, results.outcomes),
    ...trafficNotes(results),
  ];
}
