// What the workers of a launch handed in, put together: were all answers right, how many were there, what did they cost.

import { BenchError } from '../errors.js';
import { costBetween } from '../machine/cost-difference.js';
import { allCpus } from './assignment.js';
import { threadCosts } from './thread-costs.js';

/** @import { CostReading } from '../machine/process-cost.js' */
/** @import { ProcessCost, Work } from '../types/launches.js' */
/** @import { Assignment } from './assignment.js' */

/** @type {Pick<ProcessCost, 'name' | 'role'>} */
const MASTER = { name: 'master', role: 'master' };

/**
 * @param {any[]} reports of the workers
 * @param {number} undecodable   questions that the master could not read
 * @param {import('../types/transports.js').Traits} traits   what the transport does not promise is no mistake
 * @returns {import('../types/launches.js').Losses | null}   null: the transport may lose nothing
 * @throws {BenchError} INTEGRITY when any answer was wrong, with the counters
 */
export function checkIntegrity(reports, undecodable, traits) {
  const total = { lost: 0, duplicate: 0, swapped: 0, corrupt: undecodable, outOfOrder: 0 };
  for (const { integrity } of reports) {
    for (const [kind, count] of Object.entries(integrity))
      total[/** @type {keyof typeof total} */ (kind)] += count;
  }
  const losses = traits.loss === 'possible' ? lossesOf(reports, total) : null;
  if (losses !== null) {
    total.lost = 0;
    total.duplicate -= losses.late;
  }
  if (traits.order === 'free') total.outOfOrder = 0;
  const found = Object.entries(total).filter(([, count]) => count > 0);
  if (found.length === 0) return losses;
  const message = `wrong answers: ${found.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
  throw Object.assign(new BenchError('INTEGRITY', message), { integrity: total });
}

/**
 * @param {any[]} reports of the workers
 * @param {{ lost: number, duplicate: number, outOfOrder: number }} total   lost: given up
 * @returns {import('../types/launches.js').Losses}
 */
function lossesOf(reports, total) {
  // What comes after its loop has given it up looks like an answer that came twice.
  const late = Math.min(total.lost, total.duplicate);
  const asked = reports.reduce((sum, report) => sum + report.asked, 0);
  return { asked, lost: total.lost - late, late, reordered: total.outOfOrder };
}

/**
 * @param {Work} master
 * @param {any[]} reports of the workers
 * @param {Work[]} brokers
 * @returns {Work[]}
 */
export function workOf(master, reports, brokers) {
  return [
    { ...master, role: 'master' },
    ...reports.map(({ work }, index) => ({ ...work, name: `w${index}`, role: 'worker' })),
    ...brokers.map((work) => /** @type {Work} */ ({ ...work, role: 'broker' })),
  ];
}

/** @param {any[]} reports of the workers */
export function summed(reports) {
  const bins = Array.from({ length: Math.max(...reports.map((report) => report.bins.length)) }, (_, bin) =>
    reports.reduce((sum, report) => sum + (report.bins[bin] ?? 0), 0),
  );
  const openMs = reports.map((report) => report.openMs); // of the clock that all processes share
  const closedMs = reports.map((report) => report.openMs + report.windowMs);
  return {
    roundTrips: reports.reduce((sum, report) => sum + report.roundTrips, 0),
    // Each worker's rate over its own window: two windows may be some µs apart.
    roundTripsPerSecond: reports.reduce(
      (sum, report) => sum + (report.roundTrips * 1_000) / report.windowMs,
      0,
    ),
    windowMs: Math.max(...closedMs) - Math.min(...openMs),
    openMs: Math.min(...openMs),
    bins,
    latencies: reports.map((report) => report.latency),
    opens: reports.map((report) => report.open),
  };
}

/**
 * @typedef {object} Readings
 * @property {CostReading} own                       of the master's process
 * @property {CostReading | null | undefined} thread   of its main thread; undefined where its workers are processes
 * @property {CostReading | null} broker
 */
/**
 * @param {Assignment} assignment
 * @param {Readings} from
 * @param {Readings} to
 * @param {any[]} reports
 * @returns {ProcessCost[]}
 */
export function costs({ broker, cpus }, from, to, reports) {
  const workers = reports.map(
    ({ cost }, index) =>
      cost && { ...cost, name: `w${index}`, role: 'worker', cpus: cpus?.workers[index] ?? null },
  );
  const all = [];
  if (from.thread === undefined || to.thread === undefined) {
    const helpers = cpus && { helperCpus: allCpus(cpus) };
    const master = costBetween(MASTER, from.own, to.own, cpus?.master ?? null);
    all.push(...[master, ...workers].map((cost) => cost && { ...cost, ...helpers }));
  } else {
    const whole = costBetween(MASTER, from.own, to.own, cpus && allCpus(cpus));
    const main =
      from.thread && to.thread && costBetween(MASTER, from.thread, to.thread, cpus?.master ?? null);
    all.push(...threadCosts(whole, main, workers));
  }
  if (broker !== null && from.broker !== null && to.broker !== null) {
    all.push(costBetween({ name: broker.name, role: 'broker' }, from.broker, to.broker, broker.cpus));
  }
  return all;
}
