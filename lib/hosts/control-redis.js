// The Redis by which runner and agents find each other: names of its keys, and one connection to it that comes back by itself
// after it was restarted. Nothing that is measured travels over it.

import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { redactText } from '../format/redact.js';

/** @import { Redis } from 'ioredis' */

export const PREFIX = 'ipc-bench';
/** How long a sign of life holds; it is renewed every second. */
export const LIFE_MS = 3_000;
export const RENEW_MS = 1_000;
const CONNECT_DEADLINE_MS = 5_000;
const LONGEST_RETRY_MS = 500;

/**
 * Of BullMQ: no order is ever done a second time. A lock holds as long as a sign of life, and is renewed often: an agent whose
 * host starts many processes at once comes late to what it does by the clock.
 */
export const WORKER_OPTIONS = Object.freeze({
  prefix: PREFIX,
  concurrency: 1,
  lockDuration: LIFE_MS,
  lockRenewTime: 500,
  stalledInterval: 1_000,
  maxStalledCount: 0,
});

/** @param {string} agent @returns {string} name of the queue of its orders */
export const queueOf = (agent) => `agent-${agent}`;
/** @param {string} agent @returns {string} the key by which it says that it is there */
export const presenceKeyOf = (agent) => `${PREFIX}:present:${agent}`;
/** @param {string} agent @returns {string} the key by which a run says that it is there, and at which launch */
export const turnKeyOf = (agent) => `${PREFIX}:turn:${agent}`;

/** @param {string} url @param {string} text @returns {string} without what must not be seen of the URL */
export function shownText(url, text) {
  return redactText(text, [url]);
}

/**
 * @param {string} url
 * @param {string} option   by which it was given, for messages
 * @returns {Promise<Redis>} that BullMQ may share
 * @throws {BenchError} HOST: it cannot be reached, or may not do what this needs
 */
export async function openControlRedis(url, option) {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_DEADLINE_MS,
    keepAlive: RENEW_MS,
    retryStrategy: (times) => Math.min(100 * times, LONGEST_RETRY_MS),
  });
  /** @type {Error | undefined} */
  let lastError;
  client.on('error', (error) => {
    lastError = error;
  });
  /** @param {unknown} error @param {string} next */
  const failure = (error, next) => {
    client.disconnect();
    const why = lastError?.message || /** @type {Error} */ (error).message;
    return new BenchError(
      'HOST',
      shownText(url, `${option}: cannot use the Redis at ${url}: ${why}; ${next}`),
    );
  };
  try {
    await withDeadline(client.connect(), CONNECT_DEADLINE_MS, () => {
      throw new Error(`no answer within ${CONNECT_DEADLINE_MS} ms`);
    });
  } catch (error) {
    throw failure(error, 'check that it runs, and its address and password');
  }
  try {
    await tryRights(client);
  } catch (error) {
    lastError = undefined;
    throw failure(error, RIGHTS_NEEDED);
  }
  return client;
}

const RIGHTS_NEEDED =
  'its user needs the keys ipc-bench:*, and the commands of strings, hashes, lists, sorted sets, streams and scripts, INFO and SCAN';

/** @param {Redis} client @throws {Error} of the server: NOPERM where its user may not */
async function tryRights(client) {
  const key = `${PREFIX}:try:${process.pid}`;
  await client.set(key, 'x', 'PX', RENEW_MS);
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

/** @param {Redis} client @returns {Promise<string>} by which a server is known, whatever the name it was reached by */
export async function readServerId(client) {
  return /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
}
