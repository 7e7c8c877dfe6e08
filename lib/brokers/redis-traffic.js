// What passes a Redis, read from outside of the conversation that is measured (M-42), and what a foreign one is set to.

import { openRedis } from './redis-client.js';

/** @import { Traffic } from '../types/transports.js' */
/** @import { Redis } from 'ioredis' */
/** @typedef {{ published: number, bytesIn: number, bytesOut: number, replyBytes: number }} Reading */

const SECTIONS = ['stats', 'commandstats'];
const PUBLISH_REPLY_BYTES = 4; // ':1' and a line end
// What changes the speed of pub/sub or says that more than memory is involved.
const TELLING_SETTINGS = [
  'save',
  'appendonly',
  'appendfsync',
  'io-threads',
  'maxmemory',
  'client-output-buffer-limit',
];

/**
 * @param {string} url
 * @returns {Promise<import('../types/transports.js').TrafficGauge>}
 */
export async function openRedisGauge(url) {
  const { client, close } = await openRedis(url, () => {});
  const from = await readingOf(client).catch(async (error) => {
    await close();
    throw error;
  });
  return { passed: async () => passedBetween(from, await readingOf(client)), close };
}

/**
 * @param {Redis} client
 * @returns {Promise<Reading>}
 */
async function readingOf(client) {
  // Sent in one tick, so that the server reads both in one go.
  const [stats, commands] = await Promise.all(SECTIONS.map((section) => client.info(section)));
  const number = (/** @type {RegExp} */ pattern, /** @type {string} */ text) =>
    Number(pattern.exec(text)?.[1] ?? 0);
  return {
    published: number(/^cmdstat_publish:calls=(\d+)/m, commands),
    bytesIn: number(/^total_net_input_bytes:(\d+)/m, stats),
    bytesOut: number(/^total_net_output_bytes:(\d+)/m, stats),
    replyBytes: verbatimBytes(stats) + verbatimBytes(commands),
  };
}

/**
 * Redis counts no deliveries, but bytes: `PUBLISH topic message` and the push that delivers it are equally long
 * ('publish' and 'message' have seven letters each), so that the ratio of the bytes out to those in is the number of
 * receivers of a message.
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
  return { published, delivered: bytesIn > 0 ? (published * pushedBytes) / bytesIn : 0, bytes };
}

function questionBytes() {
  return SECTIONS.map((section) => `*2\r\n$4\r\ninfo\r\n$${section.length}\r\n${section}\r\n`.length).reduce(
    (sum, bytes) => sum + bytes,
  );
}

/** @param {string} text   of a RESP3 verbatim string @returns {number} with all that is around it */
export function verbatimBytes(text) {
  const bytes = Buffer.byteLength(text) + 'txt:'.length;
  return `=${bytes}\r\n`.length + bytes + '\r\n'.length;
}

/**
 * @param {string} url
 * @returns {Promise<{ version: string, config: Record<string, string> }>}
 */
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
