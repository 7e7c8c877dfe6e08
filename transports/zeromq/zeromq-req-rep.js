// REP in the master, and a REQ in each worker. Both work in lockstep: a worker sends a request after the response to its last request, and
// the master handles one request at a time.

import { acceptRequesters, connectRequester, encodeCredentials } from '../../lib/channels/request-reply.js';
import { bindZeromq, zeromqOptions } from './zeromq-socket.js';

/** @import { RequestChannel } from '../../lib/channels/request-reply.js' */
/** @import { GuestContext, HostContext, Listener } from '../../lib/types/index.js' */
/** @typedef {{ wire: string | Uint8Array }} PendingRequest */

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listen(host) {
  const { Reply } = await import('zeromq');
  const reply = new Reply(zeromqOptions(host));
  const { address, remove } = await bindZeromq(reply, host);
  reply.events.on('handshake:error:protocol', () => host.onRejected('sent something else than ZeroMQ'));
  /** The next reply; it is empty for a rejected request, since REP must reply to each request. @type {PendingRequest} */
  const response = { wire: '' };
  const requesters = await acceptRequesters(host, (pending, wire) => {
    pending.wire = wire;
  });
  const respondToAll = async () => {
    for await (const [credentials, request] of reply) {
      response.wire = '';
      if (request !== undefined)
        requesters.channelOf(credentials.toString('latin1'))?.receive(request, response);
      await reply.send(response.wire);
    }
  };
  const responded = respondToAll().catch((error) => !reply.closed && host.onError(error));
  const close = async () => {
    await requesters.close();
    reply.close();
    await responded;
    await remove();
  };
  return { address: JSON.stringify({ presence: requesters.address, at: address }), close };
}

/** @param {GuestContext} guest */
export function connect(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, async (channel) => {
    const { Request, context } = await import('zeromq');
    context.maxSockets = context.maxSocketsLimit; // for many connections; must be set before the first socket
    const request = new Request(zeromqOptions(guest));
    request.connect(at);
    const send = inLockstep(request, channel, encodeCredentials(guest));
    return { send, release: () => request.close() };
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
  let isSending = false;
  const sendAll = async () => {
    isSending = true;
    for (let wire = waiting.shift(); wire !== undefined; wire = waiting.shift()) {
      const response = await requestResponse(wire);
      if (response === null) return;
      channel.deliver(response, wire);
    }
    isSending = false;
  };
  /** @param {string | Uint8Array} wire @returns {Promise<Buffer | null>} null after an error, which ends the channel */
  const requestResponse = async (wire) => {
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
    if (!isSending) sendAll();
  };
}
