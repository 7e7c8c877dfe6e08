// PUSH in the master, a PULL in each worker, beside the sockets over which they talk: each connected worker gets the next job in
// turn. A PULL takes jobs without asking, so that it has to prove that it knows the token before it is let in: by PLAIN, whose
// passwords the master looks at itself (https://rfc.zeromq.org/spec/27/).

import { bindZeromq, readAll, zeromqOptions } from './zeromq-socket.js';

/** @import { Pull, Reply } from 'zeromq' */
/** @import { GuestContext, HostContext } from '../../lib/types/index.js' */

const AUTHENTICATION = 'inproc://zeromq.zap.01'; // where libzmq asks, one in each context
/** Frames of a request, behind its version and its number. */
const [USER, PASSWORD] = [4, 5];

/**
 * There is no high-water mark: the library would count what it has not yet given to the kernel, whose buffers hold more. What all
 * workers may have at once bounds it.
 * @param {HostContext} host
 * @returns {Promise<{ address: string, push: (wire: string | Uint8Array) => void, close: () => Promise<void> }>}
 */
export async function openJobs(host) {
  const { Context, Push, Reply } = await import('zeromq');
  // Nobody else gets into the memory of this process, and its threads share the usual context.
  const isPrivate = host.settings.net === 'inproc';
  const context = isPrivate ? null : new Context();
  const door = context && (await openDoor(new Reply({ context, linger: 0 }), host));
  const { receiveHighWaterMark: _mark, ...options } = zeromqOptions(host);
  const guarded = context && { context, plainServer: true, zapDomain: host.launchId };
  const push = new Push({ ...options, ...guarded });
  push.events.on('handshake:error:protocol', () => host.onStranger('spoke something else than ZeroMQ'));
  push.events.on('handshake:error:auth', () => host.onStranger('wanted jobs without the token'));
  // Who sees first that it is asked for a password may hang up before the master can find fault with what it says.
  push.events.on('handshake:error:other', () => host.onStranger('hung up before it had shown the token'));
  const { address, remove } = await bindZeromq(push, host, 'jobs');
  return {
    address,
    push: (wire) => void push.send(wire).catch(host.onError),
    async close() {
      // What watches the socket has to hear of its end while its context lives: else it would wait for ever.
      const watched = new Promise((resolve) => push.events.on('end', resolve));
      push.close();
      if (context !== null) await watched;
      await door?.close();
      await remove();
    },
  };
}

/** @param {Reply} reply @param {HostContext} host */
async function openDoor(reply, { token, onError }) {
  await reply.bind(AUTHENTICATION);
  const letIn = async () => {
    for await (const [version, request, ...frames] of reply) {
      const status = String(frames[PASSWORD]) === token ? ['200', 'OK'] : ['400', 'not the token'];
      await reply.send([version, request, ...status, frames[USER] ?? '', '']);
    }
  };
  const done = letIn().catch((error) => !reply.closed && onError(error));
  return {
    async close() {
      reply.close();
      await done;
    },
  };
}

/**
 * @param {GuestContext} guest
 * @param {string} address
 * @param {(wire: Buffer) => void} deliver
 * @param {(error: Error) => void} refused
 * @returns {Promise<() => void>} takes no more; resolves when it is among those who get jobs
 */
export async function takeJobs(guest, address, deliver, refused) {
  const { Pull } = await import('zeromq');
  const { sendHighWaterMark: _mark, sendTimeout: _timeout, ...options } = zeromqOptions(guest);
  const pull = new Pull({ ...options, plainUsername: guest.workerId, plainPassword: guest.token });
  // In memory there is no handshake, and a thread whose PULL is watched does not end.
  const letIn = guest.settings.net === 'inproc' ? Promise.resolve() : waitForHandshake(pull, refused);
  pull.connect(address);
  readAll(pull, ([wire]) => deliver(wire), refused);
  await letIn.catch((error) => {
    pull.close();
    throw error;
  });
  return () => pull.close();
}

/** @param {Pull} pull @param {(error: Error) => void} refused   it hung up @returns {Promise<void>} */
function waitForHandshake(pull, refused) {
  return new Promise((resolve, reject) => {
    pull.events.on('handshake', () => resolve());
    pull.events.on('disconnect', () => {
      const reason = new Error('it hung up');
      reject(reason);
      refused(reason);
    });
  });
}
