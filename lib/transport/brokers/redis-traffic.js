// What passes a Redis in topics, and what a foreign one is set to.

import { openRedis } from './redis-client.js';
import { openRedisGauge, questionBytes } from './redis-gauge.js';

/** @import { Traffic } from '../../types/index.js' */
/** @typedef {{ published: number, bytesIn: number, bytesOut: number, replyBytes: number, connections: number }} Reading */

const PUBLISH_REPLY_BYTES = 4; // ':1' and a line end
const FEWEST_PUBLISHED = 10; // for each connection that was made meanwhile
// What changes the speed of pub/sub or says that more than memory is involved.
const TELLING_SETTINGS = [
  'save',
  'appendonly',
  'appendfsync',
  'io-threads',
  'maxmemory',
  'client-output-buffer-limit',
];

/** @param {string} url */
export function openTopicGauge(url) {
  return openRedisGauge(url, toReading, passedBetween);
}

/** @param {import('./redis-gauge.js').Counters} counters @returns {Reading} */
function toReading({ stat, calls, replyBytes }) {
  return {
    published: calls('publish'),
    bytesIn: stat('total_net_input_bytes'),
    bytesOut: stat('total_net_output_bytes'),
    replyBytes,
    connections: stat('total_connections_received'),
  };
}

/**
 * Redis counts no deliveries, but bytes: `PUBLISH topic message` and the push that delivers it are equally long
 * ('publish' and 'message' have seven letters each), so that the ratio of the bytes out to those in is the number of
 * receivers of a message. Where workers connect again and again, most bytes are of other commands, and nothing follows.
 * Source: https://redis.io/docs/latest/develop/reference/protocol-spec/#pushes
 * @param {Reading} from
 * @param {Reading} to
 * @returns {Traffic}
 */
export function passedBetween(from, to) {
  const published = to.published - from.published;
  // A reading has counted its own question already, and its answer not yet.
  const bytesIn = to.bytesIn - from.bytesIn - questionBytes();
  const bytes = to.bytesOut - from.bytesOut - from.replyBytes;
  const pushedBytes = bytes - PUBLISH_REPLY_BYTES * published;
  if (to.connections - from.connections > published / FEWEST_PUBLISHED) {
    return { published, delivered: null, bytes };
  }
  return { published, delivered: bytesIn > 0 ? (published * pushedBytes) / bytesIn : 0, bytes };
}

/** @param {string} url @returns {Promise<{ version: string, config: Record<string, string> }>} */
export async function describeRedis(url) {
  const { client, server, close } = await openRedis(url, () => {});
  try {
    const pairs = await Promise.all(
      TELLING_SETTINGS.map(async (name) => {
        // A server that belongs to others may not let us read its settings.
        const answer = await client.config('GET', name).catch(() => null);
        const value =
          answer === null
            ? undefined
            : Object.values(/** @type {any} */ (answer))[Array.isArray(answer) ? 1 : 0];
        return [name, value === undefined ? 'unknown' : shown(String(value))];
      }),
    );
    return { version: server, config: Object.fromEntries(pairs) };
  } finally {
    await close();
  }
}

/** @param {string} value */
function shown(value) {
  return value === '' ? '""' : value;
}
