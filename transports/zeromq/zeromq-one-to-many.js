// Additional sockets of a ZeroMQ launch: XPUB and SUB for messages to all workers, PUSH and PULL for jobs.

import { createHash } from 'node:crypto';
import { isSameToken } from '../../lib/channels/admission.js';
import { bindZeromq, makeCloser, readAll, zeromqOptions } from './zeromq-socket.js';

/** @import { EndContext, GuestContext, HostContext } from '../../lib/types/index.js' */
/** @import { Context, Pull, Push, Reply, XPublisher } from 'zeromq' */

const SUBSCRIBED = 1; // first byte of a frame that an XPUB receives; it is 0 after an unsubscription

// A SUB or a PULL receives messages without sending a request, so it authenticates when it connects, except over inproc: by PLAIN, whose
// passwords the master checks (https://rfc.zeromq.org/spec/27/). This also limits the memory of the master: workers report how much they
// have read, whereas messages for an unauthenticated peer that reads none would wait without limit.

const AUTHENTICATION = 'inproc://zeromq.zap.01'; // libzmq sends authentication requests to this address in each context
/** Indexes of frames of an authentication request, after version and request id. */
const [USER, PASSWORD] = [4, 5];

/**
 * Binds a socket to which only workers can connect.
 * @template {Push | XPublisher} Socket
 * @param {HostContext} host
 * @param {string} name
 * @param {(guarded: { context?: Context, plainServer?: boolean, zapDomain?: string }) => Socket} open
 * @returns {Promise<{ socket: Socket, address: string, inContext: { context?: Context }, close: () => Promise<void> }>}
 */
async function bindGuarded(host, name, open) {
  const { Context, Reply } = await import('zeromq');
  // Other processes have no access to inproc sockets, and threads share the default context.
  const context = host.settings.net === 'inproc' ? null : new Context();
  const authenticator = context && (await openAuthenticator(new Reply({ context, linger: 0 }), host));
  const socket = open(context === null ? {} : { context, plainServer: true, zapDomain: host.launchId });
  socket.events.on('handshake:error:protocol', () => host.onRejected('sent something else than ZeroMQ'));
  socket.events.on('handshake:error:auth', () => host.onRejected('connected without the token'));
  // A peer without a password may disconnect before the master has checked it.
  socket.events.on('handshake:error:other', () => host.onRejected('disconnected before it sent the token'));
  const closeSocket = makeCloser(socket);
  const { address, remove } = await bindZeromq(socket, host, name);
  return {
    socket,
    address,
    inContext: context === null ? {} : { context },
    async close() {
      await closeSocket();
      await authenticator?.close();
      await remove();
    },
  };
}

/** @param {Reply} reply @param {HostContext} host */
async function openAuthenticator(reply, { token, onError }) {
  await reply.bind(AUTHENTICATION);
  const authenticate = async () => {
    for await (const [version, request, ...frames] of reply) {
      const status = isSameToken(String(frames[PASSWORD]), token) ? ['200', 'OK'] : ['400', 'not the token'];
      await reply.send([version, request, ...status, frames[USER] ?? '', '']);
    }
  };
  const done = authenticate().catch((error) => !reply.closed && onError(error));
  return {
    async close() {
      reply.close();
      await done;
    },
  };
}

/** @param {GuestContext} guest */
const credentialsOf = ({ workerId, token }) => ({ plainUsername: workerId, plainPassword: token });

// XPUB in the master and a SUB in each worker.

