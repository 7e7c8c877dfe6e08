// How what passes a Redis is read, from outside of the conversation that is measured (M-42): its own counters before and
// after. Which of them count is a transport's.

import { sumBy } from '../../statistics/sum.js';
import { withRollback } from '../with-rollback.js';
import { openRedis } from './redis-client.js';

/** @import { Traffic, TrafficGauge } from '../../types/index.js' */
/**
 * What a Redis says of itself.
 * @typedef {object} Counters
 * @property {(name: string) => number} stat       such as 'total_net_output_bytes'; 0 where it is not told
 * @property {(name: string) => number} calls      of a command
 * @property {number} replyBytes                   that telling all this took
 */

const SECTIONS = ['stats', 'commandstats'];

/**
 * @template Reading
 * @param {string} url
 * @param {(counters: Counters) => Reading} read
 * @param {(from: Reading, to: Reading) => Traffic} passedBetween
 * @returns {Promise<TrafficGauge>}
 */
export async function openRedisGauge(url, read, passedBetween) {
  const { client, close } = await openRedis(url, () => {});
  const reading = async () => read(await readCounters(client));
  const from = await withRollback(close, reading);
  return { passed: async () => passedBetween(from, await reading()), close };
}

/** @param {import('ioredis').Redis} client @returns {Promise<Counters>} */
async function readCounters(client) {
  // Sent in one tick, so that the server reads both in one go.
  const [stats, commands] = await Promise.all(SECTIONS.map((section) => client.info(section)));
  const number = (/** @type {string} */ start, /** @type {string} */ text) =>
    Number(new RegExp(`^${start}(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    stat: (name) => number(`${name}:`, stats),
    calls: (name) => number(`cmdstat_${name}:calls=`, commands),
    replyBytes: verbatimBytes(stats) + verbatimBytes(commands),
  };
}

/** @returns {number} what one reading asks with */
export function questionBytes() {
  return sumBy(SECTIONS, (section) => `*2\r\n$4\r\ninfo\r\n$${section.length}\r\n${section}\r\n`.length);
}

/** @param {string} text   of a RESP3 verbatim string @returns {number} with all that is around it */
function verbatimBytes(text) {
  const bytes = Buffer.byteLength(text) + 'txt:'.length;
  return `=${bytes}\r\n`.length + bytes + '\r\n'.length;
}
