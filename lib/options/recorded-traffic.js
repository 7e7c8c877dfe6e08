// --traffic: a channel of a recorded program → the options of a run that repeats it. Each of them can be given otherwise.

import { MS_PER_S } from '../format/units.js';
import { findChannel, findResponses, messageFormat, readTraffic } from '../record/traffic-file.js';
import { readPercentile } from '../record/weighted-histogram.js';
import { fixedLayer, readFlag } from './layers.js';
import { refuse } from './quantities.js';

/** @import { Traffic, TrafficChannel } from '../record/traffic-file.js' */
/** @import { Layer } from './layers.js' */
/** @import { Find } from './quantities.js' */

const MOST_WORKERS = 64;
const MOST_LOOPS = 256;
const RECORDED = 'recorded';

const OF_THREADS = 'threads-message,threads-shared,unix,pipe';
const OF_PROCESSES = 'pipe,unix,tcp,threads-message';
const POOLS_OF_THREADS = 'threads-message,piscina,tinypool,workerpool';
const POOLS_OF_PROCESSES = 'pipe,unix,cluster,tinypool:runtime=child_process,threads-message';

/**
 * How a run repeats the messages of a channel.
 * @typedef {object} Replay
 * @property {string} scenario
 * @property {number} workers        of the program: more than a run has, where there were more
 * @property {string} transports     the present one first
 * @property {boolean} isFromMaster  the master sends the messages
 * @property {TrafficChannel} source  whose messages they are
 */

/** @typedef {{ path: string, channel: TrafficChannel, responses: TrafficChannel | null, layer: Layer }} RecordedTraffic   layer: the options that repeat the channel */

/**
 * @param {Find} find   --rate recorded becomes the rate of the channel, times --speed
 * @returns {RecordedTraffic | null} null: there is none
 */
export function recordedTraffic(find) {
  const rate = find('rate');
  const traffic = find('traffic');
  if (traffic === undefined) {
    if (rate?.texts.includes(RECORDED))
      refuse(rate.source, 'recorded is the rate of --traffic; give that as well');
    return null;
  }
  const [path] = traffic.texts;
  const recorded = readTraffic(path);
  const chosen = findChannel(recorded, readFlag(find, 'channel'), path);
  const replay = describeReplay(recorded, chosen);
  const { source: channel } = replay;
  const speed = readFlag(find, 'speed');
  const isRecorded = rate?.texts.includes(RECORDED) ?? speed !== undefined;
  if (speed !== undefined && !isRecorded)
    refuse(
      /** @type {any} */ (rate).source,
      'contradicts --speed, which is times the recorded rate; give one of the two',
    );
  const texts = textsFor(channel, restricted(replay, find('scenario')?.texts), isRecorded);
  const hasArrivals = isRecorded && channel.arrivals.length > 1;
  const layer = fixedLayer(hasArrivals ? { ...texts, arrivals: RECORDED } : texts, traffic.source.label);
  if (isRecorded) {
    const perSecond = readRate(channel) * (speed ?? 1);
    const given = {
      texts: [String(Math.max(1, Math.round(perSecond)))],
      source: traffic.source,
    };
    if (rate === undefined) layer.rate = given;
    else rate.texts = given.texts;
  }
  const responses = isAnswered(replay) ? findResponses(recorded, channel) : null;
  return { path, channel, responses, layer };
}

/** @param {Pick<Replay, 'scenario'>} replay */
function isAnswered({ scenario }) {
  return scenario === 'round-trip' || scenario === 'task';
}

/** @param {Replay} replay @param {string[]} [scenarios]   that the user asks for @returns {Replay} without pools, which nothing but tasks uses */
function restricted(replay, scenarios) {
  if (replay.scenario !== 'task' || (scenarios?.some((each) => each.startsWith('task')) ?? true))
    return replay;
  return { ...replay, transports: transportsOf(replay.source.mechanism) };
}

