// What limits rows, and what their numbers contain besides the transport: processes, CPUs, codec and harness, wake-ups, a blocked master.
// A finding names the measured quantity; it names a cause only where that was measured.

import { findMainTimes, hasServiceTimes } from '../../cell/headline.js';
import { groupedBy } from '../../format/lists.js';
import { harnessShare, hasDoubtfulControl } from '../../results/calibration-rows.js';
import { wakeUpShare } from '../../results/cell-flags.js';
import { findCrowd } from '../../results/crowd.js';
import { BOTTLENECK_SHARE, LEAST_LEAD_OF_NULL } from '../../results/thresholds.js';
import { makeFinding } from './finding.js';
import { isOpen } from './groups.js';
import { rowNamer, scopeOf } from './scope.js';
import { transportFacts } from './transport-kinds.js';

/** @import { Finding, MeasuredLaunch, MeasuredOutcome, Results, TransportFacts } from '../../types/index.js' */
/** @import { Crowd } from '../../results/crowd.js' */
/** @import { Facts } from './report-facts.js' */
/**
 * @typedef {object} Limit   what limits a row
 * @property {MeasuredOutcome} outcome
 * @property {Record<string, string>} names   the role and the name of a process, or the setting of a window of acknowledgements
 * @property {number | null} share   of a core; null for a window
 * @property {boolean} hasFreeCpu   the machine has CPUs that the launch does not use
 */

/** @param {Facts} facts @returns {Finding[]} the most important first */
export function limitFindings(facts) {
  return [
    ...acknowledgementFinding(facts),
    ...limitingFindings(facts),
    ...crowdFinding(facts),
    ...harnessFinding(facts),
    ...flaggedFinding(facts, 'blocked', 'blocked', blockedNumbers),
    ...flaggedFinding(facts, 'wake-up', 'wake-ups', (outcome, results) =>
      shareNumbers(readWakeUpShare(outcome, results)),
    ),
    ...flaggedFinding(facts, 'free', 'not-pinned', () => ({})),
    ...closedLoopFinding(facts),
    ...unknownCostFinding(facts),
  ];
}

/** @param {MeasuredOutcome} outcome @param {string} code */
const hasFlag = ({ flags }, code) => flags.some((flag) => flag.code === code);

/**
 * @param {Facts} facts
 * @param {string} code   of a flag
 * @param {string} kind   of the finding
 * @param {(outcome: MeasuredOutcome, results: Results) => Record<string, number>} numbersOf
 * @returns {Finding[]} empty if no row has the flag
 */
function flaggedFinding({ measured, results }, code, kind, numbersOf) {
  const rows = measured.filter((outcome) => hasFlag(outcome, code));
  return findingOn(measured, rows, kind, (outcome) => numbersOf(outcome, results));
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} rows
 * @param {string} kind
 * @param {(outcome: MeasuredOutcome) => Record<string, number>} numbersOf   a share orders the rows
 * @param {Partial<Finding>} [own]
 * @returns {Finding[]} empty without rows
 */
