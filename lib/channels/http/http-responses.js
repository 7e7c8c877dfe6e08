// The master's end of HTTP: responds to each POST, and closes connections that do not send the token of the launch in time.

import { acceptRequesters } from '../request-reply.js';
import { ConnectionGuard, listenForRequests, readBody } from './request-server.js';

/** @import { HostContext, Listener, WireKind } from '../../types/index.js' */
/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @typedef {ReturnType<typeof acceptRequesters<ServerResponse>> extends Promise<infer T> ? T : never} Requesters */

/**
 * @typedef {object} HttpAddress
 * @property {string} presence   address of the presence (request-reply.js), for `connectOptions`
 * @property {string} at         address of the server, for `connectOptions`
 * @property {string} [certificate]
 */

/**
 * @param {HostContext} host
 * @param {import('node:http').Server | import('node:https').Server} server    not listening yet
 * @param {{ helloBytes?: number, certificate?: string }} [security]   `helloBytes` is the number of received bytes at
 *     which a TLS handshake has begun; the handshake has a separate deadline
 * @returns {Promise<Listener>}
 */
export async function respondOverHttp(
  host,
  server,
  { helloBytes = Number.POSITIVE_INFINITY, certificate } = {},
) {
  const requesters = await acceptRequesters(host, respondAs(host.wireKind));
  const guard = new ConnectionGuard(host);
  server.keepAliveTimeout = 0; // otherwise the server may close a connection while a request is in flight
  server.on('connection', (socket) => guard.watch(socket, () => socket.bytesRead >= helloBytes));
  if (helloBytes < Infinity) server.on('secureConnection', (socket) => guard.watch(socket));
  server.on('clientError', (_error, socket) => guard.reject(socket, 'spoke no HTTP'));
  server.on('tlsClientError', (_error, socket) =>
    guard.reject(/** @type {Socket} */ (socket), 'spoke no TLS'),
  );
  server.on('request', (request, response) => receive(request, response, { host, requesters, guard }));
  const hangUp = () => {
    server.closeAllConnections();
    guard.close();
  };
  return listenForRequests(host, server, { requesters, hangUp, more: { certificate } });
}

/** @param {WireKind} wireKind @returns {(response: ServerResponse, wire: string | Uint8Array) => void} */
function respondAs(wireKind) {
  const contentType = contentTypeFor(wireKind);
  return (response, wire) => {
    response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(wire) });
    response.end(wire);
  };
}

/** @param {WireKind} wireKind */
export function contentTypeFor(wireKind) {
  return wireKind === 'text' ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {{ host: HostContext, requesters: Requesters, guard: ConnectionGuard }} parts
 */
function receive(request, response, { host, requesters, guard }) {
  const channel = requesters.channelOf(request.headers.authorization);
  if (channel === undefined) return guard.drop(request.socket);
  guard.trust(request.socket);
  readBody(request, host.maxMessageBytes, {
    onWhole: (bytes) => channel.receive(bytes, response),
    onTooMuch: (bytes) => channel.breakOff(channel.sizeError(bytes, ' or more')),
  });
}
