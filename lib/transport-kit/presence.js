// How the two ends of a question-and-answer transport find each other, and notice that the other one is gone: a stream
// beside it that carries nothing but the handshake with the launch's token. It sleeps while questions are asked. A worker
// that connects again has one for each of its connections.

import { AnswerChannel } from './answer-channel.js';
import { orUndo } from './or-undo.js';
import { QuestionChannel } from './question-channel.js';
import { bindAddressOf, placeOf } from './reach.js';
import { connectTo, listenOn, socketPath } from './sockets.js';
import { isSameToken } from './token.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */
/** @import { Asking } from './question-channel.js' */

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
export async function receiveAskers(host, respond) {
  /** @type {Map<string, AnswerChannel<Reply>>} */
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
        /** @type {AnswerChannel<Reply>} */
        const channel = new AnswerChannel(host, workerId, respond);
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
     * @param {string | undefined} credentials    as `credentialsOf` gives them
     * @returns {AnswerChannel<Reply> | undefined} of a worker that is here; of a stranger none, and that is counted
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
 * @param {string} place      of `receiveAskers`
 * @param {(channel: QuestionChannel) => Asking | Promise<Asking>} openAsking
 * @returns {Promise<QuestionChannel>}
 */
export async function joinToAsk(guest, place, openAsking) {
  const channel = new QuestionChannel(guest);
  const presence = await connectTo(placeOf(place), { ...guest, ...SILENT });
  channel.hangUp = () => presence.close();
  presence.onClose = () => channel.finish();
  channel.asking = await orUndo(
    () => presence.close(),
    () => openAsking(channel),
  );
  return channel;
}

/**
 * Every connection, or question, has to show this.
 * @param {Pick<GuestContext, 'token' | 'workerId'>} guest
 */
export function credentialsOf({ token, workerId }) {
  return `${token} ${workerId}`;
}
