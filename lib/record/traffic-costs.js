// What recorded messages cost the program: as a share of a core, at either end, and which channels belong together.

import { MS_PER_S, US_PER_MS } from '../format/units.js';
import { sumBy } from '../statistics/sum.js';
import { findResponses } from './traffic-file.js';
import { readPercentile } from './weighted-histogram.js';

/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../types/recordings.js' */
/** @import { SavedHistogram } from './weighted-histogram.js' */
/**
 * A channel with the one of its responses: what the messages of both take, as shares of a core.
 * @typedef {object} Conversation
 * @property {TrafficChannel} channel
 * @property {TrafficChannel | null} responses
 * @property {number} perSecond        messages of the channel
 * @property {number} fromShare        at the end that sends the messages, and deserialises the responses
 * @property {number} toShare          at the other end
 * @property {number} share            of both
 * @property {number} messageUs        of a message with its response, if it has one, at both ends
 */

/** Of a core: less is not worth a change. */
export const IDLE_SHARE = 0.01;

const INTERRUPTED = 4;
const US_PER_BYTE = 0.02;
// Of its messages with the same number in flight, and of that number.
const LEAST_USUAL = 0.9;
const LEAST_BUSY = 0.8;

/**
 * The mean. While a process waits for the CPU its clock goes on: what takes more than four times the median, and more
 * than 20 ns for each byte of the greatest message, counts as the greater of the two.
 * @param {SavedHistogram} timesUs
 * @param {number} greatestBytes   of a message
 * @returns {number} 0: nothing was timed
 */
export function readCostUs(timesUs, greatestBytes) {
  const { count, cells } = timesUs;
  if (count === 0) return 0;
  const mostUs = Math.max(INTERRUPTED * readPercentile(timesUs, 0.5), US_PER_BYTE * greatestBytes);
  return sumBy(cells, ([us, weight]) => weight * Math.min(us, mostUs)) / count;
}

/** @param {Pick<TrafficChannel, 'bytes' | 'sendUs' | 'decodeUs'>} channel @returns {{ sendUs: number, receiveUs: number }} of a message */
export function readCosts({ sendUs, decodeUs, bytes }) {
  return { sendUs: readCostUs(sendUs, bytes.greatest), receiveUs: readCostUs(decodeUs, bytes.greatest) };
}

/**
 * @param {TrafficChannel} channel
 * @param {number} durationMs
 * @returns {{ sending: number | null, receiving: number | null }} of a core; null: it is unknown
 */
export function readShares(channel, durationMs) {
  const { sendUs, receiveUs } = readCosts(channel);
  const { messages, lost = 0 } = channel;
  const shareOf = (/** @type {number} */ us, /** @type {number} */ count) =>
    durationMs > 0 ? (us * count) / US_PER_MS / durationMs : 0;
  return {
    sending: channel.sendUs.count === 0 ? null : shareOf(sendUs, messages + lost),
    receiving: channel.decodeUs.count === 0 ? null : shareOf(receiveUs, messages),
  };
}

/** @param {Traffic} traffic @returns {Conversation[]} the most costly first */
export function findConversations(traffic) {
  const { channels, durationMs } = traffic;
  const responsesOf = new Map(channels.map((channel) => [channel, findResponses(traffic, channel)]));
  // Of two channels that answer each other, one stands with the other.
  const isResponse = new Set(
    [...responsesOf].flatMap(([channel, its]) =>
      its !== null && (responsesOf.get(its) !== channel || channel.number < its.number) ? its : [],
    ),
  );
  return channels
    .filter((channel) => !isResponse.has(channel))
    .map((channel) => makeConversation(channel, responsesOf.get(channel) ?? null, durationMs))
    .toSorted((one, other) => other.share - one.share);
}

/** @param {TrafficChannel} channel @param {TrafficChannel | null} responses @param {number} durationMs @returns {Conversation} */
function makeConversation(channel, responses, durationMs) {
  const both = responses === null ? [channel] : [channel, responses];
  const [there, back] = both.map((each) => readShares(each, durationMs));
  const fromShare = (there.sending ?? 0) + (back?.receiving ?? 0);
  const toShare = (there.receiving ?? 0) + (back?.sending ?? 0);
  return {
    channel,
    responses,
    perSecond: durationMs > 0 ? (channel.messages / durationMs) * MS_PER_S : 0,
    fromShare,
    toShare,
    share: fromShare + toShare,
    messageUs: sumBy(both.map(readCosts), ({ sendUs, receiveUs }) => sendUs + receiveUs),
  };
}

/**
 * The program sends a request as soon as a response has come: as many are always in flight, and Little's law holds for them
 * without a pause in between.
 * @param {TrafficChannel} channel
 */
export function isClosedLoop({ pairs, messages, firstMs, lastMs }) {
  if (pairs === null || pairs.inFlight.count === 0 || pairs.roundTripUs.count === 0) return false;
  const { inFlight, roundTripUs } = pairs;
  const usual = inFlight.cells.reduce((most, cell) => (cell[1] > most[1] ? cell : most));
  const ms = Number(lastMs) - Number(firstMs);
  const meanInFlight = ((messages / ms) * (roundTripUs.sum / roundTripUs.count)) / US_PER_MS;
  return usual[1] >= LEAST_USUAL * inFlight.count && meanInFlight >= LEAST_BUSY * usual[0];
}
