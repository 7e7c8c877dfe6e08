// One connection to a NATS server. It fails fast and does not reconnect, which would hide lost messages in a measured launch. No
// error message contains a password.

import { connect } from 'node:net';
import { withoutBrackets } from '../../lib/channels/addresses.js';
import { BrokerConnection } from '../../lib/channels/brokers/broker-connection.js';
import { withDeadline } from '../../lib/children/with-deadline.js';

/** @import { BenchError } from '../../lib/errors.js' */
/** @import { ConnectionOptions, NatsConnection } from '@nats-io/transport-node' */

const CONNECT_DEADLINE_MS = 5_000;
const CLOSE_DEADLINE_MS = 1_000; // a server usually responds within milliseconds

/**
 * @param {string} url       nats:// or tls://; may contain user and password, or a token before the '@'
 * @param {(reason: BenchError) => void} onLost     called at most once, and not after `close`
 * @param {boolean} [isKnown]      true if this process is connected to the server already; skips the check of the protocol
 * @returns {Promise<{ connection: NatsConnection, state: BrokerConnection, close: () => Promise<void> }>}
 */
export async function openNats(url, onLost, isKnown = false) {
  const state = new BrokerConnection('NATS', url, onLost);
  const { connect } = await import('@nats-io/transport-node');
  const connecting = async () => {
    const options = connectOptions(url);
    if (!isKnown) await readInfo(new URL(url), CONNECT_DEADLINE_MS);
    return connect(options);
  };
  const connection = await connecting().catch((error) => {
    throw state.failure('cannot use', error);
  });
  watchErrors(connection, (error) => {
    state.noteError(error);
    // Closes the connection also on errors that the library ignores and that lose messages, such as a missing permission to publish.
    connection.close();
  });
  const closed = connection.closed().then((error) => {
    state.noteError(error ?? undefined);
    state.lose();
  });
  const close = async () => {
    const isFirst = !state.isClosing;
    state.isClosing = true;
    if (isFirst) await drain(connection);
    await closed;
  };
  return { connection, state, close };
}

/** @param {NatsConnection} connection @param {(error: Error) => void} onError */
async function watchErrors(connection, onError) {
  for await (const status of connection.status()) if (status.type === 'error') onError(status.error);
}

/**
 * Flushes the published messages and closes the connection. It has a deadline, since the library would wait for a hanging server without
 * limit.
 * @param {NatsConnection} connection
 */
async function drain(connection) {
  const drained = Promise.race([connection.drain().catch(() => {}), connection.closed()]);
  await withDeadline(drained, CLOSE_DEADLINE_MS, () => connection.close());
}

/** @param {string} url @returns {ConnectionOptions} */
function connectOptions(url) {
  const { protocol, host, username, password } = new URL(url);
  const [user, pass] = [username, password].map(decodeURIComponent);
  return {
    servers: host,
    ...(password === '' ? { token: user || undefined } : { user, pass }),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    name: 'ipc-bench',
    timeout: CONNECT_DEADLINE_MS,
    reconnect: false,
    ignoreClusterUpdates: true, // other servers of a cluster are not used
    noEcho: true,
  };
}

const DEFAULT_PORT = 4_222;
const GREETING = 'INFO ';

/**
 * Checks that a NATS server responds. After a timeout, the library does not close its socket, which keeps the process alive
 * (https://github.com/nats-io/nats.js/issues/64).
 * @param {{ hostname: string, port: string }} url
 * @param {number} deadlineMs
 * @returns {Promise<void>} rejects unless the first message is INFO
 */
function readInfo({ hostname, port }, deadlineMs) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: withoutBrackets(hostname), port: Number(port) || DEFAULT_PORT });
    socket.setTimeout(deadlineMs, () => socket.destroy(new Error(`no answer within ${deadlineMs} ms`)));
    socket.once('data', (chunk) => {
      const isNats = chunk.toString('latin1').startsWith(GREETING);
      socket.destroy(isNats ? undefined : new Error('it is no NATS'));
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (socket.bytesRead > 0) resolve();
      else reject(new Error('it hung up'));
    });
  });
}
