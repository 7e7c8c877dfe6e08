// --traffic: a channel of a recorded program → the options of a run that repeats it. Each of them can be given otherwise.

import { MS_PER_S } from '../format/units.js';
import { findChannel, findResponses, messageFormat, readTraffic } from '../record/traffic-file.js';
import { readPercentile } from '../record/weighted-histogram.js';
import { sumBy } from '../statistics/sum.js';
import { fixedLayer, readFlag } from './layers.js';
import { refuse } from './quantities.js';

/** @import { Traffic, TrafficChannel } from '../record/traffic-file.js' */
/** @import { Layer } from './layers.js' */
/** @import { Find } from './quantities.js' */

const MOST_WORKERS = 64;
const MOST_LOOPS = 256;
const RECORDED = 'recorded';

const NEAR = 'unix,tcp';
/** @type {Readonly<Record<string, string>>} the transport of a mechanism, and others beside it */
const TRANSPORTS_OF_SOCKETS = Object.freeze({
  unix: 'unix,tcp,pipe,threads-message',
  'named pipe': 'unix,tcp,pipe,threads-message',
  TCP: 'tcp,unix,pipe,threads-message',
  TLS: 'tcp,unix,pipe,threads-message',
  HTTP: `http,websocket,${NEAR}`,
  HTTPS: `https,http,websocket,${NEAR}`,
  WebSocket: `websocket,${NEAR}`,
  Redis: `redis-pubsub,${NEAR}`,
  MQTT: `mqtt,${NEAR}`,
  AMQP: `rabbitmq,${NEAR}`,
  NATS: `nats,${NEAR}`,
  ZeroMQ: `zeromq,${NEAR}`,
});
const OF_THREADS = 'threads-message,threads-shared,unix,pipe';
const OF_PROCESSES = `pipe,${NEAR},threads-message`;
const POOLS_OF_THREADS = 'threads-message,piscina,tinypool,workerpool';
const POOLS_OF_PROCESSES = 'pipe,unix,cluster,tinypool:runtime=child_process,threads-message';
const HAS_CHILDREN = /^(process\.send|postMessage|MessagePort)$/;
// Commands of Redis, and what it delivers.
const TOPIC = /PUBLISH$|MESSAGE$/;
const PUBLISH = /PUBLISH$/;
const DELIVERY = /MESSAGE$/;
const LIST = /PUSH|POP|LMOVE/;
const POP = /POP|LMOVE/;
const STREAM = /^X/;
const GROUP = /^XREADGROUP$/;
const TAKING = /POP|LMOVE|^XREAD/;
const OFFERING = /^[LR]PUSHX?$|^XADD$/;
const IS_NOT_HEARD = /\(not heard\)$/;
/** Beside the own one: what needs no server, and what this tool has as a dependency. */
const PUBLISHING = ['zeromq', 'redis-pubsub'];
const QUEUEING = ['zeromq', 'redis-list'];

/**
 * How a run repeats the messages of a channel.
 * @typedef {object} Replay
 * @property {string} scenario
 * @property {number} workers        of the program: more than a run has, where there were more
 * @property {string} transports     the present one first
 * @property {boolean} isFromMaster  the master sends the messages
 * @property {TrafficChannel} source  whose messages they are: of a broker the channel to it, if that was heard
 * @property {number} copies         of each message that `source` has
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
  const { source: channel, copies } = replay;
  const speed = readFlag(find, 'speed');
  const isRecorded = rate?.texts.includes(RECORDED) ?? speed !== undefined;
  if (speed !== undefined && !isRecorded)
    refuse(
      /** @type {any} */ (rate).source,
      'contradicts --speed, which is times the recorded rate; give one of the two',
    );
  const texts = textsFor(channel, restricted(replay, find('scenario')?.texts), isRecorded);
  const hasArrivals = isRecorded && copies === 1 && channel.arrivals.length > 1;
  const layer = fixedLayer(hasArrivals ? { ...texts, arrivals: RECORDED } : texts, traffic.source.label);
  if (isRecorded) {
    const perSecond = (readRate(channel) / copies) * (speed ?? 1);
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
  return describeBrokered(traffic, channel) ?? describeDirect(findRequests(traffic, channel));
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
  return TRANSPORTS_OF_SOCKETS[mechanism] ?? (mechanism === 'process.send' ? OF_PROCESSES : OF_THREADS);
}

/** @param {TrafficChannel} channel   between two ends that know each other @returns {Replay} */
function describeDirect(channel) {
  const { mechanism, links, atOnce = links, pairs, fromMaster } = channel;
  const direct = { workers: atOnce, transports: transportsOf(mechanism), source: channel, copies: 1 };
  if (pairs !== null || mechanism.startsWith('HTTP')) {
    // A parent that asks several children hands out tasks. With a single one it is the same whoever asks.
    if (!fromMaster || atOnce === 1 || !HAS_CHILDREN.test(mechanism))
      return { ...direct, scenario: 'round-trip', isFromMaster: false };
    const pools = mechanism === 'process.send' ? POOLS_OF_PROCESSES : POOLS_OF_THREADS;
    return { ...direct, transports: pools, scenario: 'task', isFromMaster: true };
  }
  if (mechanism === 'BroadcastChannel') return { ...direct, scenario: 'fan-out', isFromMaster: true };
  const scenario = fromMaster ? 'stream:direction=to-worker' : 'stream';
  return { ...direct, scenario, isFromMaster: fromMaster === true };
}

