// REP in the master, a REQ in each worker. Both go in lockstep: a worker's questions wait until the one before them is
// answered, and the master answers one question of one worker at a time.

import { acceptRequesters, connectRequester, encodeCredentials } from '../../lib/transport/request-reply.js';
import { bindZeromq, zeromqOptions } from './zeromq-socket.js';

/** @import { RequestChannel } from '../../lib/transport/request-reply.js' */
/** @import { GuestContext, HostContext } from '../../lib/types/index.js' */
/** @typedef {{ wire: string | Uint8Array }} Pending */

/** @param {HostContext} host @returns {Promise<import('../../lib/types/transports.js').Listener>} */
export async function listen(host) {
  const { Reply } = await import('zeromq');
  const reply = new Reply(zeromqOptions(host));
  const { address, remove } = await bindZeromq(reply, host);
  reply.events.on('handshake:error:protocol', () => host.onRejected('spoke something else than ZeroMQ'));
  /** An empty reply, which REP owes to a peer that it does not answer. @type {Pending} */
  const answer = { wire: '' };
  const requesters = await acceptRequesters(host, (pending, wire) => {
    pending.wire = wire;
  });
  const answerAll = async () => {
    for await (const [credentials, question] of reply) {
      answer.wire = '';
      if (question !== undefined)
        requesters.channelOf(credentials.toString('latin1'))?.hear(question, answer);
      await reply.send(answer.wire);
    }
  };
  const answered = answerAll().catch((error) => !reply.closed && host.onError(error));
  const close = async () => {
    await requesters.close();
    reply.close();
    await answered;
    await remove();
  };
  return { address: JSON.stringify({ presence: requesters.place, at: address }), close };
}

/** @param {GuestContext} guest */
export function connect(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, async (channel) => {
    const { Request, context } = await import('zeromq');
    context.maxSockets = context.maxSocketsLimit; // of sockets, for many connections: it counts from the first one on
    const request = new Request(zeromqOptions(guest));
    request.connect(at);
    const ask = inLockstep(request, channel, encodeCredentials(guest));
    return { ask, release: () => request.close() };
  });
}

/**
 * @param {import('zeromq').Request} request
 * @param {RequestChannel} channel
 * @param {string} credentials
 * @returns {(wire: string | Uint8Array) => void}
 */
function inLockstep(request, channel, credentials) {
  /** @type {(string | Uint8Array)[]} */
  const waiting = [];
  let isAsking = false;
  const askAll = async () => {
    isAsking = true;
    for (let wire = waiting.shift(); wire !== undefined; wire = waiting.shift()) {
      const answer = await answerTo(wire);
      if (answer === null) return;
      channel.deliver(answer, wire);
    }
    isAsking = false;
  };
  /** @param {string | Uint8Array} wire @returns {Promise<Buffer | null>} null: there is none, which ends the channel */
  const answerTo = async (wire) => {
    try {
      await request.send([credentials, wire]);
      return (await request.receive())[0];
    } catch (error) {
      channel.fail(/** @type {Error} */ (error));
      return null;
    }
  };
  return (wire) => {
    waiting.push(wire);
    if (!isAsking) askAll();
  };
}
