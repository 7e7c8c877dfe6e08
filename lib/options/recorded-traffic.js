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

/** Transports beside the present one, which stands first; pools have tasks only. */
const TRANSPORTS = Object.freeze({
  processes: 'pipe,unix,tcp,threads-message',
  threads: 'threads-message,threads-shared,unix,pipe',
});
const POOLS = Object.freeze({
  processes: 'pipe,unix,cluster,tinypool:runtime=child_process,threads-message',
  threads: 'threads-message,piscina,tinypool,workerpool',
});

/**
 * How a run repeats the messages of a channel.
 * @typedef {object} Replay
 * @property {TrafficChannel} channel   of the requests, where it is one of responses
 * @property {boolean} isAnswered
 * @property {boolean} isFromMaster     the master sends the messages
 * @property {string} row               the present way: 'pipe/json'
 * @property {Record<'scenario' | 'workers' | 'transport' | 'codec' | 'reference', string>} texts   of options; workers: in closed loops
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
  const replay = describeReplay(recorded, chosen, find('scenario')?.texts);
  const { channel, texts } = replay;
  const speed = readFlag(find, 'speed');
  const isRecorded = rate?.texts.includes(RECORDED) ?? speed !== undefined;
  if (speed !== undefined && !isRecorded)
    refuse(
      /** @type {any} */ (rate).source,
      'contradicts --speed, which is times the recorded rate; give one of the two',
    );
  const layer = fixedLayer(
    {
      ...texts,
      // Bursts are not to wait for a loop.
      ...(isRecorded && { workers: shapeOf(replay, 0.99) }),
      ...(isRecorded && channel.arrivals.length > 1 && { arrivals: RECORDED }),
    },
    traffic.source.label,
  );
  if (isRecorded) {
    const perSecond = readRate(channel) * (speed ?? 1);
    const given = {
      texts: [String(Math.max(1, Math.round(perSecond)))],
      source: traffic.source,
    };
    if (rate === undefined) layer.rate = given;
    else rate.texts = given.texts;
  }
  const responses = replay.isAnswered ? findResponses(recorded, channel) : null;
  return { path, channel, responses, layer };
}

/** @param {TrafficChannel} channel @returns {number} messages a second, while there were any */
export function readRate({ messages, firstMs, lastMs }) {
  const ms = Number(lastMs) - Number(firstMs);
  return ms > 0 ? Math.max(1, Math.round((messages / ms) * MS_PER_S)) : messages;
}

/**
 * @param {Pick<Traffic, 'channels'>} traffic
 * @param {TrafficChannel} chosen
 * @param {string[]} [scenarios]   that the user names
 * @returns {Replay}
 */
export function describeReplay(traffic, chosen, scenarios) {
  const channel = findRequests(traffic, chosen);
  const { mechanism, serialisation, links, atOnce = links, pairs, fromMaster } = channel;
  const kind = mechanism === 'process.send' ? 'processes' : 'threads';
  const isAnswered = pairs !== null;
  // A parent that sends requests to several children hands out tasks. With a single one the direction makes no difference.
  const isTask = isAnswered && fromMaster === true && atOnce > 1;
  const hasPools = isTask && (scenarios?.some((each) => each.startsWith('task')) ?? true);
  const isText = messageFormat(channel) === 'text';
  const own = kind === 'processes' ? serialisation : isText ? 'string' : 'v8';
  const others = isText ? [own === 'string' ? 'v8' : 'string'] : ['json', 'v8', 'msgpack'];
  const transport = (hasPools ? POOLS : TRANSPORTS)[kind];
  const row = `${transport.split(',')[0]}/${own}`;
  const replay = { channel, isAnswered, isFromMaster: isTask || (!isAnswered && fromMaster === true), row };
  return {
    ...replay,
    texts: {
      scenario: isTask
        ? 'task'
        : isAnswered
          ? 'round-trip'
          : fromMaster
            ? 'stream:direction=to-worker'
            : 'stream',
      workers: shapeOf(replay, 0.5),
      transport,
      codec: [own, ...others.filter((each) => each !== own)].join(','),
      reference: row,
    },
  };
}

/** @param {Pick<Traffic, 'channels'>} traffic @param {TrafficChannel} channel @returns {TrafficChannel} of the requests, if most of its messages are responses */
function findRequests({ channels }, channel) {
  if (channel.pairs !== null) return channel;
  const requests = channels.find((each) => findResponses({ channels }, each) === channel);
  if (requests === undefined || requests.sample.length === 0) return channel;
  return 2 * Number(requests.pairs?.paired) >= channel.messages ? requests : channel;
}

/** @param {Pick<Replay, 'channel'>} replay @param {number} share   a percentile of the requests in flight @returns {string} '2x4' */
function shapeOf({ channel: { links, atOnce = links, pairs } }, share) {
  const inFlight = pairs === null ? 1 : Math.round(readPercentile(pairs.inFlight, share));
  return `${Math.min(MOST_WORKERS, atOnce)}x${Math.min(MOST_LOOPS, Math.max(1, inFlight))}`;
}
