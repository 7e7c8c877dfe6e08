// Computes the cost of recorded messages as a share of a core at each end, for channels and pairs of channels.

import { MS_PER_S, US_PER_MS } from '../format/units.js';
import { sumBy } from '../statistics/sum.js';
import { findResponses } from './traffic-file.js';
import { readPercentile } from './weighted-histogram.js';

/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../types/recordings.js' */
/** @import { SavedHistogram } from './weighted-histogram.js' */
/**
 * A channel and the channel of its responses, with their costs as shares of a core.
 * @typedef {object} Conversation
 * @property {TrafficChannel} channel
 * @property {TrafficChannel | null} responses
 * @property {number} perSecond   messages of the channel
 * @property {number} fromShare   share at the end that sends the messages and receives the responses
 * @property {number} toShare   share at the other end
 * @property {number} share   sum of `fromShare` and `toShare`
 * @property {number} messageUs   cost of a message and its response, if any, at both ends
 */

/** Share of a core for sending and deserialising, without reading and waking up, below which a change of the transport is not worth it. */
export const IDLE_SHARE = 0.005;

const INTERRUPTED = 4;
const US_PER_BYTE = 0.02;
// A channel counts as a closed loop if at least MIN_USUAL of its requests have the most common number in flight, and the mean number in
// flight is at least MIN_BUSY of that number.
const MIN_USUAL = 0.9;
const MIN_BUSY = 0.8;

/**
 * Returns the mean. Times that include a wait for the CPU are too long, so times are limited to the greater of four times the median and 20
 * ns per byte of the largest message.
 * @param {SavedHistogram} timesUs
 * @param {number} greatestBytes   size of the largest message
 * @returns {number} in µs; 0 if nothing was timed
 */
export function readCostUs(timesUs, greatestBytes) {
  const { count, cells } = timesUs;
  if (count === 0) return 0;
  const mostUs = Math.max(INTERRUPTED * readPercentile(timesUs, 0.5), US_PER_BYTE * greatestBytes);
  return sumBy(cells, ([us, weight]) => weight * Math.min(us, mostUs)) / count;
}

/**
 * @param {Pick<TrafficChannel, 'bytes' | 'sendUs' | 'decodeUs'>} channel
 * @returns {{ sendUs: number, receiveUs: number }} costs of a message
 */
export function readCosts({ sendUs, decodeUs, bytes }) {
  return { sendUs: readCostUs(sendUs, bytes.greatest), receiveUs: readCostUs(decodeUs, bytes.greatest) };
}

/**
 * @param {TrafficChannel} channel
 * @param {number} durationMs
 * @returns {{ sending: number | null, receiving: number | null }} shares of a core; null if no message was timed
 */
export function readShares(channel, durationMs) {
  const { sendUs, receiveUs } = readCosts(channel);
  const { messages, lost = 0 } = channel;
  /** @param {number} us @param {number} count */
  const shareOf = (us, count) => (durationMs > 0 ? (us * count) / US_PER_MS / durationMs : 0);
  return {
    sending: channel.sendUs.count === 0 ? null : shareOf(sendUs, messages + lost),
    receiving: channel.decodeUs.count === 0 ? null : shareOf(receiveUs, messages),
  };
}

/** @param {Traffic} traffic @returns {Conversation[]} the most costly first */
export function findConversations(traffic) {
  const { channels, durationMs } = traffic;
  const responsesOf = new Map(channels.map((channel) => [channel, findResponses(traffic, channel)]));
  // If two channels contain the responses of each other, one conversation contains both.
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
  const [there, back] = both.map((one) => readShares(one, durationMs));
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
 * Whether the program sends a request as soon as a response arrives: the number in flight is nearly constant, and the mean number by
 * Little's law is not much lower.
 * @param {TrafficChannel} channel
 */
export function isClosedLoop({ pairs, messages, firstMs, lastMs }) {
  if (pairs === null || pairs.inFlight.count === 0 || pairs.roundTripUs.count === 0) return false;
  const { inFlight, roundTripUs } = pairs;
  const usual = inFlight.cells.reduce((most, cell) => (cell[1] > most[1] ? cell : most));
  const ms = Number(lastMs) - Number(firstMs);
  const meanInFlight = ((messages / ms) * (roundTripUs.sum / roundTripUs.count)) / US_PER_MS;
  return usual[1] >= MIN_USUAL * inFlight.count && meanInFlight >= MIN_BUSY * usual[0];
}
