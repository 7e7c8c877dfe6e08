// The Redis by which runs and agents find each other: names of its keys, one connection that comes back by itself after a restart, what
// BullMQ needs of it, and the seal of what goes over it. Nothing that is measured does.

import { createCipheriv, createDecipheriv, randomBytes, scrypt, scryptSync } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
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

/** @param {string} agent @returns name of the queue of its orders */
export const queueOf = (agent) => `agent-${agent}`;
/** @param {string} agent @returns the key by which it says that it is there */
export const presenceKeyOf = (agent) => `${PREFIX}:present:${agent}`;
/** @param {string} agent @returns {string} the key of the stream in which other agents write control messages to it */
export const inboxKeyOf = (agent) => `${PREFIX}:inbox:${agent}`;
/** @param {string} agent @returns the key by which a run says that it is there, and at which launch */
export const turnKeyOf = (agent) => `${PREFIX}:turn:${agent}`;

/** @param {string} url @param {string} text @returns without what must not be seen of the URL */
export function shownText(url, text) {
  return redactText(text, [url]);
}

/**
 * @param {string} url
 * @param {string} option   by which it was given, for messages
 * @returns that BullMQ may share
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

/** @param {Redis} client @returns by which a server is known, whatever the name it was reached by */
export async function readServerId(client) {
  return /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
}

// What runner and agents say to each other by way of a server that others may read and write: sealed with the secret of the
// run, so that nobody else can read it, forge it, or pass it off for something else.
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const LEAST_PACKED_BYTES = 1_024;
const GZIP_MARK = 0x1f; // no JSON begins with it
const KEPT_KEYS = 1_024; // of ends that were heard last: a run has one for each agent, an agent one for each run

export class Seal {
  /** @param {string} secret   of runs and agents. Each of them draws a salt, and says it with all that it seals */
  constructor(secret) {
    this.secret = secret;
    this.salt = randomBytes(SALT_BYTES);
    /** @type {Map<string, Buffer>} by salt */
    this.keys = new Map();
    this.keep(this.salt, scryptSync(secret, this.salt, KEY_BYTES));
  }

  /** @param {Buffer} salt @param {Buffer} key */
  keep(salt, key) {
    this.keys.set(salt.toString('hex'), key);
    const [, oldest] = this.keys.keys();
    // The first one is its own.
    if (this.keys.size > KEPT_KEYS) this.keys.delete(oldest);
  }

  /** @param {unknown} value @param {string} purpose   what it is, and for whom */
  close(value, purpose) {
    const iv = randomBytes(IV_BYTES);
    const key = /** @type {Buffer} */ (this.keys.get(this.salt.toString('hex')));
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(purpose));
    const text = Buffer.from(JSON.stringify(value));
    // Compressing takes 20 times as long as sealing, and a controller sends thousands of short messages.
    const packed = text.length < LEAST_PACKED_BYTES ? text : gzipSync(text);
    const body = Buffer.concat([cipher.update(packed), cipher.final()]);
    return Buffer.concat([this.salt, iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /**
   * @param {unknown} text
   * @param {string} purpose
   * @returns {Promise<any>} as `open`: of an end that was not heard before, whose key takes some 50 ms, away from the event loop
   */
  async openFirst(text, purpose) {
    const salt = Buffer.from(String(text), 'base64').subarray(0, SALT_BYTES);
    if (!this.keys.has(salt.toString('hex'))) this.keep(salt, await keyOf(this.secret, salt));
    return this.open(text, purpose);
  }

  /**
   * @param {unknown} text
   * @param {string} purpose
   * @returns {any} undefined: it was sealed with another secret, for something else, or by an end of which nothing was opened before
   */
  open(text, purpose) {
    const all = Buffer.from(String(text), 'base64');
    const key = this.keys.get(all.subarray(0, SALT_BYTES).toString('hex'));
    const bytes = all.subarray(SALT_BYTES);
    if (key === undefined || bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const body = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
      const packed = Buffer.concat(body);
      const text = packed[0] === GZIP_MARK ? gunzipSync(packed) : packed;
      return JSON.parse(text.toString());
    } catch {
      return undefined;
    }
  }
}

/** @type {(secret: string, salt: Buffer) => Promise<Buffer>} */
const keyOf = (secret, salt) =>
  new Promise((resolve, reject) => {
    scrypt(secret, salt, KEY_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
  });

const LEAVE_DEADLINE_MS = 1_000;

/** @typedef {{ queue: import('bullmq').Queue, events: import('bullmq').QueueEvents, watch: import('bullmq').Worker }} Lane */

/** @param {typeof import('bullmq')} bullmq @param {string} agent @param {Redis} connection @returns {Lane} */
export function openLane({ Queue, QueueEvents, Worker }, agent, connection) {
  const name = queueOf(agent);
  const lane = {
    queue: new Queue(name, { connection, prefix: PREFIX }),
    // From the beginning: what happens before it first reads would be lost otherwise.
    events: new QueueEvents(name, { connection, prefix: PREFIX, lastEventId: '0-0' }),
    // It takes no job: somebody else than the agent has to see that one is stalled.
    watch: new Worker(name, null, { connection, ...WORKER_OPTIONS, autorun: false }),
  };
  for (const part of Object.values(lane)) ignoreErrors(part);
  return lane;
}

/** What is lost with the connection is told by the connection. @param {NodeJS.EventEmitter} part */
export function ignoreErrors(part) {
  part.on('error', () => {});
}

/**
 * BullMQ connects anew for ever where a server does not come back, and closes nothing meanwhile.
 * @param {Redis} client
 * @returns it, and all that will be made of it: for who ends them
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

/** @param {Promise<unknown>} leaving   that never ends, where the server is gone @param {Redis[]} connections */
export async function leftInTime(leaving, connections) {
  await withDeadline(leaving, LEAVE_DEADLINE_MS, () => {});
  for (const connection of connections) connection.disconnect();
}
