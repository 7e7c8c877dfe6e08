// The master's end of HTTP: answers each POST with the answer to its body. A connection that does not show the launch's token in
// time is a stranger's, and is cut.

import { once } from 'node:events';
import { receiveAskers } from '../transport-kit/presence.js';
import { socketPath } from '../transport-kit/sockets.js';
import { gather } from './gather.js';

/** @import { HostContext } from '../types/transports.js' */
/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @typedef {ReturnType<typeof receiveAskers<ServerResponse>> extends Promise<infer T> ? T : never} Askers */

const PROOF_DEADLINE_MS = 2_000; // as in sockets.js
const TICK_MS = 100;
const LOOPBACK = '127.0.0.1';

/**
 * @typedef {object} HttpAddress
 * @property {string} presence
 * @property {string} at         'ip:port', or the path of a unix socket
 * @property {string} [certificate]
 */

/**
 * @param {HostContext} host
 * @param {import('node:http').Server | import('node:https').Server} server    not listening yet
 * @param {{ helloBytes?: number, certificate?: string }} [security]   helloBytes: who said as much has begun a handshake,
 *     which has a deadline of its own
 * @returns {Promise<import('../types/transports.js').Listener>}
 */
export async function answerOverHttp(
  host,
  server,
  { helloBytes = Number.POSITIVE_INFINITY, certificate } = {},
) {
  const askers = await receiveAskers(host, respondAs(host.wireKind));
  const guard = new ConnectionGuard(host);
  server.keepAliveTimeout = 0; // else a connection may be closed under a question that is on its way
  server.on('connection', (socket) => guard.watch(socket, () => socket.bytesRead >= helloBytes));
  if (helloBytes < Infinity)
    server.on('secureConnection', (/** @type {Socket} */ socket) => guard.watch(socket));
  server.on('clientError', (_error, socket) =>
    guard.turnAway(/** @type {Socket} */ (socket), 'spoke no HTTP'),
  );
  server.on('tlsClientError', (_error, socket) =>
    guard.turnAway(/** @type {Socket} */ (socket), 'spoke no TLS'),
  );
  server.on('request', (request, response) => receive(request, response, { host, askers, guard }));
  const at = await listenAt(host, server);
  server.on('error', (error) => host.onError(error));
  const close = async () => {
    await askers.close();
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    server.closeAllConnections();
    guard.close();
    await closed;
  };
  return { address: JSON.stringify({ presence: askers.place, at, certificate }), close };
}

/**
 * @param {HostContext} host
 * @param {import('node:net').Server} server
 * @returns {Promise<string>} where
 */
export async function listenAt(host, server) {
  const path = host.settings.net === 'unix' ? socketPath(host, 'questions.sock') : null;
  server.listen(path === null ? { host: LOOPBACK, port: 0 } : { path });
  await once(server, 'listening');
  if (path !== null) return path;
  return `${LOOPBACK}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}

/** @param {import('../types/messages.js').WireKind} wireKind */
function respondAs(wireKind) {
  const contentType = contentTypeOf(wireKind);
  return (/** @type {ServerResponse} */ response, /** @type {string | Uint8Array} */ wire) => {
    response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(wire) });
    response.end(wire);
  };
}

/** @param {import('../types/messages.js').WireKind} wireKind */
export function contentTypeOf(wireKind) {
  return wireKind === 'text' ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {{ host: HostContext, askers: Askers, guard: ConnectionGuard }} parts
 */
function receive(request, response, { host, askers, guard }) {
  const channel = askers.channelOf(request.headers.authorization);
  if (channel === undefined) return guard.drop(request.socket);
  guard.trust(request.socket);
  gather(request, host.maxMessageBytes, {
    onWhole: (bytes) => channel.hear(bytes, response),
    onTooMuch: (bytes) => channel.breakOff(channel.misfit(bytes)),
  });
  response.on('error', () => {}); // who asked has left: its presence tells
}

/**
 * Connections that have not proved yet that they belong here. Their time is counted in ticks, not by the clock: a master
 * that is busy accepting a hundred of them has not given them a chance meanwhile.
 */
export class ConnectionGuard {
  /** @param {Pick<HostContext, 'onStranger'>} host */
  constructor(host) {
    this.host = host;
    /** @type {Map<{ destroy(): void }, NodeJS.Timeout>} */
    this.suspects = new Map();
  }

  /**
   * @param {{ destroy(): void, once(event: 'close', listener: () => void): unknown }} connection
   * @param {() => boolean} [isProven]    looked at now and then; without it only `trust` ends the watch
   */
  watch(connection, isProven = () => false) {
    let leftMs = PROOF_DEADLINE_MS;
    const timer = setInterval(() => {
      leftMs -= TICK_MS;
      if (isProven()) this.trust(connection);
      else if (leftMs <= 0) this.turnAway(connection, 'proved nothing in time');
    }, TICK_MS);
    this.suspects.set(connection, timer);
    connection.once('close', () => {
      if (this.suspects.has(connection)) this.turnAway(connection, 'left without a word');
    });
  }

  /** @param {{ destroy(): void }} connection */
  trust(connection) {
    clearInterval(this.suspects.get(connection));
    this.suspects.delete(connection);
  }

  /**
   * @param {{ destroy(): void }} connection
   * @param {string} why
   */
  turnAway(connection, why) {
    this.drop(connection);
    this.host.onStranger(why);
  }

  /** @param {{ destroy(): void }} connection    of a stranger who has been counted */
  drop(connection) {
    this.trust(connection);
    connection.destroy();
  }

  close() {
    for (const [connection] of this.suspects) this.drop(connection);
  }
}
