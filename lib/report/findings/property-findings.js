// What the numbers of rows contain besides the transport: codec and harness, wake-ups, a blocked master, delayed acknowledgements. Also how
// the processes of rows wait, and which CPU times are unknown.

import { findMainTimes, hasServiceTimes } from '../../cell/headline.js';
import { ifAny } from '../../format/lists.js';
import { harnessShare, hasDoubtfulControl } from '../../results/calibration-rows.js';
import { wakeUpShare } from '../../results/cell-flags.js';
import { MIN_LEAD_OF_NULL } from '../../results/thresholds.js';
import { makeFinding } from './finding.js';
import { hasFlag, isOpen } from './groups.js';
import { findScope, rowNamer } from './scope.js';
import { transportFacts } from './transport-kinds.js';

/** @import { Finding, MeasuredOutcome, Results, TransportFacts } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** @param {ReportFacts} facts @returns {Finding[]} the most important first */
export function propertyFindings(facts) {
  return [
    ...harnessFinding(facts),
    ...flaggedFinding(facts, 'blocked', 'blocked', blockedNumbers),
    ...flaggedFinding(facts, 'wake-up', 'wake-ups', (outcome, results) =>
      shareNumbers(readWakeUpShare(outcome, results)),
    ),
    ...flaggedFinding(facts, 'free', 'not-pinned', () => ({})),
    ...(facts.measured.some(({ cell }) => cell.poll === 'busy') ? [makeFinding('busy-waiting', {})] : []),
    ...closedLoopFinding(facts),
    ...unknownCostFinding(facts),
  ];
}

/**
 * @param {ReportFacts} facts
 * @param {string} code   of a flag
 * @param {string} kind   of the finding
 * @param {(outcome: MeasuredOutcome, results: Results) => Record<string, number>} numbersOf
 * @returns {Finding[]} one on the rows with the flag; none if no row has it
 */
function flaggedFinding({ measured, results }, code, kind, numbersOf) {
  const rows = measured.filter((outcome) => hasFlag(outcome, code));
  return findingOnRows(measured, rows, kind, (outcome) => numbersOf(outcome, results));
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} rows
 * @param {string} kind
 * @param {(outcome: MeasuredOutcome) => Record<string, number>} numbersOf   rows with a greater `share` come first
 * @param {Partial<Finding>} [own]
 * @returns {Finding[]} one on these rows; none without rows
 */
export function findingOnRows(measured, rows, kind, numbersOf, own = {}) {
  if (rows.length === 0) return [];
  const nameRow = rowNamer(measured);
  const found = rows.map((outcome) => ({ ...nameRow(outcome), numbers: numbersOf(outcome) }));
  const ordered = found.toSorted((one, other) => (other.numbers.share ?? 0) - (one.numbers.share ?? 0));
  return [
    makeFinding(kind, {
      rows: ordered,
      scope: findScope(measured, rows),
      operation: rows[0].operation,
      ...own,
    }),
  ];
}

/** @param {number | null} share @returns {Record<string, number>} */
const shareNumbers = (share) => (share === null ? {} : { share });

/** @param {MeasuredOutcome} outcome @returns {Record<string, number>} */
function blockedNumbers({ launches }) {
  const blocked = launches.flatMap(({ blockedMaster }) => blockedMaster ?? []);
  return { longestMs: Math.max(0, ...blocked.map(({ longestMs }) => longestMs)) };
}

const ACKNOWLEDGED_AFTER_US = 40_000; // delay with which Linux acknowledges a single segment
const MAX_WITHHELD_BYTES = 64 * 1024;
const FEW_LOOPS = 4;

/** @param {ReportFacts} facts @returns {Finding[]} */
export function acknowledgementFindings({ measured, results }) {
  const rows = measured.filter((outcome) =>
    mayWaitForAcknowledgements(outcome, transportFacts(results, outcome.cell)),
  );
  return findingOnRows(measured, rows, 'delayed-acknowledgements', (outcome) => ({
    medianUs: findMainTimes(outcome)?.p50 ?? 0,
  }));
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Partial<TransportFacts>} facts
 * @returns {boolean} true for round trips that may use TCP and whose median is about one or two delays of an acknowledgement
 */
function mayWaitForAcknowledgements(outcome, { class: kind = 'other' }) {
  const { scenario, payloadBytes, loops, network, transport } = outcome.cell;
  if (transport === 'unix' || ['pipe', 'memory', 'thread'].includes(kind)) return false;
  if (
    scenario !== 'round-trip' ||
    payloadBytes > MAX_WITHHELD_BYTES ||
    loops > FEW_LOOPS ||
    network !== undefined
  )
    return false;
  const delays = (findMainTimes(outcome)?.p50 ?? 0) / ACKNOWLEDGED_AFTER_US;
  return [1, 2].some((each) => delays >= 0.98 * each && delays <= 1.2 * each);
}

/** @param {ReportFacts} facts @returns {Finding[]} */
function harnessFinding({ measured, results: { controls } }) {
  // Where several processes work at the same time, codec and harness may be a smaller share of CPU time than of elapsed time.
  const rows = measured.filter(
    (outcome) =>
      hasFlag(outcome, 'harness-limited') &&
      !hasDoubtfulControl(controls, outcome.cell) &&
      (harnessShare(outcome, controls) ?? 1) >= 1 / MIN_LEAD_OF_NULL,
  );
  return findingOnRows(measured, rows, 'harness', (outcome) => shareNumbers(harnessShare(outcome, controls)));
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Pick<Results, 'machine'>} results
 * @returns {number | null} the share of the median that wake-ups take; null if unknown
 */
export function readWakeUpShare(outcome, { machine }) {
  const medianUs = findMainTimes(outcome)?.p50 ?? null;
  return wakeUpShare(outcome.cell, outcome.launches, medianUs, machine?.wakeUp?.costUs ?? null);
}

/** @param {ReportFacts} facts @returns {Finding[]} */
function closedLoopFinding({ measured }) {
  const isClosed = measured.some((outcome) => !isOpen(outcome) && hasServiceTimes(outcome));
  return isClosed ? [makeFinding('closed-loop', {})] : [];
}

/** @param {ReportFacts} facts @returns {Finding[]} rows with launches whose CPU time is unknown, and their processes without a reading */
function unknownCostFinding({ measured }) {
  const nameRow = rowNamer(measured);
  const rows = measured.flatMap((outcome) => {
    const unknown = outcome.launches.flatMap(({ unknownCosts }) => (unknownCosts ? [unknownCosts] : []));
    if (unknown.length === 0) return [];
    const processes = [...new Set(unknown.flat())].join(', ');
    const numbers = { launches: unknown.length, of: outcome.launches.length };
    return [{ ...nameRow(outcome), numbers, names: { processes } }];
  });
  return ifAny(rows, () => makeFinding('unknown-costs', { rows }));
}
