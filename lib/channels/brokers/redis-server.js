// Starts a private Redis for the runner, and counts the traffic of any Redis. A private server keeps everything in memory unless
// persist=everysec or always, has its own folder, and is reached by a unix socket that only its owner can open, or over TCP with a
// password.

import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../../errors.js';
import { quoted } from '../../format/printable.js';
import { sumBy } from '../../statistics/sum.js';
import { bindAddressOf, hostAndPort } from '../addresses.js';
import { socketPath } from '../sockets.js';
import { withRollback } from '../with-rollback.js';
import { freePort, makePassword, startPrivately, writeConfig } from './private-server.js';
import { openRedis } from './redis-client.js';

/** @import { BrokerStart, Traffic, TrafficGauge } from '../../types/index.js' */
/** @import { Persist } from './redis-broker.js' */

const FSYNC_POLICIES = ['everysec', 'always']; // values of appendfsync
// By default, Redis disconnects a subscriber that falls 32 MB behind, for which two messages of 16 MB suffice.
const NO_LIMIT = { 'client-output-buffer-limit': 'pubsub 0 0 0' };

/** @param {string} command     absolute path of the server @param {BrokerStart} start */
export function startRedis(command, start) {
  const { settings } = start;
  return startPrivately(start, 'redis', async (folder) => {
    const { url, shown, hidden } =
      settings.net === 'tcp' ? await overTcp(bindAddressOf(start)) : overUnixSocket(folder);
    const config = { ...shown, ...(await persistenceConfig(settings.persist, folder)), ...NO_LIMIT };
    const configPath = join(folder, 'redis.conf');
    await writeConfig(configPath, { ...config, ...hidden, dir: JSON.stringify(folder) });
    return {
      server: { command, args: [configPath] },
      secrets: url.includes('://') ? [url] : [],
      url,
      readyLine: /ready to accept connections/i,
      check: () => readServerName(url),
      config,
    };
  });
}

/** @param {string} folder */
function overUnixSocket(folder) {
  const path = socketPath({ scratchDir: folder, launchId: '', token: '' }, 'redis.sock');
  return {
    url: path,
    shown: { port: '0', unixsocketperm: '700' },
    hidden: { unixsocket: JSON.stringify(path) },
  };
}

/** @param {string} address */
async function overTcp(address) {
  const port = await freePort(address);
  const password = makePassword();
  return {
    url: `redis://:${password}@${hostAndPort(address, port)}`,
    shown: {},
    hidden: { bind: address, port: String(port), requirepass: password },
  };
}

/** @param {string} url @returns {Promise<{ version: string }>}   `version` includes the name of the server */
async function readServerName(url) {
  const { server, close } = await openRedis(url, () => {});
  await close();
  return { version: server };
}

// TMPFS_MAGIC and RAMFS_MAGIC of include/uapi/linux/magic.h
const FILE_SYSTEMS_IN_MEMORY = [0x0102_1994, 0x8584_58f6];

/**
 * @param {Persist} persist
 * @param {string} folder
 * @returns {Promise<Record<string, string>>} lines of redis.conf
 * @throws {BenchError} BROKER
 */
export async function persistenceConfig(persist, folder) {
  if (persist === undefined || persist === 'none') return { save: '""', appendonly: 'no' };
  // Other values are rejected, since the value becomes a line of redis.conf.
  if (!FSYNC_POLICIES.includes(String(persist)))
    throw new BenchError('BROKER', `persist=${quoted(String(persist))} is none of none,${FSYNC_POLICIES}`);
  const { type } = await statfs(folder);
  if (process.platform === 'linux' && FILE_SYSTEMS_IN_MEMORY.includes(type)) {
    throw new BenchError(
      'BROKER',
      `persist=${persist} would write to memory, since the temporary folder is not on a disk; set TMPDIR to a folder that is`,
    );
  }
  return { save: '""', appendonly: 'yes', appendfsync: String(persist) };
}

// The traffic of a Redis is the difference between two readings of its counters, over a connection that is not measured.

/**
 * @typedef {{ published: number, bytesIn: number, bytesOut: number, replyBytes: number, connections: number }} RedisCounters   published:
 *   number of messages; replyBytes: size of the replies with these counters; connections: number opened so far
 */

const PUBLISH_REPLY_BYTES = 4; // ':1' and a line end
const MIN_PUBLISHED = 10; // with fewer publishes per new connection, `delivered` is unknown
// Settings that change the speed of pub/sub, or show that Redis writes to the disk.
const REPORTED_SETTINGS = [
  'save',
  'appendonly',
  'appendfsync',
  'io-threads',
  'maxmemory',
  'client-output-buffer-limit',
];

/** @param {string} url */
export function openTopicGauge(url) {
  return openRedisGauge(url, readTopicCounters, passedBetween);
}

