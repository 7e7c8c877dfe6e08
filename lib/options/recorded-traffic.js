// --traffic: turns a channel of a recorded program into the options of a run that repeats it. Other flags override these options.

import { shapeLabel } from '../cell/labels.js';
import { fromHome } from '../format/own-file.js';
import { refuse } from '../format/quantity.js';
import { MS_PER_S } from '../format/units.js';
import { readTraffic } from '../record/saved-traffic.js';
import { findChannel, findResponses, messageFormat } from '../record/traffic-file.js';
import { readPercentile } from '../record/weighted-histogram.js';
import { sumBy } from '../statistics/sum.js';
import { fixedLayer, readFlag } from './layers.js';
import { RATE } from './load-options.js';

/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../types/recordings.js' */
/** @import { Shape } from '../types/index.js' */
/** @import { Layer } from './layers.js' */
/** @import { FindFlag } from './quantities.js' */

const MAX_WORKERS = 64;
const MAX_LOOPS = 256;
const RECORDED = 'recorded';
const RATE_DIGITS = 4;

/** Transports of a replay, the recorded mechanism first. The scenario `task` has those of POOLS instead. */
const TRANSPORTS = Object.freeze({
  processes: ['pipe', 'unix', 'tcp', 'threads-message'],
  threads: ['threads-message', 'threads-shared', 'unix', 'pipe'],
});
const POOLS = Object.freeze({
  processes: ['pipe', 'unix', 'cluster', 'tinypool:runtime=child_process', 'threads-message'],
  threads: ['threads-message', 'piscina', 'tinypool', 'workerpool'],
});

/**
 * How a run repeats the messages of a channel.
 * @typedef {object} Replay
 * @property {TrafficChannel} channel   the chosen channel, or the channel of the requests if the chosen one has their responses
 * @property {boolean} isAnswered
 * @property {boolean} isFromMaster     true if the master of the replay sends the messages
 * @property {string} scenario
 * @property {readonly string[]} transports   the recorded mechanism first
 * @property {readonly string[]} codecs       the codec of the recorded mechanism first
 * @property {string} row               the recorded mechanism, for example 'pipe/json'
 */

/** @typedef {{ path: string, channel: TrafficChannel, responses: TrafficChannel | null, layer: Layer }} ReplayedTraffic */

/**
 * Reads --traffic into a layer. Side effect: replaces `--rate recorded` by the rate of the channel, in the layer that contains --rate.
 * @param {FindFlag} find
 * @returns {ReplayedTraffic | null} null without --traffic
 */
export function recordedTraffic(find) {
  const rate = find('rate');
  const traffic = find('traffic');
  if (traffic === undefined) {
    if (rate?.texts.includes(RECORDED))
      refuse(rate.source, 'recorded is the rate of --traffic; give that as well');
    const arrivals = find('arrivals');
    if (arrivals?.texts.includes(RECORDED))
      refuse(arrivals.source, 'recorded arrivals are those of --traffic; give that as well');
    return null;
  }
  const path = fromHome(traffic.texts[0]);
  const recorded = readTraffic(path);
  const chosen = findChannel(recorded, readFlag(find, 'channel'), path);
  const replay = describeReplay(recorded, chosen, find('scenario')?.texts);
  const { channel, scenario, transports, codecs, row } = replay;
  const isRecorded = rate?.texts.includes(RECORDED);
  const hasBursts = isRecorded || find('arrivals')?.texts.includes(RECORDED);
  const layer = fixedLayer(
    {
      scenario,
      // If bursts are replayed, more requests may be in flight than usual.
      workers: shapeLabel(readConcurrency(channel, hasBursts ? 0.99 : 0.5)),
      transport: transports.join(','),
      codec: codecs.join(','),
      reference: row,
      ...(isRecorded && hasGaps(channel) && { arrivals: RECORDED }),
    },
    traffic.source.label,
  );
  if (rate !== undefined)
    rate.texts = rate.texts.map((text) => (text === RECORDED ? String(readRate(channel)) : text));
  const responses = replay.isAnswered ? findResponses(recorded, channel) : null;
  return { path, channel, responses, layer };
}

/** @param {TrafficChannel} channel */
const hasGaps = ({ arrivals }) => arrivals.ms > 0 && sumBy(arrivals.stretches, (times) => times.length) > 1;

/**
 * @param {TrafficChannel} channel
 * @returns {number} messages per second between the first and the last one, at least RATE.min; their number if all have the same time
 */
export function readRate({ messages, firstMs, lastMs }) {
  const ms = Number(lastMs) - Number(firstMs);
  return ms > 0
    ? Math.max(RATE.min, Number(((messages * MS_PER_S) / ms).toPrecision(RATE_DIGITS)))
    : messages;
}

/**
 * @param {Pick<Traffic, 'channels'>} traffic
 * @param {TrafficChannel} chosen
 * @param {string[]} [scenarios]   the values of --scenario
 * @returns {Replay}
 */
export function describeReplay(traffic, chosen, scenarios) {
  const channel = findRequests(traffic, chosen);
  const { mechanism, serialisation, links, atOnce = links, pairs, fromMaster } = channel;
  const kind = mechanism === 'process.send' ? 'processes' : 'threads';
  const isAnswered = pairs !== null;
  // A parent that sends requests to several children distributes tasks. With a single child, the direction makes no difference.
  const isTask = isAnswered && fromMaster === true && atOnce > 1;
  const hasPools = isTask && (scenarios?.some((scenario) => scenario.startsWith('task')) ?? true);
  const isText = messageFormat(channel) === 'text';
  const codec = kind === 'processes' ? serialisation : isText ? 'string' : 'v8';
  const others = isText ? [codec === 'string' ? 'v8' : 'string'] : ['json', 'v8', 'msgpack'];
  const transports = (hasPools ? POOLS : TRANSPORTS)[kind];
  const stream = fromMaster ? 'stream:direction=to-worker' : 'stream';
  return {
    channel,
    isAnswered,
    isFromMaster: isTask || (!isAnswered && fromMaster === true),
    scenario: isTask ? 'task' : isAnswered ? 'round-trip' : stream,
    transports,
    codecs: [codec, ...others.filter((other) => other !== codec)],
    row: `${transports[0]}/${codec}`,
  };
}

/**
 * Returns the channel of the requests if at least half of the messages of `channel` are responses, or otherwise `channel` itself.
 * @param {Pick<Traffic, 'channels'>} traffic
 * @param {TrafficChannel} channel
 * @returns {TrafficChannel}
 */
function findRequests({ channels }, channel) {
  if (channel.pairs !== null) return channel;
  const requests = channels.find((candidate) => findResponses({ channels }, candidate) === channel);
  if (requests === undefined || requests.sample.length === 0) return channel;
  return 2 * Number(requests.pairs?.paired) >= channel.messages ? requests : channel;
}

/** @param {TrafficChannel} channel @param {number} share   quantile of the requests in flight, from 0 to 1 @returns {Shape} */
export function readConcurrency({ links, atOnce = links, pairs }, share) {
  const inFlight = pairs === null ? 1 : Math.round(readPercentile(pairs.inFlight, share));
  return { workers: Math.min(MAX_WORKERS, atOnce), loops: Math.min(MAX_LOOPS, Math.max(1, inFlight)) };
}
