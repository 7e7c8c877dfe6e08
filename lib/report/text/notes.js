// The notes below a table: the meaning of its remarks, and which rows are missing and why. --notes and the Markdown report have
// the full set.

import { dirname } from 'node:path/posix';
import { axesIn, unusualText } from '../../cell/axes.js';
import { commonOperation, readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, counted, groupedBy, listed, unended } from '../../format/lists.js';
import { formatCount, formatNumber, hasRange, spanText, UNKNOWN_NOTE } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagNotes } from '../../format/result-flags.js';
import { isReliable } from '../../results/calibration-rows.js';
import { sumBy } from '../../statistics/sum.js';
import { openNotes } from '../columns/columns.js';
import { inheritedLines, sourceLine } from '../columns/surroundings.js';
import { floorGaps, floorNotes } from './baseline-words.js';
import { lossNotes } from './delivery-words.js';
import { foundNotes } from './explained.js';
import { gapNotes } from './gaps.js';
import { cellName, flagsIn, formatRowName } from './groups.js';
import { messageNotes } from './message-words.js';
import { propertySentences } from './remarks.js';
import { applyRules, readFacts, rule } from './rules.js';
import { runLengthLines } from './run-words.js';
import { guaranteeNotes, transportFacts } from './transport-kinds.js';

/** @import { ControlRow, MeasuredOutcome, Results } from '../../types/index.js' */

const ROWS_SHOWN = 4;
const CALLS_SHOWN = 4; // kinds of system calls per process; rarer ones are timers, signals and memory
const WRITE = /^(?:p?write|send)/; // write, writev, pwrite64, sendto, sendmsg, ...

/** The facts for a fair comparison of rows: controls, native baseline, guarantees, and the traffic of brokers. */
const FAIRNESS = [
  rule({ when: ({ results }) => results.controls, say: controlNotes, brief: null }),
  rule({ when: ({ results }) => results, say: floorNotes, brief: null }),
  rule({
    when: ({ results }) => results,
    say: (results) => guaranteeNotes(results, results.outcomes),
    brief: null,
  }),
  rule({
    when: ({ measured }) => measured,
    say: (measured, { results }) => trafficNotes(measured, results),
    brief: null,
  }),
];

/** Findings of extra launches. */
const INSIDE = [
  rule({ when: ({ results }) => results.syscalls, say: syscallNotes }),
  rule({
    when: ({ results: { profiles = [] } }) => groupedBy(profiles, ({ file }) => dirname(file)),
    say: (byFolder) =>
      [...byFolder].map(
        ([folder, [{ cell }]]) =>
          `CPU profiles of ${cellName(cell)}, for Chrome DevTools: ${printable(folder)}, beside the results.`,
      ),
  }),
  rule({
    when: ({ results }) => results.failedLooks,
    say: (failed) =>
      failed.map(({ cell, look, code, message }) => {
        const why = `${unended(printable(message))} (${printable(code)})`;
        return `--${printable(look)} has no result for ${cellName(cell)}: ${code === 'RUNTIME' ? '' : 'its extra launch failed, '}${why}.`;
      }),
  }),
];

