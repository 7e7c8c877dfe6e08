// One connection to a NATS. It fails fast and stays lost: a connection that came back inside a measured launch would
// hide what was lost with it. No text that leaves here holds a password.

import { connect } from 'node:net';
import { withDeadline } from '../../lib/children/with-deadline.js';
import { BenchError } from '../../lib/errors.js';
import { redactText } from '../../lib/format/redact.js';
import { withoutBrackets } from '../../lib/transport/admission.js';

/** @import { ConnectionOptions, NatsConnection } from '@nats-io/transport-node' */

const CONNECT_DEADLINE_MS = 5_000;
const CLOSE_DEADLINE_MS = 1_000; // a server that lives answers within milliseconds

/**
 * @param {string} url       nats:// or tls://, with user and password, or with a token in front of the '@'
 * @param {(reason: BenchError) => void} onLost     at most once, and not when it was us who closed
 * @param {boolean} [isKnown]      this process is connected to it already: it need not be told from something else
 * @returns {Promise<{ connection: NatsConnection, failure: (what: string) => BenchError, close: () => Promise<void> }>}
 *     failure: an error about this server, with the first cause that is known
 */
export async function openNats(url, onLost, isKnown = false) {
  /** @type {(Error & { code?: string }) | undefined} */
  let firstError;
  let isClosing = false;
  const failure = (/** @type {string} */ what) => {
    const why = firstError?.message || firstError?.code || 'it hung up';
    return new BenchError('BROKER', redactText(`${what} NATS at ${url}: ${why}`, [url]));
  };
  const { connect } = await import('@nats-io/transport-node');
  const connecting = async () => {
    const options = connectOptions(url);
    if (!isKnown) await readInfo(new URL(url), CONNECT_DEADLINE_MS);
    return connect(options);
  };
  const connection = await connecting().catch((error) => {
    firstError = error;
    throw failure('cannot use');
  });
  watchErrors(connection, (error) => {
    firstError ??= error;
    // The library goes on after some errors, such as a subject that we may not publish to: then messages are lost.
    connection.close();
  });
  const closed = connection.closed().then((error) => {
    firstError ??= error ?? undefined;
    if (!isClosing) onLost(failure('lost the connection to'));
  });
  const close = async () => {
    const isFirst = !isClosing;
    isClosing = true;
    if (isFirst) await drain(connection);
    await closed;
  };
  return { connection, failure, close };
}

/** @param {NatsConnection} connection @param {(error: Error) => void} onError */
async function watchErrors(connection, onError) {
  for await (const status of connection.status()) if (status.type === 'error') onError(status.error);
}

/**
 * What was published goes out first; the library itself would wait for a server that hangs for ever.
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
    ignoreClusterUpdates: true, // nor to any other server
    noEcho: true,
  };
}

// Whether a NATS answers at all. The library must not find out: when nobody answers it in time, it forgets its socket
// without closing it, and the process would not end (https://github.com/nats-io/nats.js/issues/64).

const DEFAULT_PORT = 4_222;
const GREETING = 'INFO ';

/**
 * @param {{ hostname: string, port: string }} url
 * @param {number} deadlineMs
 * @returns {Promise<void>} rejects when the first that it says, unasked, is not what a NATS says
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
