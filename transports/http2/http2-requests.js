// A worker's end of HTTP/2: one session, and a stream of it for each question.

import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { gather } from '../../lib/transport/http/gather.js';
import { contentTypeFor } from '../../lib/transport/http/http-responses.js';
import { joiningMs } from '../../lib/transport/joining-time.js';
import { connectRequester, encodeCredentials } from '../../lib/transport/liveness.js';
import { connectOptions } from '../../lib/transport/reach.js';
import { openWindow, sessionOptions } from './http2-responses.js';

/** @import { RequestChannel } from '../../lib/transport/request-channel.js' */
/** @import { GuestContext } from '../../lib/types/index.js' */

/** @param {GuestContext} guest */
export function requestOverHttp2(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, (channel) => openSession(guest, channel, at));
}

/**
 * @param {GuestContext} guest
 * @param {RequestChannel} channel
 * @param {string} at
 * @returns {Promise<import('../../lib/transport/request-channel.js').Asking>}
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
