// One connection to Redis, and the topics that it publishes and subscribes to. It fails fast and does not reconnect, which would hide
// lost messages in a measured launch. No error message contains a password.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOrBuffer } from '../../codecs/wire-bytes.js';
import { BenchError } from '../../errors.js';
import { parsedUrl, parseSocketPath } from '../../format/socket-url.js';
import { isFurther } from '../admission.js';
import { BrokerConnection } from './broker-connection.js';

/** @import { Redis, RedisOptions } from 'ioredis' */

const CONNECT_DEADLINE_MS = 5_000;
const DISCONNECT_DEADLINE_MS = 500; // limits the wait for a server that hangs; the library would wait 2 s
const LOADING_RETRY_MS = 50;
const REFUSAL_DEADLINE_MS = 500; // a server refuses a client at once
const HUNG_UP = ['EPIPE', 'ECONNRESET'];

/**
 * @param {string} url       redis://, rediss://, unix://, redis+unix:// or the path of a unix socket
 * @param {(reason: BenchError) => void} onLost     called at most once, and not after `close`
 * @param {boolean} [isKnown]      true if this process is connected already; skips reading the version, and waiting until data is loaded
 * @param {boolean} [subscribes]   true if a loss may be due to the limit of Redis for subscribers that fall behind
 * @returns {Promise<{ client: Redis, server: string, close: () => Promise<void> }>}   `server` is name and version, or '' with `isKnown`
 */
export async function openRedis(url, onLost, isKnown = false, subscribes = false) {
  const connection = new BrokerConnection('Redis', url, onLost);
  const client = await makeClient(connection);
  client.on('error', (error) => connection.noteError(error));
  const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
  const close = async () => {
    connection.isClosing = true;
    if (client.status === 'end') return;
    client.disconnect();
    await ended;
  };
  const server = await openClient(client, connection, isKnown).catch(async (error) => {
    connection.noteError(error);
    await close();
    const refusal = isHangUp(connection.error) ? await readRefusal(client.options) : undefined;
    connection.error = refusal ?? connection.error;
    throw connection.failure('cannot use');
  });
  ended.then(async () => {
    if (subscribes && !connection.isClosing) connection.noteError(await readSubscriberLimit(client));
    connection.lose();
  });
  return { client, server, close };
}

/** @param {BrokerConnection} connection @returns {Promise<Redis>} not yet connected */
async function makeClient(connection) {
  const { url } = connection;
  const { Redis } = await import('ioredis');
  const options = {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    disconnectTimeout: DISCONNECT_DEADLINE_MS,
    // The check needs INFO. If a user may not call it, the library prints a warning.
    enableReadyCheck: false,
  };
  try {
    const path = parseSocketPath(url);
    return path === null ? new Redis(url, options) : new Redis({ ...socketOptions(url), path, ...options });
  } catch (error) {
    throw connection.failure('cannot read the address of', /** @type {Error} */ (error));
  }
}

/**
 * @param {Redis} client
 * @param {BrokerConnection} connection
 * @param {boolean} isKnown
 * @returns {Promise<string>} name and version of the server, '' with `isKnown`
 */
