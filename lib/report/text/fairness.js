// The facts for a fair comparison of rows: the controls, the traffic of brokers, and the results of extra launches.

import { axesIn, unusualText } from '../../cell/axes.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy, listed, unended } from '../../format/lists.js';
import { formatCount, formatNumber, formatPercent, spanText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { netCpuUs } from '../../results/calibration-rows.js';
import { floorNotes } from './baseline-words.js';
import { cellName, isMeasured } from './groups.js';
import { guaranteeNotes, transportFacts } from './transport-kinds.js';

/** @import { ControlRow, MeasuredOutcome, Results } from '../../types/index.js' */

const CALLS_SHOWN = 4; // of a process: beyond are timers, signals and memory

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results['controls']} controls
 * @returns {string | null} '18.2'; '≤ 1.40' where the difference is within its own uncertainty; null: unknown
 */
export function netText(outcome, controls) {
  const net = netCpuUs(outcome, controls);
  if (net === null) return null;
  const { us, halfWidthUs, wholeUs } = net;
  if (us > halfWidthUs) return formatNumber(us);
  return `≤ ${formatNumber(Math.min(wholeUs, Math.max(0, us) + halfWidthUs))}`;
}

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
      const heaviest = Object.entries(calls).slice(0, CALLS_SHOWN);
      return `${printable(name)} ${heaviest.map(([call, count]) => `${printable(call)} ${count.toFixed(2)}`).join(', ')}`;
    });
    const from = `${formatCount(operations)} ${printable(many)} under strace, which slows it down`;
    return `System calls per ${printable(one)} of ${cellName(cell)} (${from}): ${texts.join('; ')}.`;
  });
  const profiled = profiles.map(({ cell, process: name, file, heaviest }) => {
    const texts = heaviest.map((own) => `${printable(own.name)} ${formatPercent(own.share)}`);
    const most = texts.length === 0 ? 'nothing' : listed(texts);
    return `Heaviest in ${printable(name)} of ${cellName(cell)}: ${most} (${printable(file)}).`;
  });
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
