// One connection to a Redis, and the topics that it publishes and subscribes to. It fails fast and stays lost: a connection
// that came back inside a measured launch would hide what was lost with it. No error message contains a password.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOrBuffer } from '../../codecs/wire-bytes.js';
import { BenchError } from '../../errors.js';
import { redactText } from '../../format/redact.js';
import { parsedUrl, parseSocketPath } from '../../format/socket-url.js';
import { isFurther } from '../admission.js';

/** @import { Redis, RedisOptions } from 'ioredis' */

const CONNECT_DEADLINE_MS = 5_000;
const DISCONNECT_DEADLINE_MS = 500; // a server that stands still does not hang up; the library would wait 2 s
const LOADING_RETRY_MS = 50;
const REFUSAL_DEADLINE_MS = 500; // a server that refuses a client says so at once
const HUNG_UP = ['EPIPE', 'ECONNRESET'];

/**
 * @param {string} url       redis://, rediss://, unix://, redis+unix:// or the path of a unix socket
 * @param {(reason: BenchError) => void} onLost     at most once, and not when it was us who closed
 * @param {boolean} [isKnown]      this process is connected to it already: it is not asked what it is
 * @returns {Promise<{ client: Redis, server: string, close: () => Promise<void> }>}   server: its name and version, as far
 *     as it was asked
 */