/**
 * Publish/subscribe, and queues. The master of a run publishes, or offers jobs, whichever end of the broker the channel is at.
 * @param {Pick<Traffic, 'channels'>} traffic
 * @param {TrafficChannel} channel
 * @returns {Replay | null} null: no broker distributes its messages
 */
function describeBrokered({ channels }, channel) {
  const { mechanism, pairs } = channel;
  // Recordings of earlier versions have no `fromMaster`.
  const isDelivered = channel.fromMaster === true || IS_NOT_HEARD.test(channel.from);
  const broker = isDelivered ? channel.from : channel.to;
  const ofBroker = channels.filter((each) => each.mechanism === mechanism);
  const sent = ofBroker.filter((each) => each.to === broker);
  const delivered = ofBroker.filter((each) => each.from === broker);
  const having = (/** @type {RegExp} */ commands) =>
    sent.filter((each) => countCommands([each], commands) > 0);
  const publishers = mechanism === 'Redis' ? having(PUBLISH) : sent;
  const source = isDelivered
    ? findFirst(channel, publishers, (one, other) => other.messages - one.messages)
    : channel;
  const countLinks = (/** @type {TrafficChannel[]} */ some) =>
    Math.max(
      1,
      sumBy(some, ({ links, atOnce = links }) => atOnce),
    );
  const fanOut = (
    /** @type {string} */ transport,
    /** @type {number} */ published,
    /** @type {number} */ received,
  ) => {
    // Where nobody who publishes was heard, each connection is taken for a subscriber of all.
    const workers = published === 0 ? countLinks(delivered) : Math.max(1, Math.round(received / published));
    const copies = delivered.includes(source) ? workers : 1;
    const transports = joined(transport, PUBLISHING);
    return { scenario: 'fan-out:way=native', workers, transports, isFromMaster: true, source, copies };
  };
  const queue = (
    /** @type {string} */ transport,
    /** @type {TrafficChannel[]} */ consumers,
    /** @type {TrafficChannel} */ jobs,
  ) => ({
    scenario: 'queue:way=native',
    workers: countLinks(consumers),
    transports: joined(transport, QUEUEING),
    isFromMaster: true,
    source: jobs,
    copies: 1,
  });
  if (mechanism === 'Redis') {
    const [published, listed, streamed] = [TOPIC, LIST, STREAM].map((each) => countCommands([channel], each));
    const brokered = published + listed + streamed;
    // A few of them among other commands, such as those that tell workers of a change, are not what the channel is for.
    if (brokered === 0 || 2 * brokered < channel.messages) return null;
    if (published >= Math.max(listed, streamed))
      return fanOut('redis-pubsub', countCommands(sent, PUBLISH), countCommands(delivered, DELIVERY));
    const jobs = findJobs(channel, having(OFFERING));
    if (listed >= streamed) return queue('redis-list', having(POP), jobs);
    const groups = having(GROUP);
    if (groups.length > 0) return queue('redis-streams:read=group', groups, jobs);
    const transports = `redis-streams,${NEAR}`;
    return { scenario: 'stream', workers: 1, transports, isFromMaster: false, source: jobs, copies: 1 };
  }
  if (pairs !== null) return null;
  if (mechanism === 'AMQP') return queue('rabbitmq', delivered, source);
  if (mechanism !== 'MQTT' && mechanism !== 'NATS') return null;
  const [published, received] = [sent, delivered].map((some) => sumBy(some, ({ messages }) => messages));
  return fanOut(mechanism === 'MQTT' ? 'mqtt' : 'nats', published, received);
}

/**
 * @param {TrafficChannel} channel   of a queue of Redis
 * @param {TrafficChannel[]} offering
 * @returns {TrafficChannel} with its jobs, where most messages of the channel are commands that take some
 */
function findJobs(channel, offering) {
  const countTaken = (/** @type {TrafficChannel} */ each) => countCommands([each], TAKING);
  const countOffered = (/** @type {TrafficChannel} */ each) => countCommands([each], OFFERING);
  if (2 * countTaken(channel) < channel.messages) return channel;
  const takesToo = (/** @type {TrafficChannel} */ each) => Number(countTaken(each) > 0);
  return findFirst(
    channel,
    offering,
    (one, other) => takesToo(one) - takesToo(other) || countOffered(other) - countOffered(one),
  );
}

/**
 * @param {TrafficChannel} chosen
 * @param {TrafficChannel[]} others
 * @param {(one: TrafficChannel, other: TrafficChannel) => number} order
 * @returns {TrafficChannel} the first of the others whose messages were looked at; the chosen one if there is none
 */
function findFirst(chosen, others, order) {
  return others.filter(({ sample }) => sample.length > 0).toSorted(order)[0] ?? chosen;
}

/** @param {TrafficChannel[]} channels @param {RegExp} pattern   of names */
function countCommands(channels, pattern) {
  const all = channels.flatMap(({ commands = {} }) => Object.entries(commands));
  return sumBy(all, ([name, count]) => (pattern.test(name) ? count : 0));
}

/** @param {string} present @param {string[]} others */
function joined(present, others) {
  return [present, ...others.filter((each) => each !== present)].join(',');
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
  if (/^(postMessage|MessagePort|BroadcastChannel)$/.test(mechanism)) {
    const codec = isText ? 'string,v8' : 'v8,json,msgpack';
    return { ...own, codec, reference: `${present}/${isText ? 'string' : 'v8'}` };
  }
  return {
    ...own,
    // The built-in channel serialises by itself.
    transport: isText ? replay.transports.replace(',pipe', '') : replay.transports,
    codec: isText ? 'string' : 'json,msgpack',
    reference: `${present}/${isText ? 'string' : 'json'}`,
  };
}
