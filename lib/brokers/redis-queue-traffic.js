// What passes a Redis in queues, read from outside of the conversation that is measured (M-42): the calls of commands that
// give it a message, or take one.

import { openRedis } from './redis-client.js';
import { verbatimBytes } from './redis-traffic.js';

const GIVING = ['lpush', 'xadd'];
const TAKING = ['brpop', 'blmove'];
const TAKING_MANY = ['blmpop', 'xread', 'xreadgroup']; // one call, however much it took

/**
 * @param {string} url
 * @returns {Promise<import('../types/transports.js').TrafficGauge>}
 */
export async function openQueueGauge(url) {
  const { client, close } = await openRedis(url, () => {});
  const from = await readingOf(client).catch(async (error) => {
    await close();
    throw error;
  });
  return { passed: async () => passedBetween(from, await readingOf(client)), close };
}

/** @param {import('ioredis').Redis} client */
async function readingOf(client) {
  // Sent in one tick, so that the server reads both in one go.
  const [stats, commands] = await Promise.all([client.info('stats'), client.info('commandstats')]);
  const calls = (/** @type {string[]} */ names) =>
    names
      .map((name) => Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(commands)?.[1] ?? 0))
      .reduce((sum, count) => sum + count);
  return {
    given: calls(GIVING),
    taken: calls(TAKING),
    takenManyAtOnce: calls(TAKING_MANY),
    bytesOut: Number(/^total_net_output_bytes:(\d+)/m.exec(stats)?.[1] ?? 0),
    replyBytes: verbatimBytes(stats) + verbatimBytes(commands),
  };
}

/**
 * @param {Awaited<ReturnType<typeof readingOf>>} from
 * @param {Awaited<ReturnType<typeof readingOf>>} to
 * @returns {import('../types/transports.js').Traffic}
 */
export function passedBetween(from, to) {
  return {
    published: to.given - from.given,
    delivered: to.takenManyAtOnce > from.takenManyAtOnce ? null : to.taken - from.taken,
    bytes: to.bytesOut - from.bytesOut - from.replyBytes,
  };
}
