// The Redis over which runs and agents exchange commands and control messages: names of keys, connections, and required rights. It carries
// no measured messages.

import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { redactText } from '../format/redact.js';
import { packageProblem } from '../machine/packages.js';
import { HEARTBEAT_MS } from './heartbeat.js';

/** @import { Redis } from 'ioredis' */

export const PREFIX = 'ipc-bench';
const CONNECT_DEADLINE_MS = 5_000;
const LEAVE_DEADLINE_MS = 1_000;
const MAX_RETRY_MS = 500;
const HANG_UP_MS = 100;
const RIGHTS_NEEDED =
  'its user needs the keys ipc-bench:*, and the commands of strings, hashes, lists, sorted sets, streams and scripts, INFO and SCAN';

/** @param {string} agent @returns name of the agent's command queue */
export const queueOf = (agent) => `agent-${agent}`;
/** @param {string} agent @returns key that exists while the agent is alive */
export const presenceKeyOf = (agent) => `${PREFIX}:present:${agent}`;
/** @param {string} agent @returns key of the stream of control messages to the agent */
export const inboxKeyOf = (agent) => `${PREFIX}:inbox:${agent}`;
/** @param {string} agent @returns key that exists while a run uses the agent; its value is a sealed Owner */
export const ownerKeyOf = (agent) => `${PREFIX}:turn:${agent}`;

/**
 * @param {string} option   option that needs BullMQ, for messages
 * @returns {Promise<Pick<typeof import('bullmq'), 'Queue' | 'QueueEvents' | 'Worker'>>}
 * @throws {BenchError} NOT_INSTALLED without BullMQ, an optional package
 */
export async function loadBullmq(option) {
  const reason = await packageProblem('bullmq');
  if (reason !== null) throw new BenchError('NOT_INSTALLED', `${option} cannot be used: ${reason}`);
  return import('bullmq');
}

/** @param {string} url @returns a client that is not yet connected, and reconnects after a restart of the server */
export async function makeRedis(url) {
  const { Redis } = await import('ioredis');
  return new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_DEADLINE_MS,
    // `disconnect` on a connection that is closed already keeps the process for this time, which is 2 s by default.
    disconnectTimeout: HANG_UP_MS,
    keepAlive: HEARTBEAT_MS,
    retryStrategy: (times) => Math.min(100 * times, MAX_RETRY_MS),
  });
}

/**
 * @param {string} url
 * @param {string} option   name of the option with the URL, for messages
 * @returns a connection that BullMQ may share
 * @throws {BenchError} HOST if the server cannot be reached or its user lacks rights
 */
export async function openControlRedis(url, option) {
  const client = await makeRedis(url);
  let connectionError = '';
  client.on('error', ({ message }) => {
    connectionError = message;
  });
  /** @param {string} why @param {string} next */
  const failure = (why, next) => {
    client.disconnect();
    return new BenchError(
      'HOST',
      redactText(`${option}: cannot use the Redis at ${url}: ${why}; ${next}`, [url]),
    );
  };
  try {
    await withDeadline(client.connect(), CONNECT_DEADLINE_MS, () => {
      throw new Error(`no answer within ${CONNECT_DEADLINE_MS} ms`);
    });
  } catch (error) {
    const why = connectionError || /** @type {Error} */ (error).message;
    throw failure(why, 'check that it runs, and its address and password');
  }
  try {
    await tryRights(client);
  } catch (error) {
    throw failure(/** @type {Error} */ (error).message, RIGHTS_NEEDED);
  }
  return client;
}

/** @param {Redis} client @throws {Error} NOPERM if a right is missing */
async function tryRights(client) {
  const key = `${PREFIX}:try:${process.pid}`;
  await client.set(key, 'x', 'PX', HEARTBEAT_MS);
  await client.eval(
    'redis.call("HSET", KEYS[1], "a", "b") return redis.call("DEL", KEYS[1])',
    1,
    `${key}:hash`,
  );
  await client.xadd(`${key}:stream`, 'MAXLEN', 1, '*', 'a', 'b');
  await client.del(key, `${key}:stream`);
  await client.info('server');
  await client.scan(0, 'MATCH', `${key}*`);
}

/** @param {Redis} client @returns an id of the server that does not depend on its address */
export async function readServerId(client) {
  return /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
}

/** Ignores errors of parts of BullMQ, which repeat those of their connection. @param {NodeJS.EventEmitter} part */
export function ignoreErrors(part) {
  part.on('error', () => {});
}

/**
 * Collects connections for `leaveInTime`, because BullMQ reconnects for ever if a server does not come back, and does not close meanwhile.
 * @param {Redis} client
 * @returns the client and all connections that are duplicated from it later
 */
export function trackConnections(client) {
  const all = [client];
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (options) => {
    const copy = duplicate(options);
    all.push(copy);
    return copy;
  };
  return all;
}

/** @param {Promise<unknown>} leaving   never settles if the server is gone @param {Redis[]} connections */
export async function leaveInTime(leaving, connections) {
  await withDeadline(leaving, LEAVE_DEADLINE_MS, () => {});
  for (const connection of connections) connection.disconnect();
}
