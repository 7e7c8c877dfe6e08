// Measures that need both ends of a stream. They subtract times of several processes only on the monotonic clock of one host.

import { MS_PER_S, NS_PER_MS } from '../../format/units.js';
import { sum } from '../../statistics/sum.js';
import { ALL } from '../endpoints/stream-parts.js';

/** @import { RoleReport, TimestampSample } from '../../types/index.js' */

/**
 * @param {readonly RoleReport[]} reports
 * @returns {{ takers: RoleReport[], senders: RoleReport[] }} a role that sends and receives is in both, with separate counts
 */
export function splitEnds(reports) {
  const senders = reports.flatMap((report) => {
    if (report.operations === null) return [report];
    return report.sent === undefined ? [] : [{ ...report, ...report.sent }];
  });
  return { takers: reports.filter(({ operations }) => operations !== null), senders };
}

/** @param {readonly RoleReport[]} reports @returns {number} sent messages per second, including lost ones */
export function sentPerSecond(reports) {
  return sum(splitEnds(reports).senders.map(({ bins, windowMs }) => (sum(bins) * MS_PER_S) / windowMs));
}

/**
 * @param {readonly RoleReport[]} reports
 * @returns {number[]} number of messages sent but not delivered, at the start of the window and at the end of each bin
 */
export function computeBacklogs(reports) {
  const { takers, senders } = splitEnds(reports);
  const bins = Math.max(...reports.map((report) => report.bins.length));
  /** @param {RoleReport[]} ends @param {number} bin */
  const totalAt = (ends, bin) =>
    sum(ends.map((end) => (end.values.atOpen ?? 0) + sum(end.bins.slice(0, bin))));
  return Array.from({ length: bins + 1 }, (_, bin) => totalAt(senders, bin) - totalAt(takers, bin));
}

/**
 * @param {readonly RoleReport[]} reports
 * @returns {number} greatest number of messages sent but not delivered; at least 0, since the ends open their windows a few µs apart, so a
 *   count may be negative
 */
export function greatestBacklog(reports) {
  return Math.max(0, ...computeBacklogs(reports));
}

/**
 * @param {readonly RoleReport[]} reports
 * @param {(sighting: TimestampSample) => number | undefined} [fromMs]   reads the start of a transit from the sample of the sender
 * @returns {Map<string, number[]>} transit times in ms by message, one per receiver, of messages that both ends
 *   have timed and that arrived in the window
 */
function pairTransits(reports, fromMs = ([, sentMs]) => sentMs) {
  const { takers, senders } = splitEnds(reports);
  const sentMs = new Map(
    senders.flatMap(({ sightings = {} }) =>
      Object.entries(sightings).map(([stream, seen]) => [
        stream,
        new Map(seen.map((sighting) => [sighting[0], fromMs(sighting)])),
      ]),
    ),
  );
  /** @type {Map<string, number[]>} */
  const transits = new Map();
  for (const { openMs, windowMs, sightings = {} } of takers) {
    for (const [stream, seen] of Object.entries(sightings)) {
      for (const [message, takenMs] of seen) {
        const ms = takenMs - (sentMs.get(stream)?.get(message) ?? Number.NaN);
        if (!(ms >= 0) || takenMs < openMs || takenMs > openMs + windowMs) continue;
        const key = `${stream} ${message}`;
        const known = transits.get(key);
        if (known === undefined) transits.set(key, [ms]);
        else known.push(ms);
      }
    }
  }
  return transits;
}

/** @param {number[]} all   in ms @returns {Float64Array} in ns */
function flattenTimes(all) {
  return Float64Array.from(all, (ms) => Math.round(ms * NS_PER_MS));
}

/** @param {readonly RoleReport[]} reports @returns {Float64Array} transit times in ns, one per delivery */
export function transitTimes(reports) {
  return flattenTimes([...pairTransits(reports).values()].flat());
}

/**
 * @param {readonly RoleReport[]} reports
 * @returns {Float64Array} times in ns until the last delivery of each message that all workers received
 */
export function untilLastTimes(reports) {
  return timesUntilAll(pairTransits(reports), splitEnds(reports).takers.length);
}

/**
 * @param {readonly RoleReport[]} reports
 * @returns {Float64Array} times in ns from the scheduled instant of each message to its last delivery; empty without open load
 */
export function responseTimes(reports) {
  const { takers, senders } = splitEnds(reports);
  const isToAll = senders.some(({ streams = {} }) => ALL in streams);
  return timesUntilAll(
    pairTransits(reports, ([, , startMs]) => startMs),
    isToAll ? takers.length : 1,
  );
}

/** @param {Map<string, number[]>} transits @param {number} takers   receivers of each message @returns {Float64Array} in ns */
function timesUntilAll(transits, takers) {
  const complete = [...transits.values()].filter(({ length }) => length === takers);
  return flattenTimes(complete.map((all) => Math.max(...all)));
}
