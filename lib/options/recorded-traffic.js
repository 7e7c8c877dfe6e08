// --traffic: a channel of a recorded program → the options of a run that repeats it. Each of them can be given otherwise.

import { MS_PER_S } from '../format/units.js';
import { findChannel, findResponses, messageFormat, readTraffic } from '../record/traffic-file.js';
import { readPercentile } from '../record/weighted-histogram.js';
import { fixedLayer, readFlag } from './layers.js';
import { refuse } from './quantities.js';

/** @import { TrafficChannel } from '../record/traffic-file.js' */
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
  MQTT: `mqtt,${NEAR}`,
  AMQP: `rabbitmq,${NEAR}`,
  NATS: `nats,${NEAR}`,
  ZeroMQ: `zeromq,${NEAR}`,
});

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
  const channel = findChannel(recorded, readFlag(find, 'channel'), path);
  const responses = findResponses(recorded, channel);
  const speed = readFlag(find, 'speed');
  const isRecorded = rate?.texts.includes(RECORDED) ?? speed !== undefined;
  if (speed !== undefined && !isRecorded)
    refuse(
      /** @type {any} */ (rate).source,
      'contradicts --speed, which is times the recorded rate; give one of the two',
    );
  const texts = textsFor(channel, isRecorded);
  const layer = fixedLayer(
    isRecorded && channel.arrivals.length > 1 ? { ...texts, arrivals: RECORDED } : texts,
    traffic.source.label,
  );
  if (isRecorded) {
    const given = {
      texts: [String(Math.max(1, Math.round(readRate(channel) * (speed ?? 1))))],
      source: traffic.source,
    };
    if (rate === undefined) layer.rate = given;
    else rate.texts = given.texts;
  }
  return { path, channel, responses, layer };
}

/** @param {TrafficChannel} channel @returns {number} messages a second, while there were any */
export function readRate({ messages, firstMs, lastMs }) {
  const ms = Number(lastMs) - Number(firstMs);
  return ms > 0 ? Math.max(1, Math.round((messages / ms) * MS_PER_S)) : messages;
}

/** @param {TrafficChannel} channel @returns {string} the row that represents the program: 'pipe/json' */
export function recordedRow(channel) {
  return textsFor(channel, false).reference;
}

/** @param {TrafficChannel} channel @returns {string} '1x4', in closed loops */
export function recordedShape(channel) {
  return textsFor(channel, false).workers;
}

/** @param {TrafficChannel} channel @returns {string | undefined} undefined: it is none of sockets */
function transportsOfSocket({ mechanism, commands = {} }) {
  if (mechanism !== 'Redis') return TRANSPORTS_OF_SOCKETS[mechanism];
  const total = (/** @type {RegExp} */ pattern) =>
    Object.entries(commands).reduce((sum, [name, count]) => sum + (pattern.test(name) ? count : 0), 0);
  const [lists, streams] = [total(/PUSH|POP|LMOVE/), total(/^X/)];
  const published = total(/^PUBLISH$/);
  const transport =
    lists > Math.max(streams, published)
      ? 'redis-list'
      : streams > published
        ? 'redis-streams'
        : 'redis-pubsub';
  return `${transport},${NEAR}`;
}

/** @param {TrafficChannel} channel @param {boolean} isOpen   bursts are not to wait for a loop @returns {Record<string, string>} */
function textsFor(channel, isOpen) {
  const { mechanism, serialisation, links, atOnce = links, pairs } = channel;
  const isText = messageFormat(channel) === 'text';
  const inFlight = pairs === null ? 1 : Math.round(readPercentile(pairs.inFlight, isOpen ? 0.99 : 0.5));
  const workers = Math.min(MOST_WORKERS, atOnce);
  const loops = Math.min(MOST_LOOPS, Math.max(1, inFlight));
  const isAnswered = pairs !== null || mechanism.startsWith('HTTP');
  const scenario = mechanism === 'BroadcastChannel' ? 'fan-out' : isAnswered ? 'round-trip' : 'stream';
  const common = { workers: `${workers}x${loops}`, scenario };
  if (mechanism === 'process.send') {
    const codec = isText ? 'json,string' : 'json,v8,msgpack';
    const reference = `pipe/${serialisation}`;
    return {
      ...common,
      transport: 'pipe,unix,tcp,threads-message',
      codec: isText && serialisation === 'v8' ? 'v8,string' : codec,
      reference,
    };
  }
  const sockets = transportsOfSocket(channel);
  if (sockets !== undefined) {
    const [transport] = sockets.split(',');
    const codecs = isText ? 'string' : 'json,msgpack';
    const reference = `${transport}/${isText ? 'string' : 'json'}`;
    // The built-in channel serialises by itself.
    const transports = isText ? sockets.replace(',pipe', '') : sockets;
    return { ...common, transport: transports, codec: codecs, reference };
  }
  const codec = isText ? 'string,v8' : 'v8,json,msgpack';
  return {
    ...common,
    transport: 'threads-message,threads-shared,unix,pipe',
    codec,
    reference: `threads-message/${isText ? 'string' : 'v8'}`,
  };
}
