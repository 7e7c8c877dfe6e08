// The two ends of HTTP/2 without TLS (h2c): one session for each worker, and a stream of it for each question.

import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { connectOptions, joiningMs } from '../../lib/transport/admission.js';
import { contentTypeFor } from '../../lib/transport/http/http-responses.js';
import { ConnectionGuard, gather, listenForRequests } from '../../lib/transport/http/request-server.js';
import { acceptRequesters, connectRequester, encodeCredentials } from '../../lib/transport/request-reply.js';

/** @import { GuestContext, HostContext } from '../../lib/types/index.js' */
/** @import { Http2Session, ServerHttp2Stream } from 'node:http2' */
/** @import { RequestChannel } from '../../lib/transport/request-reply.js' */

// Of what a session may hold, in units of 1 MB. With the default of 10 a few large messages are refused
// (ENHANCE_YOUR_CALM): https://nodejs.org/docs/latest-v20.x/api/http2.html#http2createserveroptions-onrequesthandler
const SESSION_MEMORY_MB = 1_000;

/** Of either end. @param {Pick<HostContext, 'settings'>} end */
export function sessionOptions({ settings }) {
  return {
    maxSessionMemory: SESSION_MEMORY_MB,
    settings: { initialWindowSize: Number(settings.windowBytes) },
  };
}

/**
 * The window of all streams together is not among the settings of a session.
 * @param {Http2Session} session
 * @param {Pick<HostContext, 'settings'>} end
 */
export function openWindow(session, { settings }) {
  session.setLocalWindowSize(Number(settings.windowBytes));
}

/** @param {HostContext} host @returns {Promise<import('../../lib/types/transports.js').Listener>} */
export async function respondOverHttp2(host) {
  const { createServer } = await import('node:http2');
  const contentType = contentTypeFor(host.wireKind);
  const requesters = await acceptRequesters(host, (/** @type {ServerHttp2Stream} */ stream, wire) => {
    if (stream.destroyed) return; // who asked has left
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
    // Its first question may be long in coming: of many connections each is made before any of them asks.
    let speaks = false;
    session.once('remoteSettings', () => {
      speaks = true;
    });
    guard.watch(session, () => speaks);
  });
  server.on('sessionError', (_error, session) => guard.drop(session)); // its close tells that it left
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {}); // who asked has left: its presence tells
    const session = /** @type {Http2Session} */ (stream.session);
    const channel = requesters.channelOf(headers.authorization);
    if (channel === undefined) return guard.drop(session);
    guard.trust(session);
    gather(stream, host.maxMessageBytes, {
      onWhole: (bytes) => channel.hear(bytes, stream),
      onTooMuch: (bytes) => channel.breakOff(channel.misfit(bytes, ' or more')),
    });
  });
  const hangUp = () => {
    for (const session of sessions) guard.drop(session);
  };
  return listenForRequests(host, server, { requesters, hangUp });
}

// A worker's end of HTTP/2: one session, and a stream of it for each question.

/** @param {GuestContext} guest */
export function requestOverHttp2(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, (channel) => openSession(guest, channel, at));
}

/**
 * @param {GuestContext} guest
 * @param {RequestChannel} channel
 * @param {string} at
 * @returns {Promise<import('../../lib/transport/request-reply.js').Asking>}
 */
async function openSession(guest, channel, at) {
  const { connect } = await import('node:http2');
  const session = connect('http://localhost', {
    ...sessionOptions(guest),
    createConnection: () => connectSocket({ ...connectOptions(at), noDelay: true }),
  });
  const failed = (/** @type {Error} */ error) => channel.fail(error);
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
    ask(wire) {
      // Then request() throws, and says nothing of the master.
      if (session.closed || session.destroyed) return failed(new Error('the master has closed the session'));
      const stream = session.request(headers);
      stream.on('error', failed);
      gather(stream, guest.maxMessageBytes, {
        onWhole: (bytes) => channel.deliver(bytes, wire),
        onTooMuch: (bytes) => channel.breakOff(channel.misfit(bytes, ' or more')),
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
