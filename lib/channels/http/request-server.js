// Common parts of the servers for HTTP, HTTP/2, gRPC and WebSocket: listening, closing, closing connections that do not authenticate in
// time, and reading a body.

import { once } from 'node:events';
import { bindAddressOf } from '../addresses.js';
import { readAddress, socketPath } from '../sockets.js';

/** @import { HostContext, Listener } from '../../types/index.js' */
/** @import { Server } from 'node:net' */

/** @param {HostContext} host @param {Server} server @returns {Promise<string>} an address for `connectOptions` */
export async function listenAt(host, server) {
  const address =
    host.settings.net === 'unix'
      ? { path: socketPath(host, 'questions.sock') }
      : { host: bindAddressOf(host), port: 0 };
  server.listen(address);
  await once(server, 'listening');
  return readAddress(server, address);
}

/** @param {Server} server @param {() => void} hangUp    closes open connections */
export async function endServer(server, hangUp) {
  const closed = server.listening ? once(server, 'close') : undefined;
  server.close();
  hangUp();
  await closed;
}

/**
 * @param {HostContext} host
 * @param {Server} server
 * @param {object} parts
 * @param {{ address: string, close: () => Promise<void> }} parts.requesters
 * @param {() => void} parts.hangUp       closes open connections
 * @param {Record<string, unknown>} [parts.more]   added to the address
 * @returns {Promise<Listener>}
 */
export async function listenForRequests(host, server, { requesters, hangUp, more = {} }) {
  const at = await listenAt(host, server);
  server.on('error', (error) => host.onError(error));
  const close = async () => {
    await requesters.close();
    await endServer(server, hangUp);
  };
  return { address: JSON.stringify({ presence: requesters.address, at, ...more }), close };
}

const PROOF_DEADLINE_MS = 2_000; // as in handshake.js
const TICK_MS = 100;

/**
 * Cuts connections that do not authenticate in time. The time is counted in ticks of a timer, not by the clock: while the master is
 * busy accepting a hundred connections, it cannot read their requests.
 */
export class ConnectionGuard {
  /** @param {Pick<HostContext, 'onRejected'>} host */
  constructor(host) {
    this.host = host;
    /** @type {Map<{ destroy(): void }, NodeJS.Timeout>} */
    this.unproven = new Map();
  }

  /**
   * @param {{ destroy(): void, once(event: 'close', listener: (hadError?: boolean) => void): unknown }} connection
   * @param {() => boolean} [isProven]    checked at each tick and on close; without it, only `trust` marks a connection as authenticated
   */
  watch(connection, isProven = () => false) {
    let leftMs = PROOF_DEADLINE_MS;
    const timer = setInterval(() => {
      leftMs -= TICK_MS;
      if (isProven()) this.trust(connection);
      else if (leftMs <= 0) this.reject(connection, 'did not authenticate in time');
    }, TICK_MS);
    this.unproven.set(connection, timer);
    connection.once('close', (hadError) => {
      if (!this.unproven.has(connection)) return;
      // A connection for a single request may close before the first tick.
      if (hadError !== true && isProven()) this.trust(connection);
      else this.reject(connection, 'disconnected before authentication');
    });
  }

  /** @param {{ destroy(): void }} connection */
  trust(connection) {
    clearInterval(this.unproven.get(connection));
    this.unproven.delete(connection);
  }

  /** @param {{ destroy(): void }} connection @param {string} why */
  reject(connection, why) {
    this.drop(connection);
    this.host.onRejected(why);
  }

  /** Cuts a connection without counting it as rejected. @param {{ destroy(): void }} connection */
  drop(connection) {
    this.trust(connection);
    connection.destroy();
  }

  close() {
    for (const [connection] of this.unproven) this.drop(connection);
  }
}

/**
 * Reads the body of a request or a response, up to `maxBytes`.
 * @param {import('node:stream').Readable} stream
 * @param {number} maxBytes
 * @param {{ onWhole: (bytes: Buffer) => void, onTooMuch: (bytes: number) => void }} listener
 */
export function readBody(stream, maxBytes, { onWhole, onTooMuch }) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  stream.on('data', (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return void chunks.push(chunk);
    onTooMuch(bytes);
    stream.destroy();
  });
  stream.on('end', () => {
    if (bytes <= maxBytes) onWhole(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
}
