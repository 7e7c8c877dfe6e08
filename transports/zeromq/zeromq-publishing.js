// XPUB in the master, a SUB in each worker, beside the sockets over which they ask and answer: one send reaches all workers.
// An XPUB hears who subscribes. A worker is let in when its subscriptions are known, so that it misses nothing.

import { createHash } from 'node:crypto';
import { bindZeromq, readAll, zeromqOptions } from './zeromq-socket.js';

/** @import { EndContext, GuestContext, HostContext } from '../../lib/types/index.js' */

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
  publisher.events.on('handshake:error:protocol', () => host.onStranger('spoke something else than ZeroMQ'));
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