function findingOn(measured, rows, kind, numbersOf, own = {}) {
  if (rows.length === 0) return [];
  const nameRow = rowNamer(measured);
  const found = rows.map((outcome) => ({ ...nameRow(outcome), numbers: numbersOf(outcome) }));
  const ordered = found.toSorted((one, other) => (other.numbers.share ?? 0) - (one.numbers.share ?? 0));
  return [
    makeFinding(kind, {
      rows: ordered,
      scope: scopeOf(measured, rows),
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
const GREATEST_WITHHELD_BYTES = 64 * 1024;
const FEW_LOOPS = 4;

/** @param {Facts} facts @returns {Finding[]} */
function acknowledgementFinding({ measured, results }) {
  const rows = measured.filter((outcome) =>
    mayWaitForAcknowledgements(outcome, transportFacts(results, outcome.cell)),
  );
  return findingOn(measured, rows, 'delayed-acknowledgements', (outcome) => ({
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
    payloadBytes > GREATEST_WITHHELD_BYTES ||
    loops > FEW_LOOPS ||
    network !== undefined
  )
    return false;
  const delays = (findMainTimes(outcome)?.p50 ?? 0) / ACKNOWLEDGED_AFTER_US;
  return [1, 2].some((each) => delays >= 0.98 * each && delays <= 1.2 * each);
}

/** @param {Facts} facts @returns {Finding[]} one for each process, and for each window of acknowledgements */
function limitingFindings({ measured, results }) {
  const limits = measured.flatMap((outcome) => limitOf(outcome, results) ?? []);
  const nameRow = rowNamer(measured);
  return [...groupedBy(limits, ({ names }) => JSON.stringify(names))].map(([, some]) => {
    const [{ names, share }] = some;
    const mayHelp = names.role === 'worker' && some.every(({ hasFreeCpu: isFree }) => isFree);
    return makeFinding('limit', {
      rows: some.map(({ outcome, share: own }) => ({
        ...nameRow(outcome),
        ...(own !== null && { numbers: { share: own } }),
      })),
      names,
      scope: scopeOf(
        measured,
        some.map(({ outcome }) => outcome),
      ),
      remedy: share === null ? null : mayHelp ? 'more-workers' : 'not-more-workers',
    });
  });
}

/** @param {MeasuredOutcome} outcome @param {Results} results @returns {Limit | null} null if nothing is known to limit it */
function limitOf(outcome, results) {
  const { busiest } = outcome;
  if (busiest !== null && busiest.share >= BOTTLENECK_SHARE) {
    const { role, name, share } = busiest;
    /** @type {Record<string, string>} */
    const names = role === 'worker' || role === 'master' ? { role } : { role, process: name };
    return { outcome, names, share, hasFreeCpu: hasFreeCpu(outcome, results) };
  }
  const setting = limitingWindow(outcome, results);
  return setting === null
    ? null
    : { outcome, names: { role: 'acknowledgement-window', setting }, share: null, hasFreeCpu: false };
}

/** @param {MeasuredOutcome} outcome @param {Results} results @returns {boolean} false if unknown */
function hasFreeCpu({ launches }, { environment }) {
  const used = new Set(launches.flatMap(({ costs }) => costs.flatMap(({ cpus }) => cpus ?? [])));
  const usable = environment.usableCpus?.length ?? environment.logicalCpus;
  return used.size > 0 && used.size < usable;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @returns {string | null} 'inflight=1', the window of acknowledgements that the senders of a stream wait for; null if something else may
 *   limit it
 */
function limitingWindow({ cell, backpressure, busiest, flags, launches }, results) {
  const window = transportFacts(results, cell).acknowledgementWindow;
  if (window === undefined || busiest === null || !(Number(backpressure?.waits) > 0)) return null;
  // A rate that is sustained limits the row, and so may the rate of an emulated network: '1ms+100mbit'.
  const isSustained =
    cell.ratePerSecond !== undefined && flags.every(({ code }) => code !== 'generator-limited');
  if (isSustained || cell.network?.includes('+')) return null;
  if (launches.some((launch) => greatestCpuLoad(launch) >= BOTTLENECK_SHARE)) return null;
  return `${window.setting}=${window.messages}`;
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @returns {number} load of the busiest CPU; unknown CPUs count as one */
function greatestCpuLoad({ costs }) {
  /** @type {Map<number | null, number>} */
  const loads = new Map();
  for (const { cpus, share } of costs) {
    const placed = cpus ?? [null];
    for (const cpu of placed) loads.set(cpu, (loads.get(cpu) ?? 0) + share / placed.length);
  }
  return Math.max(0, ...loads.values());
}

/** @param {Facts} facts @returns {Finding[]} */
function crowdFinding({ measured, results }) {
  const crowded = measured.flatMap((outcome) => {
    const crowds = hasFlag(outcome, 'oversubscribed') ? crowdsOf(outcome, results) : [];
    return crowds.length === 0 ? [] : [{ outcome, crowds }];
  });
  const crowds = crowded.flatMap((one) => one.crowds);
  const rows = crowded.map(({ outcome }) => outcome);
  const numbers = Object.fromEntries(
    /** @type {const} */ (['processes', 'usedCpus', 'cpus']).flatMap((name) => {
      const values = crowds.map((crowd) => crowd[name]);
      return [
        [`${name}Least`, Math.min(...values)],
        [`${name}Most`, Math.max(...values)],
      ];
    }),
  );
  return findingOn(measured, rows, 'oversubscribed', () => ({}), { numbers });
}

/** @param {MeasuredOutcome} outcome @param {Results} results @returns {Crowd[]} one for each launch whose processes used the CPUs almost completely */
function crowdsOf({ cell, launches }, { environment, hosts }) {
  if (hosts !== undefined) return [];
  const usableCpus = environment.usableCpus?.length ?? environment.logicalCpus;
  return launches.flatMap(({ costs, isSpinning }) => {
    const neverSleeps = cell.poll === 'busy' || isSpinning === true;
    return findCrowd(costs, { usableCpus, neverSleeps }) ?? [];
  });
}

/** @param {Facts} facts @returns {Finding[]} */
function harnessFinding({ measured, results: { controls } }) {
  // Where several processes work at the same time, codec and harness may be a smaller share of CPU time than of elapsed time.
  const rows = measured.filter(
    (outcome) =>
      hasFlag(outcome, 'harness-limited') &&
      !hasDoubtfulControl(controls, outcome.cell) &&
      (harnessShare(outcome, controls) ?? 1) >= 1 / LEAST_LEAD_OF_NULL,
  );
  return findingOn(measured, rows, 'harness', (outcome) => shareNumbers(harnessShare(outcome, controls)));
}

/** @param {MeasuredOutcome} outcome @param {Pick<Results, 'machine'>} results @returns {number | null} share of the median, if known */
export function readWakeUpShare(outcome, { machine }) {
  const medianUs = findMainTimes(outcome)?.p50 ?? null;
  return wakeUpShare(outcome.cell, outcome.launches, medianUs, machine?.wakeUp?.costUs ?? null);
}

/** @param {Facts} facts @returns {Finding[]} */
function closedLoopFinding({ measured }) {
  const isClosed = measured.some((outcome) => !isOpen(outcome) && hasServiceTimes(outcome));
  return isClosed ? [makeFinding('closed-loop', {})] : [];
}

/** @param {Facts} facts @returns {Finding[]} how the processes of rows wait, if that decides their times */
export function waitingFindings({ measured }) {
  return [
    ...(measured.some((outcome) => hasFlag(outcome, 'wake-up')) ? [makeFinding('mostly-waiting', {})] : []),
    ...(measured.some(({ cell }) => cell.poll === 'busy') ? [makeFinding('busy-waiting', {})] : []),
  ];
}

/** @param {Facts} facts @returns {Finding[]} rows with launches whose CPU time is unknown, and their processes without a reading */
function unknownCostFinding({ measured }) {
  const nameRow = rowNamer(measured);
  const rows = measured.flatMap((outcome) => {
    const unknown = outcome.launches.flatMap(({ unknownCosts }) => (unknownCosts ? [unknownCosts] : []));
    if (unknown.length === 0) return [];
    const processes = [...new Set(unknown.flat())].join(', ');
    const numbers = { launches: unknown.length, of: outcome.launches.length };
    return [{ ...nameRow(outcome), numbers, names: { processes } }];
  });
  return rows.length === 0 ? [] : [makeFinding('unknown-costs', { rows })];
}