/** @param {Counters} counters */
function readTopicCounters({ stat, calls, replyBytes }) {
  return {
    published: calls('publish'),
    bytesIn: stat('total_net_input_bytes'),
    bytesOut: stat('total_net_output_bytes'),
    replyBytes,
    connections: stat('total_connections_received'),
  };
}

/**
 * Redis does not count deliveries, but bytes: `PUBLISH topic message` and the push that delivers it have the same length ('publish' and
 * 'message' have seven letters each), so the ratio of bytes out to bytes in is the number of receivers of a message. If workers
 * connect again and again, most bytes belong to other commands, and `delivered` is null.
 * Source: https://redis.io/docs/latest/develop/reference/protocol-spec/#pushes
 * @param {RedisCounters} from
 * @param {RedisCounters} to
 * @returns {Traffic}
 */
export function passedBetween(from, to) {
  const published = to.published - from.published;
  // A reading contains its own request, but not its reply.
  const bytesIn = to.bytesIn - from.bytesIn - questionBytes();
  const bytes = to.bytesOut - from.bytesOut - from.replyBytes;
  const pushedBytes = bytes - PUBLISH_REPLY_BYTES * published;
  if (to.connections - from.connections > published / MIN_PUBLISHED) {
    return { published, delivered: null, bytes };
  }
  return { published, delivered: bytesIn > 0 ? (published * pushedBytes) / bytesIn : 0, bytes };
}

/** @param {string} url @returns {Promise<{ version: string, config: Record<string, string> }>} */
export async function describeRedis(url) {
  const { client, server, close } = await openRedis(url, () => {});
  try {
    const pairs = await Promise.all(
      REPORTED_SETTINGS.map(async (name) => {
        // A server that the user gives by URL may refuse to show its settings.
        const result = await client.config('GET', name).catch(() => null);
        const value = result === null ? undefined : Object.values(result)[Array.isArray(result) ? 1 : 0];
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

// Commands that write to queues, and commands that read from them
const GIVING = ['lpush', 'xadd'];
const TAKING = ['brpop', 'blmove'];
const TAKING_MANY = ['blmpop', 'xread', 'xreadgroup']; // one call may take several messages

/** @param {string} url */
export function openQueueGauge(url) {
  return openRedisGauge(url, readQueueCounters, passedInQueues);
}

/** @param {Counters} counters */
function readQueueCounters({ stat, calls, replyBytes }) {
  /** @param {string[]} names */
  const callsOf = (names) => sumBy(names, calls);
  return {
    given: callsOf(GIVING),
    taken: callsOf(TAKING),
    takenManyAtOnce: callsOf(TAKING_MANY),
    bytesOut: stat('total_net_output_bytes'),
    replyBytes,
  };
}

/** @param {ReturnType<typeof readQueueCounters>} from @param {ReturnType<typeof readQueueCounters>} to */
function passedInQueues(from, to) {
  return {
    published: to.given - from.given,
    delivered: to.takenManyAtOnce > from.takenManyAtOnce ? null : to.taken - from.taken,
    bytes: to.bytesOut - from.bytesOut - from.replyBytes,
  };
}

/**
 * @typedef {object} Counters
 * @property {(name: string) => number} stat       such as 'total_net_output_bytes'; 0 if Redis does not report it
 * @property {(name: string) => number} calls
 * @property {number} replyBytes                   size of the replies with these counters
 */

const SECTIONS = ['stats', 'commandstats'];

/**
 * @template Reading
 * @param {string} url
 * @param {(counters: Counters) => Reading} read
 * @param {(from: Reading, to: Reading) => Traffic} passedBetween
 * @returns {Promise<TrafficGauge>}
 */
async function openRedisGauge(url, read, passedBetween) {
  const { client, close } = await openRedis(url, () => {});
  const reading = async () => read(await readCounters(client));
  const from = await withRollback(close, reading);
  return { passed: async () => passedBetween(from, await reading()), close };
}

/** @param {import('ioredis').Redis} client @returns {Promise<Counters>} */
async function readCounters(client) {
  // Sent in one tick, so that the server reads both at once.
  const [stats, commands] = await Promise.all(SECTIONS.map((section) => client.info(section)));
  /** @param {string} start @param {string} text */
  const number = (start, text) => Number(new RegExp(`^${start}(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    stat: (name) => number(`${name}:`, stats),
    calls: (name) => number(`cmdstat_${name}:calls=`, commands),
    replyBytes: verbatimBytes(stats) + verbatimBytes(commands),
  };
}

/** @returns {number} size of the requests of one reading, in bytes */
function questionBytes() {
  return sumBy(SECTIONS, (section) => `*2\r\n$4\r\ninfo\r\n$${section.length}\r\n${section}\r\n`.length);
}

/** @param {string} text @returns {number} size of a RESP3 verbatim string with this text, in bytes */
function verbatimBytes(text) {
  const bytes = Buffer.byteLength(text) + 'txt:'.length;
  return `=${bytes}\r\n`.length + bytes + '\r\n'.length;
}
