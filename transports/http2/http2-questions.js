// A worker's end of HTTP/2: one session, and a stream of it for each question.

import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { gather } from '../../lib/http/gather.js';
import { contentTypeOf } from '../../lib/http/http-answers.js';
import { joiningMs } from '../../lib/transport-kit/joining-time.js';
import { credentialsOf, joinToAsk } from '../../lib/transport-kit/presence.js';
import { placeOf } from '../../lib/transport-kit/reach.js';
import { openWindow, sessionOptions } from './http2-answers.js';

/** @import { QuestionChannel } from '../../lib/transport-kit/question-channel.js' */
/** @import { GuestContext } from '../../lib/types/index.js' */

/** @param {GuestContext} guest */
export function askOverHttp2(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return joinToAsk(guest, presence, (channel) => openSession(guest, channel, at));
}

/**
 * @param {GuestContext} guest
 * @param {QuestionChannel} channel
 * @param {string} at
 * @returns {Promise<import('../../lib/transport-kit/question-channel.js').Asking>}
 */
async function openSession(guest, channel, at) {
  const { connect } = await import('node:http2');
  const session = connect('http://localhost', {
    ...sessionOptions(guest),
    createConnection: () => connectSocket({ ...placeOf(at), noDelay: true }),
  });
  const failed = (/** @type {Error} */ error) => channel.fail(error);
  session.on('error', failed);
  await once(session, 'connect', { signal: AbortSignal.timeout(joiningMs(guest)) });
  openWindow(session, guest);
  const headers = {
    ':method': 'POST',
    ':path': '/',
    authorization: credentialsOf(guest),
    'content-type': contentTypeOf(guest.wireKind),
  };
  return {
    ask(wire) {
      // Then request() throws, and says nothing of the master.
      if (session.closed || session.destroyed) return failed(new Error('the master has closed the session'));
      const stream = session.request(headers);
      stream.on('error', failed);
      gather(stream, guest.maxMessageBytes, {
        onWhole: (bytes) => channel.deliver(bytes, wire),
        onTooMuch: (bytes) => channel.breakOff(channel.misfit(bytes)),
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