async function openClient(client, connection, isKnown) {
  let isLoading = false;
  // The library limits the time to connect, not the time until the server responds.
  const deadline = setTimeout(() => {
    const what = isLoading ? 'it still loads its data after' : 'no answer within';
    connection.noteError(new Error(`${what} ${CONNECT_DEADLINE_MS} ms`));
    client.disconnect();
  }, CONNECT_DEADLINE_MS);
  try {
    await client.connect();
    const server = isKnown ? '' : await readServerVersion(client);
    while (!isKnown && (await loads(client))) {
      isLoading = true;
      await sleep(LOADING_RETRY_MS);
    }
    // If the database does not exist, the library only emits an error, and uses database 0.
    if (connection.error !== undefined) throw connection.error;
    return server;
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * ioredis does not parse URLs of sockets. As in URLs of hosts, the query may contain any option of ioredis.
 * @param {string} url
 * @returns {RedisOptions}
 */
function socketOptions(url) {
  const parsed = /** @type {URL} */ (parsedUrl(url));
  // Clients in Rust use `user` and `pass`.
  const { user, pass, db = '0', ...others } = Object.fromEntries(parsed.searchParams);
  if (!/^\d+$/.test(db)) throw new Error('db is not the number of a database');
  return {
    ...others,
    username: decodeURIComponent(parsed.username) || user || others.username,
    password: decodeURIComponent(parsed.password) || pass || others.password,
    db: Number(db),
  };
}

/** @param {Redis} client @returns {Promise<string>} such as 'redis 7.0.15' */
async function readServerVersion(client) {
  const reply = /** @type {(string | number)[]} */ (await client.call('HELLO'));
  /** @param {string} name */
  const field = (name) => reply[reply.indexOf(name) + 1];
  if (field('proto') !== 3) throw new Error('it does not speak RESP3: version 6.2 or newer is needed');
  return `${field('server')} ${field('version')}`;
}

/** @param {Redis} client @returns {Promise<boolean>} true while Redis loads its data from disk and refuses most commands */
function loads(client) {
  return client.ping().then(
    () => false,
    (error) => {
      if (error.name !== 'ReplyError') throw error;
      return error.message.startsWith('LOADING'); // any other refusal means that the user may not call PING
    },
  );
}

/** @param {BrokerConnection['error']} error */
function isHangUp(error) {
  return HUNG_UP.includes(String(error?.code)) || error?.message === 'Connection is closed.';
}

/**
 * Redis sends an error to a client that it refuses, because of maxclients or its protected mode, and disconnects. The library writes
 * first, and fails before it reads that error. Over TLS there is no error to read.
 * @param {Pick<RedisOptions, 'path' | 'host' | 'port' | 'tls'>} server
 * @returns {Promise<Error | undefined>} the error that Redis sends before the client writes; undefined if it sends none
 */
function readRefusal({ path, host, port, tls }) {
  if (tls) return Promise.resolve(undefined);
  const socket = connect(path ? { path } : { host, port: Number(port) });
  let said = '';
  socket.once('data', (bytes) => {
    said = bytes.toString();
    socket.destroy();
  });
  socket.on('error', () => {}); // the caller reports the first error
  socket.setTimeout(REFUSAL_DEADLINE_MS, () => socket.destroy());
  return new Promise((resolve) => {
    socket.on('close', () => {
      const [, words] = /^-(.+)/.exec(said) ?? [];
      resolve(words === undefined ? undefined : new Error(words.trim()));
    });
  });
}

/**
 * Redis does not report that it closed a connection because of client-output-buffer-limit.
 * @param {Redis} lost
 * @returns {Promise<Error | undefined>} an error that contains the limit, if the server still responds and has one
 */
async function readSubscriberLimit(lost) {
  const client = lost.duplicate({ lazyConnect: true, connectTimeout: REFUSAL_DEADLINE_MS });
  client.on('error', () => {});
  const deadline = setTimeout(() => client.disconnect(), REFUSAL_DEADLINE_MS);
  try {
    await client.connect();
    const reply = JSON.stringify(await client.config('GET', 'client-output-buffer-limit'));
    const [, limit] = /pubsub ([1-9]\d* \d+ \d+)/.exec(reply) ?? [];
    if (limit === undefined) return undefined;
    return new Error(
      `it closed the connection, as it does if a subscriber falls behind its client-output-buffer-limit (pubsub ${limit}): send smaller messages, or lift it with CONFIG SET client-output-buffer-limit "pubsub 0 0 0"`,
    );
  } catch {
    return undefined; // the server is gone, or does not show its settings
  } finally {
    clearTimeout(deadline);
    client.disconnect();
  }
}

// Every publish must reach exactly the expected subscribers: fewer mean that the other end is gone, more that another client
// subscribes too and multiplies the deliveries.

/**
 * @param {string} url
 * @param {(reason: Error) => void} onLost
 * @param {object} [end]
 * @param {string} [end.workerId]   undefined in the master
 * @returns {Promise<import('./over-topics.js').Topics & { client: import('ioredis').Redis }>}   `client` is for commands that do
 *     not block
 */
export async function openTopics(url, onLost, { workerId = '' } = {}) {
  const { client, close } = await openRedis(url, onLost, isFurther(workerId), true);
  /** @type {Map<string, (bytes: Buffer) => void>} */
  const listeners = new Map();
  // Texts are received as Buffers too: the channel checks their length in bytes, and decodes them.
  client.on('messageBuffer', (topic, bytes) => {
    // If replies arrive out of order, these values may have any type.
    if (Buffer.isBuffer(topic) && Buffer.isBuffer(bytes)) listeners.get(topic.toString('latin1'))?.(bytes);
  });
  return {
    client,
    close,
    async subscribe(topic, onBytes) {
      listeners.set(topic, onBytes);
      try {
        await client.subscribe(topic);
      } catch (error) {
        throw new BenchError(
          'BROKER',
          `Redis refused a subscription: ${/** @type {Error} */ (error).message}`,
        );
      }
    },
    unsubscribe(topic) {
      listeners.delete(topic);
      // Unsubscribing fails only if the connection is lost, which ends the subscription.
      client.unsubscribe(topic).catch(() => {});
    },
    publisher(topic, refused, listeners = 1) {
      /** @param {number} receivers */
      const counted = (receivers) => {
        if (receivers !== listeners) refused(miscounted(receivers, listeners));
      };
      /** @param {Error} error */
      const failed = (error) => {
        // `onLost` reports a lost connection.
        if (client.status === 'ready') {
          refused(new BenchError('BROKER', `Redis did not publish a message: ${error.message}`));
        }
      };
      // ioredis converts views of bytes other than Buffers to strings.
      return (wire) => void client.publish(topic, textOrBuffer(wire)).then(counted, failed);
    },
  };
}

/** @param {number} receivers @param {number} listeners */
function miscounted(receivers, listeners) {
  const why =
    receivers < listeners ? 'the other end is gone' : 'another client of this Redis is subscribed as well';
  return new BenchError(
    'TRANSPORT',
    `a message reached ${receivers} receivers instead of ${listeners}: ${why}`,
  );
}