export async function openRedis(url, onLost, isKnown = false) {
  const { Redis } = await import('ioredis');
  /** @type {Error | undefined} */
  let lastError;
  let isClosing = false;
  let isLoading = false;
  const secrets = url.includes('://') ? [url] : [];
  const failure = (/** @type {string} */ what) => {
    const why = lastError?.message || lastError || 'the connection was closed';
    // No `cause`: ioredis attaches the failed command to its errors, and AUTH is one.
    return new BenchError('BROKER', redactText(`${what} Redis at ${url}: ${why}`, secrets));
  };
  /** @type {Redis} */
  let client;
  try {
    const options = {
      lazyConnect: true,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      disconnectTimeout: DISCONNECT_DEADLINE_MS,
      // The check needs INFO, which a user may lack, and the library prints a line of its own then.
      enableReadyCheck: false,
    };
    const path = parseSocketPath(url);
    client = path === null ? new Redis(url, options) : new Redis({ ...socketOptions(url), path, ...options });
  } catch (error) {
    lastError = /** @type {Error} */ (error);
    throw failure('cannot read the address of');
  }
  client.on('error', (error) => {
    lastError ??= error;
  });
  const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
  const close = async () => {
    isClosing = true;
    if (client.status === 'end') return;
    client.disconnect();
    await ended;
  };
  // The library limits the time to connect, not the time until the server answers.
  const deadline = setTimeout(() => {
    const what = isLoading ? 'it still loads its data after' : 'no answer within';
    lastError ??= new Error(`${what} ${CONNECT_DEADLINE_MS} ms`);
    client.disconnect();
  }, CONNECT_DEADLINE_MS);
  try {
    await client.connect();
    const server = isKnown ? '' : await readServerVersion(client);
    while (!isKnown && (await loads(client))) {
      isLoading = true;
      await sleep(LOADING_RETRY_MS);
    }
    // Where the database does not exist, the library only emits an error, and uses the first one.
    if (lastError !== undefined) throw lastError;
    ended.then(() => {
      if (!isClosing) onLost(failure('lost the connection to'));
    });
    return { client, server, close };
  } catch (error) {
    lastError ??= /** @type {Error} */ (error);
    await close();
    if (isHangUp(lastError)) lastError = (await readRefusal(client.options)) ?? lastError;
    throw failure('cannot use');
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * ioredis reads no URL of a socket. As from those of hosts, it takes all of its options from the query.
 * @param {string} url      of a socket
 * @returns {RedisOptions}
 */
function socketOptions(url) {
  const parsed = /** @type {URL} */ (parsedUrl(url));
  // `user` and `pass` are what clients in Rust call them.
  const { user, pass, db = '0', ...others } = Object.fromEntries(parsed.searchParams);
  if (!/^\d+$/.test(db)) throw new Error('db is no number of a database');
  return {
    ...others,
    username: decodeURIComponent(parsed.username) || user || others.username,
    password: decodeURIComponent(parsed.password) || pass || others.password,
    db: Number(db),
  };
}

/** @param {Redis} client @returns {Promise<string>} 'redis 7.0.15' */
async function readServerVersion(client) {
  const reply = /** @type {(string | number)[]} */ (await client.call('HELLO'));
  const field = (/** @type {string} */ name) => reply[reply.indexOf(name) + 1];
  if (field('proto') !== 3) throw new Error('it does not speak RESP3: version 6.2 or newer is needed');
  return `${field('server')} ${field('version')}`;
}

/** @param {Redis} client @returns {Promise<boolean>} it refuses most commands until it has read its data from disk */
function loads(client) {
  return client.ping().then(
    () => false,
    (error) => {
      if (error.name !== 'ReplyError') throw error;
      return error.message.startsWith('LOADING'); // any other is of a user who may not ask
    },
  );
}

/** @param {Error & { code?: string }} error */
function isHangUp({ code = '', message }) {
  return HUNG_UP.includes(code) || message === 'Connection is closed.';
}

/**
 * Redis tells a client that it does not take, because there are too many or because of its protected mode, and hangs up.
 * The library has written to it by then, and fails before it reads. Over TLS such a Redis says nothing.
 * @param {Pick<RedisOptions, 'path' | 'host' | 'port' | 'tls'>} place
 * @returns {Promise<Error | undefined>} what it says to a client that does not write
 */
function readRefusal({ path, host, port, tls }) {
  if (tls) return Promise.resolve(undefined);
  const socket = connect(path ? { path } : { host, port: Number(port) });
  let said = '';
  socket.once('data', (bytes) => {
    said = bytes.toString();
    socket.destroy();
  });
  socket.on('error', () => {}); // it is gone: the first error stands
  socket.setTimeout(REFUSAL_DEADLINE_MS, () => socket.destroy());
  return new Promise((resolve) => {
    socket.on('close', () => {
      const [, words] = /^-(.+)/.exec(said) ?? [];
      resolve(words === undefined ? undefined : new Error(words.trim()));
    });
  });
}

// Every publish must reach exactly the expected subscribers: fewer means that the other end is gone, more that another client
// listens in and multiplies the deliveries (M-42).

/**
 * @param {string} url
 * @param {(reason: Error) => void} onLost
 * @param {object} [end]
 * @param {string} [end.workerId]   absent: the master
 * @returns {Promise<import('./over-topics.js').Topics & { client: import('ioredis').Redis }>}   the connection itself may do
 *     anything but wait
 */
export async function openTopics(url, onLost, { workerId = '' } = {}) {
  const { client, close } = await openRedis(url, onLost, isFurther(workerId));
  /** @type {Map<string, (bytes: Buffer) => void>} */
  const listeners = new Map();
  // The event with buffers for text as well: its length is then exact, and the text is decoded once, by the channel.
  client.on('messageBuffer', (topic, bytes) => {
    // Where replies came out of order, these may be anything.
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
          `Redis did not let us subscribe: ${/** @type {Error} */ (error).message}`,
        );
      }
    },
    unsubscribe(topic) {
      listeners.delete(topic);
      // It fails only with the connection, and with that the subscription is gone as well.
      client.unsubscribe(topic).catch(() => {});
    },
    publisher(topic, refused, listeners = 1) {
      const counted = (/** @type {number} */ receivers) => {
        if (receivers !== listeners) refused(miscounted(receivers, listeners));
      };
      const failed = (/** @type {Error} */ error) => {
        // `onLost` reports a lost connection, with its cause.
        if (client.status === 'ready') {
          refused(new BenchError('BROKER', `Redis did not publish a message: ${error.message}`));
        }
      };
      // Of any other view of bytes ioredis would send the text.
      return (wire) => void client.publish(topic, textOrBuffer(wire)).then(counted, failed);
    },
  };
}

/** @param {number} receivers @param {number} listeners */
function miscounted(receivers, listeners) {
  const why = receivers < listeners ? 'the other end is gone' : 'another client of this Redis listens in';
  return new BenchError(
    'TRANSPORT',
    `a message reached ${receivers} receivers instead of ${listeners}: ${why}`,
  );
}
