// What a peer says that it has counted, against what the other ends of its connections have: a peer counts, and is not believed.

import { formatCount } from '../../format/numbers.js';
import { sum } from '../../statistics/sum.js';

/** @import { EndpointReport, PeerReport } from '../../types/index.js' */

/**
 * @typedef {object} Expected
 * @property {number} operations                 that the workers know of
 * @property {Record<string, number>} streams    messages sent, by stream
 */

/** @param {readonly EndpointReport[]} reports   of the workers @returns {Expected} */
export function sumExpected(reports) {
  const streams = Object.assign({}, ...reports.map((report) => report.streams ?? {}));
  const sent = sum(Object.values(streams));
  const asked = sum(reports.map((report) => report.asked ?? 0));
  return { operations: Object.keys(streams).length > 0 ? sent : asked, streams };
}

/**
 * @param {PeerReport} told
 * @param {Expected} expected
 * @param {boolean} isTaking    a stream, and not questions
 * @returns {string | null} what follows its name; null: nothing speaks against it
 */
export function reportProblem(told, { operations, streams }, isTaking) {
  const { operations: counted, undecodable, atOpen = 0, bins, streams: taken } = told;
  if (!isTaking) {
    // A worker without a response has failed already, unless that was not reported.
    if (counted + undecodable === operations) return null;
    return `reported ${formatCount(counted)} responses, but its workers sent ${formatCount(operations)} requests`;
  }
  if (bins === undefined || taken === undefined)
    return 'did not report the messages received in the window and per stream';
  const ofStreams = sum(Object.values(taken).map((stream) => stream.taken));
  if (ofStreams !== counted) {
    return `reported ${formatCount(counted)} messages received, but ${formatCount(ofStreams)} over all streams`;
  }
  if (atOpen + sum(bins) > counted) {
    return `reported ${formatCount(atOpen + sum(bins))} messages received by the end of the window, but ${formatCount(counted)} in total`;
  }
  for (const [name, stream] of Object.entries(taken)) {
    if (stream.taken > (streams[name] ?? 0)) {
      return `reported ${formatCount(stream.taken)} messages received from ${name}, which sent ${formatCount(streams[name] ?? 0)}`;
    }
  }
  return null;
}

/**
 * @param {PeerReport} told     of which nothing is untrue
 * @param {Expected} expected
 * @param {boolean} isTaking
 * @returns {EndpointReport}
 */
export function toEndpointReport(
  { undecodable, strangers, atOpen = 0, bins = [], streams = {} },
  expected,
  isTaking,
) {
  if (!isTaking) return { mistakes: { corrupt: undecodable }, strangers };
  const taken = Object.entries(streams);
  const lost = Object.entries(expected.streams).map(([name, sent]) => sent - (streams[name]?.taken ?? 0));
  return {
    operations: sum(bins),
    bins,
    values: { atOpen },
    sightings: Object.fromEntries(taken.map(([name, { sightings = [] }]) => [name, sightings])),
    mistakes: {
      corrupt: undecodable + sum(taken.map(([, { wrong }]) => wrong)),
      outOfOrder: sum(taken.map(([, { outOfOrder }]) => outOfOrder)),
      lost: Math.max(0, sum(lost) - undecodable),
    },
    strangers,
  };
}
