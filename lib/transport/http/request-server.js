// What the servers of questions share: where they listen and how they end, which connections they cut, and how they read a body.

import { once } from 'node:events';
import { bindAddressOf } from '../admission.js';
import { readAddress, socketPath } from '../sockets.js';

/** @import { HostContext, Listener } from '../../types/index.js' */
/** @import { Server } from 'node:net' */

/** @param {HostContext} host @param {Server} server @returns {Promise<string>} where: 'ip:port', or the path of a unix socket */
export async function listenAt(host, server) {
  const place =
    host.settings.net === 'unix'
      ? { path: socketPath(host, 'questions.sock') }
      : { host: bindAddressOf(host), port: 0 };
  server.listen(place);
  await once(server, 'listening');
  return readAddress(server, place);
}

/** @param {Server} server @param {() => void} hangUp    ends the connections that it still has */
export async function endServer(server, hangUp) {
  const closed = server.listening ? once(server, 'close') : undefined;
  server.close();
  hangUp();
  await closed;
}

/**
 * @param {HostContext} host
 * @param {Server} server                 of questions
 * @param {object} parts
 * @param {{ place: string, close: () => Promise<void> }} parts.requesters
 * @param {() => void} parts.hangUp       ends the connections that it still has
 * @param {Record<string, unknown>} [parts.more]   of the address
 * @returns {Promise<Listener>}
 */
export async function listenForRequests(host, server, { requesters, hangUp, more = {} }) {
  const at = await listenAt(host, server);
  server.on('error', (error) => host.onError(error));
  const close = async () => {
    await requesters.close();
    await endServer(server, hangUp);
  };
  return { address: JSON.stringify({ presence: requesters.place, at, ...more }), close };
}

// Who has not proved in time to belong to the launch is an unauthenticated peer, and loses the connection.

const PROOF_DEADLINE_MS = 2_000; // as in handshake.js
const TICK_MS = 100;

/**
 * Connections that have not proved yet that they belong here. Their time is counted in ticks, not by the clock: a master
 * that is busy accepting a hundred of them has not given them a chance meanwhile.
 */
export class ConnectionGuard {
  /** @param {Pick<HostContext, 'onRejected'>} host */
  constructor(host) {
    this.host = host;
    /** @type {Map<{ destroy(): void }, NodeJS.Timeout>} */
    this.suspects = new Map();
  }

  /**
   * @param {{ destroy(): void, once(event: 'close', listener: (hadError?: boolean) => void): unknown }} connection
   * @param {() => boolean} [isProven]    looked at now and then, and at the end; without it only `trust` ends the watch
   */
  watch(connection, isProven = () => false) {
    let leftMs = PROOF_DEADLINE_MS;
    const timer = setInterval(() => {
      leftMs -= TICK_MS;
      if (isProven()) this.trust(connection);
      else if (leftMs <= 0) this.turnAway(connection, 'proved nothing in time');
    }, TICK_MS);
    this.suspects.set(connection, timer);
    connection.once('close', (hadError) => {
      if (!this.suspects.has(connection)) return;
      // A connection for a single question is over before anybody has looked.
      if (hadError !== true && isProven()) this.trust(connection);
      else this.turnAway(connection, 'left without a word');
    });
  }

  /** @param {{ destroy(): void }} connection */
  trust(connection) {
    clearInterval(this.suspects.get(connection));
    this.suspects.delete(connection);
  }

  /** @param {{ destroy(): void }} connection @param {string} why */
  turnAway(connection, why) {
    this.drop(connection);
    this.host.onRejected(why);
  }

  /** @param {{ destroy(): void }} connection    of an unauthenticated peer who has been counted */
  drop(connection) {
    this.trust(connection);
    connection.destroy();
  }

  close() {
    for (const [connection] of this.suspects) this.drop(connection);
  }
}

// The body of a request or a response, as a whole, and never more of it than is legitimate.

/**
 * @param {import('node:stream').Readable} stream
 * @param {number} maxBytes
 * @param {{ onWhole: (bytes: Buffer) => void, onTooMuch: (bytes: number) => void }} listener
 */
export function gather(stream, maxBytes, { onWhole, onTooMuch }) {
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