const NOTES = [
  rule({
    when: ({ measured }) => measured,
    say: (_measured, facts) => propertySentences(facts, false),
    brief: (_measured, facts) => propertySentences(facts, true),
  }),
  rule({
    when: ({ measured }) =>
      measured.map(readHeadline).some((headline) => headline.level === null && hasRange(headline)),
    say: () => '[low–high] = range of the launches, where there is no interval.',
    brief: () => '[low–high]: range of the launches.',
  }),
  rule({
    when: ({ measured }) =>
      measured.some((outcome) =>
        [readHeadline(outcome), outcome.ratio].some((one) => one?.method === 'unknown'),
      ),
    say: () => UNKNOWN_NOTE,
    brief: () => UNKNOWN_NOTE,
  }),
  rule({ when: ({ results }) => results, say: ({ outcomes }) => openNotes(outcomes), brief: null }),
  rule({
    when: ({ measured }) => flagsIn(measured),
    say: (codes, { measured }) => flagNotes(codes, commonOperation(measured)),
    brief: null,
  }),
  rule({
    when: ({ measured }) => measured,
    say: (measured) => lossNotes(measured),
    brief: (measured) => lossNotes(measured, { isBrief: true }),
  }),
  ...FAIRNESS,
  rule({
    when: ({ results }) => results,
    say: (results) => gapNotes(results),
    brief: (results) => gapNotes(results, 'skipped'), // failed rows are in the conclusion
  }),
  rule({ when: ({ results }) => results, say: floorGaps }),
  ...INSIDE,
  rule({
    when: ({ results }) => [...inheritedLines(results), ...runLengthLines(results)],
    say: null, // part of the lines above the table
    brief: (lines) => lines.map((line) => `${capitalised(line)}.`),
  }),
  rule({
    when: ({ results }) => Object.entries(results.environment.brokers),
    say: (brokers) =>
      brokers.flatMap(([name, { deaths = [] }]) =>
        deaths.map((cause) => printable(`The private ${name} died (${cause}) and was restarted.`)),
      ),
  }),
  rule({
    when: ({ measured }) => measured.flatMap(unknownCost),
    say: (rows) =>
      `CPU time unknown, because a reading of the CPU time of a process is missing, or the two do not span the window within 5 %: ${listed(rows, ROWS_SHOWN)}.`,
  }),
  rule({ when: ({ results }) => results, say: null, brief: (results) => messageNotes(results) }),
  rule({ when: ({ results }) => results.explanations, say: foundNotes, brief: null }),
  rule({ when: ({ results }) => results, say: null, brief: sourceLine }),
];

/** @param {Results} results @returns {string[]} the notes of the default table */
export function makeBriefNotes(results) {
  return applyRules(NOTES, readFacts(results), true);
}

/** @param {Results} results @returns {string[]} */
export function makeNotes(results) {
  return applyRules(NOTES, readFacts(results), false);
}

/** @param {MeasuredOutcome} outcome @returns {string[]} the row and the processes, if the CPU time of some launches is unknown */
function unknownCost({ cell, launches }) {
  const unknown = launches.flatMap(({ unknownCosts }) => (unknownCosts === undefined ? [] : [unknownCosts]));
  if (unknown.length === 0) return [];
  const names = printable(listed([...new Set(unknown.flat())], ROWS_SHOWN));
  return [
    `${formatRowName(cell)} (${names}; ${unknown.length} of ${counted(launches.length, 'launch', 'launches')})`,
  ];
}

/** @param {NonNullable<Results['controls']>} controls @returns {string[]} */
function controlNotes({ timer, rows: measured }) {
  const rows = measured.filter(isReliable);
  if (rows.length === 0) return [];
  const payloadOf = (/** @type {ControlRow} */ row) => unusualText(row, axesIn(['payload']));
  const nameOf = (/** @type {ControlRow} */ { codec, runtime }) =>
    printable(runtime === undefined ? codec : `${codec} on ${runtime}`);
  const lines = [...groupedBy(rows, payloadOf)].map(([payload, own]) => {
    const texts = [...groupedBy(own, nameOf)].map(([name, some]) => {
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

/** @param {NonNullable<Results['syscalls']>} syscalls @param {{ results: Results }} facts @returns {string[]} */
function syscallNotes(syscalls, { results: { scenarios } }) {
  return syscalls.map(({ cell, operations, processes }) => {
    const { one, many } = scenarios[cell.scenario].operation;
    const texts = processes.map(({ name, calls }) => {
      const most = Object.entries(calls).slice(0, CALLS_SHOWN);
      return `${printable(name)} ${most.map(([call, count]) => `${printable(call)} ${count.toFixed(2)}`).join(', ')}`;
    });
    const all = processes.flatMap(({ calls }) => Object.entries(calls));
    const countOf = (/** @type {typeof all} */ calls) => sumBy(calls, ([, count]) => count).toFixed(2);
    const from = `${formatCount(operations)} ${printable(many)} under strace, which slows it down`;
    return `System calls per ${printable(one)} of ${cellName(cell)} (${from}): ${countOf(all)}, of which ${countOf(all.filter(([call]) => WRITE.test(call)))} writes; ${texts.join('; ')}.`;
  });
}
