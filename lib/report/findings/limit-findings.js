// What limits rows: a process, a window of acknowledgements, or the number of CPUs. A finding names the measured quantity, and a cause only
// where that was measured.

import { groupedBy } from '../../format/lists.js';
import { findCrowd } from '../../results/crowd.js';
import { BOTTLENECK_SHARE } from '../../results/thresholds.js';
import { makeFinding } from './finding.js';
import { hasFlag, isOpen } from './groups.js';
import { findingOnRows } from './property-findings.js';
import { findScope, rowNamer } from './scope.js';
import { transportFacts } from './transport-kinds.js';

/** @import { Finding, MeasuredLaunch, MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Crowd } from '../../results/crowd.js' */
/** @import { ReportFacts } from './report-facts.js' */
/**
 * @typedef {object} Limit   what limits a row
 * @property {MeasuredOutcome} outcome
 * @property {Record<string, string>} names   the role and the name of a process, or the setting of a window of acknowledgements
 * @property {number | null} share   of a core; null for a window
 * @property {boolean} hasFreeCpu   the machine has CPUs that the launch does not use
 */

/** @param {ReportFacts} facts @returns {Finding[]} one for each process or window of acknowledgements that limits rows, on all of these rows */
export function limitFindings({ measured, results }) {
  const limits = measured.flatMap((outcome) => findLimit(outcome, results) ?? []);
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
      scope: findScope(
        measured,
        some.map(({ outcome }) => outcome),
      ),
      remedy: share === null ? null : mayHelp ? 'more-workers' : 'not-more-workers',
    });
  });
}

/** @param {MeasuredOutcome} outcome @param {Results} results @returns {Limit | null} what limits the row; null if that is unknown */
function findLimit(outcome, results) {
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

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @returns {boolean} true if the launches used fewer CPUs than they could; false if unknown
 */
function hasFreeCpu({ launches }, { environment }) {
  const used = new Set(launches.flatMap(({ costs }) => costs.flatMap(({ cpus }) => cpus ?? [])));
  const usable = environment.usableCpus?.length ?? environment.logicalCpus;
  return used.size > 0 && used.size < usable;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @returns {string | null} 'inflight=1', the window of acknowledgements that the senders of a stream wait for; null if something else may
 *   limit the row
 */
function limitingWindow(outcome, results) {
  const { cell, backpressure, busiest, launches } = outcome;
  const window = transportFacts(results, cell).acknowledgementWindow;
  if (window === undefined || busiest === null || !(Number(backpressure?.waits) > 0)) return null;
  // A rate that is sustained limits the row, and so may the rate of an emulated network: '1ms+100mbit'.
  const isSustained = isOpen(outcome) && !hasFlag(outcome, 'generator-limited');
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

/** @param {ReportFacts} facts @returns {Finding[]} */
export function crowdFindings({ measured, results }) {
  const crowded = measured.flatMap((outcome) => {
    const crowds = hasFlag(outcome, 'oversubscribed') ? findCrowds(outcome, results) : [];
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
  return findingOnRows(measured, rows, 'oversubscribed', () => ({}), { numbers });
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @returns {Crowd[]} one for each launch that had more processes than CPUs and used most of their time; none on several hosts
 */
function findCrowds({ cell, launches }, { environment, hosts }) {
  if (hosts !== undefined) return [];
  const usableCpus = environment.usableCpus?.length ?? environment.logicalCpus;
  return launches.flatMap(({ costs, isSpinning }) => {
    const neverSleeps = cell.poll === 'busy' || isSpinning === true;
    return findCrowd(costs, { usableCpus, neverSleeps }) ?? [];
  });
}
