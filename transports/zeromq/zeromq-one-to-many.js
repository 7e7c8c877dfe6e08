// The further sockets of a ZeroMQ launch: XPUB and SUB for what goes to all workers, PUSH and PULL for jobs.

import { createHash } from 'node:crypto';
import { bindZeromq, readAll, zeromqOptions } from './zeromq-socket.js';

/** @import { EndContext, GuestContext, HostContext } from '../../lib/types/index.js' */
/** @import { Pull, Reply } from 'zeromq' */

const SUBSCRIBED = 1; // the first byte of what an XPUB hears; 0: unsubscribed

/** @param {EndContext} end @returns {string} the topic that all workers hear; the token is no secret in it */
function toAll({ token }) {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

/** @param {EndContext} end @param {string} workerId @returns {string} a topic on which nothing is ever sent */
function presenceTopic(end, workerId) {
  return `${workerId}:${toAll(end)}`;
}

/**
 * @param {HostContext} host
 * @returns {Promise<{ address: string, publish: (wire: string | Uint8Array) => void, heardBy: (workerId: string) => Promise<void>,
 *   close: () => Promise<void> }>} heardBy: resolves when the worker hears what is published
 */
export async function openPublisher(host) {
  const { XPublisher } = await import('zeromq');
  const publisher = new XPublisher(zeromqOptions(host));
  const { address, remove } = await bindZeromq(publisher, host, 'publisher');
  publisher.events.on('handshake:error:protocol', () => host.onRejected('spoke something else than ZeroMQ'));
  /** @type {Set<string>} */
  const subscribed = new Set();
  /** @type {Map<string, () => void>} */
  const awaited = new Map();
  const hear = (/** @type {Buffer[]} */ [news]) => {
    if (news[0] !== SUBSCRIBED) return;
    const topic = news.toString('latin1', 1);
    subscribed.add(topic);
    awaited.get(topic)?.();
  };
  const heard = readAll(publisher, hear, host.onError.bind(host));
  const topic = toAll(host);
  return {
    address,
    publish: (wire) => void publisher.send([topic, wire]).catch(host.onError),
    heardBy: (workerId) =>
      new Promise((resolve) => {
        const presence = presenceTopic(host, workerId);
        if (subscribed.has(presence)) return resolve();
        awaited.set(presence, resolve);
      }),
    async close() {
      publisher.close();
      await heard;
      await remove();
    },
  };
}

/**
 * @param {GuestContext} guest
 * @param {string} address
 * @param {(wire: Buffer) => void} deliver
 * @param {(error: Error) => void} refused
 * @returns {Promise<() => void>} ends the subscription
 */
export async function subscribeToAll(guest, address, deliver, refused) {
  const { Subscriber } = await import('zeromq');
  // It sends nothing, and takes no options about that.
  const { sendHighWaterMark: _mark, sendTimeout: _timeout, ...options } = zeromqOptions(guest);
  const subscriber = new Subscriber(options);
  subscriber.events.on('disconnect', () => refused(new Error('it hung up')));
  subscriber.connect(address);
  // In this order: a reader that sees the second one also sees the first.
  subscriber.subscribe(toAll(guest), presenceTopic(guest, guest.workerId));
  readAll(subscriber, ([, wire]) => deliver(wire), refused);
  return () => subscriber.close();
}

// PUSH in the master, a PULL in each worker, beside the sockets over which they talk: each connected worker gets the next job in
// turn. A PULL takes jobs without asking, so that it has to prove that it knows the token before it is let in: by PLAIN, whose
// passwords the master looks at itself (https://rfc.zeromq.org/spec/27/).

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
  push.events.on('handshake:error:protocol', () => host.onRejected('spoke something else than ZeroMQ'));
  push.events.on('handshake:error:auth', () => host.onRejected('wanted jobs without the token'));
  // Who sees first that it is asked for a password may hang up before the master can find fault with what it says.
  push.events.on('handshake:error:other', () => host.onRejected('hung up before it had shown the token'));
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
