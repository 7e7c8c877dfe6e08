// What the workers of a launch handed in, put together: were all answers right, how many were there, what did they cost.

import { BenchError } from '../errors.js';
import { costBetween } from './cost.js';

/** @typedef {import('./assignment.js').Assignment} Assignment */

/**
 * @param {any[]} reports of the workers
 * @param {number} undecodable   questions that the master could not read
 * @throws {BenchError} INTEGRITY when any answer was wrong, with the counters
 */
export function checkIntegrity(reports, undecodable) {
  const total = { lost: 0, duplicate: 0, swapped: 0, corrupt: undecodable, outOfOrder: 0 };
  for (const { integrity } of reports) {
    for (const [kind, count] of Object.entries(integrity))
      total[/** @type {keyof typeof total} */ (kind)] += count;
  }
  const found = Object.entries(total).filter(([, count]) => count > 0);
  if (found.length === 0) return;
  const message = `wrong answers: ${found.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
  throw Object.assign(new BenchError('INTEGRITY', message), { integrity: total });
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
 * @param {Assignment} assignment
 * @param {{ own: any, broker: any }} from
 * @param {{ own: any, broker: any }} to
 * @param {any[]} reports
 */
export function costs({ broker, cpus }, from, to, reports) {
  const all = [costBetween('master', from.own, to.own, cpus?.master ?? null)];
  reports.forEach((report, index) => {
    all.push({ ...report.cost, name: `w${index}`, cpus: cpus?.workers[index] ?? null });
  });
  if (from.broker !== null && to.broker !== null) {
    all.push(
      costBetween(/** @type {any} */ (broker).name, from.broker, to.broker, /** @type {any} */ (broker).cpus),
    );
  }
  return all;
}
