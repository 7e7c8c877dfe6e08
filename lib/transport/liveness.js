// How the two ends of a question-and-answer transport find each other, and notice that the other one is gone: a stream
// beside it that carries nothing but the handshake with the launch's token. It sleeps while questions are asked. A worker
// that connects again has one for each of its connections.

import { bindAddressOf, connectOptions } from './reach.js';
import { RequestChannel } from './request-channel.js';
import { ResponseChannel } from './response-channel.js';
import { connectTo, listenOn, socketPath } from './sockets.js';
import { isSameToken } from './token.js';
import { withRollback } from './with-rollback.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */
/** @import { Asking } from './request-channel.js' */

const SILENT = Object.freeze({
  settings: Object.freeze({}),
  wireKind: /** @type {const} */ ('text'),
  maxMessageBytes: 1_024,
});

/**
 * In the master.
 * @template Reply
 * @param {HostContext} host
 * @param {(reply: Reply, wire: string | Uint8Array) => void} respond
 */
export async function acceptRequesters(host, respond) {
  /** @type {Map<string, ResponseChannel<Reply>>} */
  const channels = new Map();
  const { address, close } = await listenOn(
    host.settings.net === 'tcp'
      ? { host: bindAddressOf(host), port: 0 }
      : { path: socketPath(host, 'presence.sock') },
    {
      ...host,
      ...SILENT,
      onChannel(presence, workerId) {
        if (channels.has(workerId)) {
          host.onStranger(`wanted to join as ${workerId}, who is here`);
          presence.close();
          return;
        }
        /** @type {ResponseChannel<Reply>} */
        const channel = new ResponseChannel(host, workerId, respond);
        channel.hangUp = () => presence.close();
        presence.onClose = () => {
          channels.delete(workerId);
          channel.finish();
        };
        channels.set(workerId, channel);
        host.onChannel(channel, workerId);
      },
    },
  );
  return {
    place: address,
    /**
     * @param {string | undefined} credentials    as `encodeCredentials` gives them
     * @returns {ResponseChannel<Reply> | undefined} of a worker that is here; of a stranger none, and that is counted
     */
    channelOf(credentials) {
      const [token = '', workerId = ''] = credentials?.split(' ') ?? [];
      if (isSameToken(token, host.token)) return channels.get(workerId);
      host.onStranger('did not know the token');
      return undefined;
    },
    close,
  };
}

/**
 * In a worker.
 * @param {GuestContext} guest
 * @param {string} place      of `acceptRequesters`
 * @param {(channel: RequestChannel) => Asking | Promise<Asking>} openAsking
 * @returns {Promise<RequestChannel>}
 */
export async function connectRequester(guest, place, openAsking) {
  const channel = new RequestChannel(guest);
  const presence = await connectTo(connectOptions(place), { ...guest, ...SILENT });
  channel.hangUp = () => presence.close();
  presence.onClose = () => channel.finish();
  channel.asking = await withRollback(
    () => presence.close(),
    () => openAsking(channel),
  );
  return channel;
}

/**
 * Every connection, or question, has to show this.
 * @param {Pick<GuestContext, 'token' | 'workerId'>} guest
 */
export function encodeCredentials({ token, workerId }) {
  return `${token} ${workerId}`;
}
