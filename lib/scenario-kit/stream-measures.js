// What the two ends of a stream say together. Clocks of several processes are subtracted only where they are one: on the
// monotonic clock of one host.

import { LatencyCounts } from '../statistics/latency-counts.js';

/** @import { Latency } from '../types/launches.js' */
/** @import { RoleReport } from '../types/roles.js' */

const NS_PER_MS = 1e6;

/** @param {readonly RoleReport[]} reports @returns {{ takers: RoleReport[], senders: RoleReport[] }} */
function endsOf(reports) {
  return {
    takers: reports.filter(({ operations }) => operations !== null),
    senders: reports.filter(({ operations }) => operations === null),
  };
}

/** @param {number[]} counts */
function sum(counts) {
  return counts.reduce((total, count) => total + count, 0);
}

/** @param {readonly RoleReport[]} reports @returns {number} whether they arrived or not */
export function sentPerSecond(reports) {
  return sum(endsOf(reports).senders.map(({ bins, windowMs }) => (sum(bins) * 1_000) / windowMs));
}

/**
 * @param {readonly RoleReport[]} reports
 * @returns {number} messages that were sent and not yet delivered, at the end of the bin of the window where they were most;
 *   never negative, although the ends open their windows some µs apart
 */
export function greatestBacklog(reports) {
  const { takers, senders } = endsOf(reports);
  const bins = Math.max(...reports.map((report) => report.bins.length));
  const totalAt = (/** @type {RoleReport[]} */ ends, /** @type {number} */ bin) =>
    sum(ends.map((end) => (end.values.atOpen ?? 0) + sum(end.bins.slice(0, bin))));
  const backlogs = Array.from({ length: bins + 1 }, (_, bin) => totalAt(senders, bin) - totalAt(takers, bin));
  return Math.max(0, ...backlogs);
}

/** @param {readonly RoleReport[]} reports @returns {Latency[]} of the messages that both ends noted, and that came in the window */
export function transitTimes(reports) {
  const { takers, senders } = endsOf(reports);
  const sentMs = new Map(
    senders.flatMap(({ sightings = {} }) =>
      Object.entries(sightings).map(([worker, seen]) => [worker, new Map(seen)]),
    ),
  );
  const times = new LatencyCounts();
  let count = 0;
  for (const { openMs, windowMs, sightings = {} } of takers) {
    for (const [worker, seen] of Object.entries(sightings)) {
      for (const [message, takenMs] of seen) {
        const ms = takenMs - (sentMs.get(worker)?.get(message) ?? Number.NaN);
        if (!(ms >= 0) || takenMs < openMs || takenMs > openMs + windowMs) continue;
        times.record(Math.round(ms * NS_PER_MS));
        count += 1;
      }
    }
  }
  return count === 0 ? [] : [times.toLatency()];
}