/** @param {TrafficChannel} channel @returns {number} messages a second, while there were any */
export function readRate({ messages, firstMs, lastMs }) {
  const ms = Number(lastMs) - Number(firstMs);
  return ms > 0 ? Math.max(1, Math.round((messages / ms) * MS_PER_S)) : messages;
}

/**
 * @param {Pick<Traffic, 'channels'>} traffic
 * @param {TrafficChannel} channel
 * @returns {{ row: string, shape: string, isFromMaster: boolean }} row: which represents the program, 'pipe/json'; shape: '1x4', in closed
 *   loops; isFromMaster: the master sends the messages
 */
export function recordedReplay(traffic, channel) {
  const replay = describeReplay(traffic, channel);
  const { reference, workers } = textsFor(channel, replay, false);
  return { row: reference, shape: workers, isFromMaster: replay.isFromMaster };
}

/** @param {Pick<Traffic, 'channels'>} traffic @param {TrafficChannel} channel @returns {Replay} */
function describeReplay(traffic, channel) {
  return describeDirect(findRequests(traffic, channel));
}

/** @param {Pick<Traffic, 'channels'>} traffic @param {TrafficChannel} channel @returns {TrafficChannel} of the requests, if most of its messages are responses */
function findRequests({ channels }, channel) {
  if (channel.pairs !== null) return channel;
  const requests = channels.find((each) => findResponses({ channels }, each) === channel);
  if (requests === undefined || requests.sample.length === 0) return channel;
  return 2 * Number(requests.pairs?.paired) >= channel.messages ? requests : channel;
}

/** @param {string} mechanism @returns {string} the present one first */
function transportsOf(mechanism) {
  return mechanism === 'process.send' ? OF_PROCESSES : OF_THREADS;
}

/** @param {TrafficChannel} channel   of requests, if there are any @returns {Replay} */
function describeDirect(channel) {
  const { mechanism, links, atOnce = links, pairs, fromMaster } = channel;
  const direct = { workers: atOnce, transports: transportsOf(mechanism), source: channel };
  if (pairs !== null) {
    // A parent that asks several children hands out tasks. With a single one it is the same whoever asks.
    if (!fromMaster || atOnce === 1) return { ...direct, scenario: 'round-trip', isFromMaster: false };
    const pools = mechanism === 'process.send' ? POOLS_OF_PROCESSES : POOLS_OF_THREADS;
    return { ...direct, transports: pools, scenario: 'task', isFromMaster: true };
  }
  const scenario = fromMaster ? 'stream:direction=to-worker' : 'stream';
  return { ...direct, scenario, isFromMaster: fromMaster === true };
}

/**
 * @param {TrafficChannel} channel
 * @param {Replay} replay
 * @param {boolean} isOpen   bursts are not to wait for a loop
 * @returns {Record<string, string>}
 */
function textsFor(channel, replay, isOpen) {
  const { mechanism, serialisation, pairs } = channel;
  const isText = messageFormat(channel) === 'text';
  const inFlight =
    pairs === null || !isAnswered(replay)
      ? 1
      : Math.round(readPercentile(pairs.inFlight, isOpen ? 0.99 : 0.5));
  const loops = Math.min(MOST_LOOPS, Math.max(1, inFlight));
  const [present] = replay.transports.split(',');
  const own = {
    workers: `${Math.min(MOST_WORKERS, replay.workers)}x${loops}`,
    scenario: replay.scenario,
    transport: replay.transports,
  };
  if (mechanism === 'process.send') {
    const codec = isText ? 'json,string' : 'json,v8,msgpack';
    return {
      ...own,
      codec: isText && serialisation === 'v8' ? 'v8,string' : codec,
      reference: `${present}/${serialisation}`,
    };
  }
  const codec = isText ? 'string,v8' : 'v8,json,msgpack';
  return { ...own, codec, reference: `${present}/${isText ? 'string' : 'v8'}` };
}
