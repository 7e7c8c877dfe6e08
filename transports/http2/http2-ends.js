// The two ends of HTTP/2 without TLS (h2c): one session per connection of a worker, and one stream per request.

import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { connectOptions } from '../../lib/channels/addresses.js';
import { joiningMs } from '../../lib/channels/admission.js';
import { contentTypeFor } from '../../lib/channels/http/http-responses.js';
import { ConnectionGuard, listenForRequests, readBody } from '../../lib/channels/http/request-server.js';
import { acceptRequesters, connectRequester, encodeCredentials } from '../../lib/channels/request-reply.js';

/** @import { GuestContext, HostContext, Listener } from '../../lib/types/index.js' */
/** @import { Http2Session, ServerHttp2Stream } from 'node:http2' */
/** @import { RequestChannel, RequestSender } from '../../lib/channels/request-reply.js' */

// Memory of a session in MB. With the default of 10, a few large messages are refused
// (ENHANCE_YOUR_CALM): https://nodejs.org/docs/latest-v20.x/api/http2.html#http2createserveroptions-onrequesthandler
const SESSION_MEMORY_MB = 1_000;

/** @param {Pick<HostContext, 'settings'>} end */
export function sessionOptions({ settings }) {
  return {
    maxSessionMemory: SESSION_MEMORY_MB,
    settings: { initialWindowSize: Number(settings.windowBytes) },
  };
}

/**
 * Sets the window of the whole session, which is not part of its settings.
 * @param {Http2Session} session
 * @param {Pick<HostContext, 'settings'>} end
 */
export function openWindow(session, { settings }) {
  session.setLocalWindowSize(Number(settings.windowBytes));
}

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function respondOverHttp2(host) {
  const { createServer } = await import('node:http2');
  const contentType = contentTypeFor(host.wireKind);
  const requesters = await acceptRequesters(host, (/** @type {ServerHttp2Stream} */ stream, wire) => {
    if (stream.destroyed) return; // the worker has disconnected
    stream.respond({ ':status': 200, 'content-type': contentType });
    stream.end(wire);
  });
  const guard = new ConnectionGuard(host);
  const server = createServer(sessionOptions(host));
  /** @type {Set<Http2Session>} */
  const sessions = new Set();
  server.on('session', (session) => {
    sessions.add(session);
    openWindow(session, host);
    session.once('close', () => sessions.delete(session));
    // A session is trusted after its SETTINGS frame: the first request may follow much later, once all connections are open.
    let speaks = false;
    session.once('remoteSettings', () => {
      speaks = true;
    });
    guard.watch(session, () => speaks);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {}); // the presence reports the disconnection
    const session = /** @type {Http2Session} */ (stream.session);
    const channel = requesters.channelOf(headers.authorization);
    if (channel === undefined) return guard.drop(session);
    guard.trust(session);
    readBody(stream, host.maxMessageBytes, {
      onWhole: (bytes) => channel.receive(bytes, stream),
      onTooMuch: (bytes) => channel.breakOff(channel.sizeError(bytes, ' or more')),
    });
  });
  const hangUp = () => {
    for (const session of sessions) guard.drop(session);
  };
  return listenForRequests(host, server, { requesters, hangUp });
}

/** @param {GuestContext} guest */
export function requestOverHttp2(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, (channel) => openSession(guest, channel, at));
}

/**
 * @param {GuestContext} guest
 * @param {RequestChannel} channel
 * @param {string} at
 * @returns {Promise<RequestSender>}
 */
async function openSession(guest, channel, at) {
  const { connect } = await import('node:http2');
  const session = connect('http://localhost', {
    ...sessionOptions(guest),
    createConnection: () => connectSocket({ ...connectOptions(at), noDelay: true }),
  });
  /** @param {Error} error */
  const failed = (error) => channel.fail(error);
  session.on('error', failed);
  await once(session, 'connect', { signal: AbortSignal.timeout(joiningMs(guest)) });
  openWindow(session, guest);
  const headers = {
    ':method': 'POST',
    ':path': '/',
    authorization: encodeCredentials(guest),
    'content-type': contentTypeFor(guest.wireKind),
  };
  return {
    send(wire) {
      // request() would throw an error that does not mention the master.
      if (session.closed || session.destroyed) return failed(new Error('the master has closed the session'));
      const stream = session.request(headers);
      stream.on('error', failed);
      readBody(stream, guest.maxMessageBytes, {
        onWhole: (bytes) => channel.deliver(bytes, wire),
        onTooMuch: (bytes) => channel.breakOff(channel.sizeError(bytes, ' or more')),
      });
      stream.end(wire);
    },
    async release() {
      if (session.closed && session.destroyed) return;
      const closed = once(session, 'close');
      session.destroy();
      await closed;
    },
  };
}