/** @param {EndContext} end @returns {string} the topic that all workers read; it does not reveal the token */
function toAll({ token }) {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

/**
 * @param {EndContext} end
 * @param {string} workerId
 * @returns {string} a topic without messages, whose subscription shows that the worker is connected
 */
function presenceTopic(end, workerId) {
  return `${workerId}:${toAll(end)}`;
}

/**
 * @param {HostContext} host
 * @returns {Promise<{ address: string, publish: (wire: string | Uint8Array) => void, waitForSubscriber: (workerId: string) => Promise<void>,
 *   inContext: { context?: Context }, close: () => Promise<void> }>}   inContext: options with which another socket shares the publisher's
 *   I/O thread
 */
export async function openPublisher(host) {
  const { XPublisher } = await import('zeromq');
  const options = zeromqOptions(host);
  const open = (/** @type {object} */ guarded) => new XPublisher({ ...options, ...guarded });
  const { socket: publisher, close, ...bound } = await bindGuarded(host, 'publisher', open);
  /** @type {Set<string>} */
  const subscribed = new Set();
  /** @type {Map<string, () => void>} */
  const waiting = new Map();
  /** @param {Buffer[]} frames */
  const onSubscription = ([frame]) => {
    if (frame[0] !== SUBSCRIBED) return;
    const topic = frame.toString('latin1', 1);
    subscribed.add(topic);
    waiting.get(topic)?.();
  };
  const reading = readAll(publisher, onSubscription, host.onError.bind(host));
  const topic = toAll(host);
  return {
    ...bound,
    publish: (wire) => void publisher.send([topic, wire]).catch(host.onError),
    waitForSubscriber: (workerId) =>
      new Promise((resolve) => {
        const presence = presenceTopic(host, workerId);
        if (subscribed.has(presence)) return resolve();
        waiting.set(presence, resolve);
      }),
    async close() {
      await close();
      await reading;
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
  // A Subscriber has no options for sending.
  const { sendHighWaterMark: _mark, sendTimeout: _timeout, ...options } = zeromqOptions(guest);
  const subscriber = new Subscriber({ ...options, ...credentialsOf(guest) });
  subscriber.events.on('disconnect', () => refused(new Error('it hung up')));
  subscriber.connect(address);
  // The topics are in this order, so that the publisher receives the subscription of the presence topic last.
  subscriber.subscribe(toAll(guest), presenceTopic(guest, guest.workerId));
  readAll(subscriber, ([, wire]) => deliver(wire), refused);
  return () => subscriber.close();
}

// PUSH in the master and a PULL in each worker, beside their other sockets: PUSH sends jobs to the connected workers in turn.

/**
 * The socket has no high-water mark, which would count only messages that the kernel has not buffered yet. The prefetch of all
 * workers limits the number of messages instead.
 * @param {HostContext} host
 * @returns {Promise<{ address: string, push: (wire: string | Uint8Array) => void, close: () => Promise<void> }>}
 */
export async function openJobs(host) {
  const { Push } = await import('zeromq');
  const { receiveHighWaterMark: _mark, ...options } = zeromqOptions(host);
  /** @param {object} guarded */
  const open = (guarded) => new Push({ ...options, ...guarded });
  const { socket, address, close } = await bindGuarded(host, 'jobs', open);
  return { address, push: (wire) => void socket.send(wire).catch(host.onError), close };
}

/**
 * @param {GuestContext} guest
 * @param {string} address
 * @param {(wire: Buffer) => void} deliver
 * @param {(error: Error) => void} refused
 * @returns {Promise<() => void>} resolves after the handshake with a function that stops receiving jobs
 */
export async function takeJobs(guest, address, deliver, refused) {
  const { Pull } = await import('zeromq');
  const { sendHighWaterMark: _mark, sendTimeout: _timeout, ...options } = zeromqOptions(guest);
  const pull = new Pull({ ...options, ...credentialsOf(guest) });
  // inproc has no handshake, and a thread with a monitored PULL would not end.
  const authenticate = guest.settings.net === 'inproc' ? Promise.resolve() : waitForHandshake(pull, refused);
  pull.connect(address);
  readAll(pull, ([wire]) => deliver(wire), refused);
  await authenticate.catch((error) => {
    pull.close();
    throw error;
  });
  return () => pull.close();
}

/** @param {Pull} pull @param {(error: Error) => void} refused   called on disconnect @returns {Promise<void>} */
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
