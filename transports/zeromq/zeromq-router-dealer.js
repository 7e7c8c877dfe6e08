// ROUTER in the master, and a DEALER in each worker: both may send at any time. Before a control frame
// (lib/channels/message-channel.js), an empty frame of ZeroMQ tells it from a message.

import { randomBytes } from 'node:crypto';
import { intoQueue } from '../../lib/channels/brokers/topic-names.js';
import { joinMaster, publishedTo, receiveWorkers } from '../../lib/channels/message-channel.js';
import { withRollback } from '../../lib/channels/with-rollback.js';
import { openJobs, openPublisher, subscribeToAll, takeJobs } from './zeromq-one-to-many.js';
import { bindZeromq, breakOffWith, makeCloser, readAll, zeromqOptions } from './zeromq-socket.js';

/** @import { GuestContext, HostContext, Listener } from '../../lib/types/index.js' */

const LEFT_KNOWN = 1_000; // number of ids of disconnected workers that are kept; messages of a killed worker may still arrive
const BETWEEN = '\n'; // separates the address from the address of the socket for publishing or jobs; a path may have a space

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listen(host) {
  const { Router } = await import('zeromq');
  const toAll = host.isPublished ? await openPublisher(host) : null;
  const router = new Router({ ...zeromqOptions(host), mandatory: true, ...toAll?.inContext });
  const closeRouter = makeCloser(router);
  const { address, remove } = await bindZeromq(router, host);
  const jobs = host.sharedQueue ? await openJobs(host) : null;
  router.events.on('handshake:error:protocol', () => host.onRejected('sent something else than ZeroMQ'));
  /** @type {Map<string, import('../../lib/channels/message-channel.js').MessageChannel>} */
  const channels = new Map();
  /** @type {Set<string>} */
  const left = new Set();
  /** @param {string} id */
  const forget = (id) => {
    channels.delete(id);
    left.add(id);
    if (left.size > LEFT_KNOWN) left.delete(/** @type {string} */ (left.values().next().value));
  };
  const workers = receiveWorkers(host, async (channel, workerId, /** @type {Buffer} */ routingId) => {
    await toAll?.waitForSubscriber(workerId);
    channels.set(routingId.toString('latin1'), channel);
    const refused = breakOffWith(channel);
    return {
      send: (wire) => void router.send([routingId, wire]).catch(refused),
      sendControl: (frame) => void router.send([routingId, '', frame]).catch(refused),
      release: () => forget(routingId.toString('latin1')),
    };
  });
  readAll(
    router,
    (frames) => {
      if (frames.length === 3) return workers.receiveControl(frames[2], frames[0]);
      const id = frames[0].toString('latin1');
      const channel = channels.get(id);
      if (channel !== undefined && frames.length === 2) channel.deliver(frames[1]);
      else if (!left.has(id)) host.onRejected('sent data without having joined');
    },
    host.onError.bind(host),
  );
  const close = async () => {
    await workers.close();
    await closeRouter();
    await Promise.all([toAll?.close(), jobs?.close()]);
    await remove();
  };
  /** @param {string} second */
  const whole = (second) => [address, second].join(BETWEEN);
  if (jobs !== null) return { address: whole(jobs.address), close, queue: () => intoQueue(jobs.push) };
  if (toAll === null) return { address, close };
  const publisher = () => publishedTo(workers.channels(), toAll.publish);
  return { address: whole(toAll.address), close, publisher };
}

/** @param {GuestContext} guest */
export async function connect(guest) {
  const { Dealer, context } = await import('zeromq');
  // Must be set before the first socket. A connection may have two sockets, so the default of 1,023 may suffice for only 511 connections.
  context.maxSockets = context.maxSocketsLimit;
  const [address, second] = guest.address.split(BETWEEN);
  return joinMaster(guest, async (channel, receiveControl) => {
    const dealer = new Dealer({ ...zeromqOptions(guest), routingId: randomBytes(16).toString('hex') });
    const refused = breakOffWith(channel);
    dealer.events.on('disconnect', () => refused(new Error('it hung up')));
    dealer.connect(address);
    readAll(
      dealer,
      (frames) => (frames.length === 2 ? receiveControl(frames[1]) : channel.deliver(frames[0])),
      refused,
    );
    /** @param {Buffer} wire */
    const deliver = (wire) => channel.deliver(wire);
    const subscribe = guest.sharedQueue ? takeJobs : subscribeToAll;
    const unsubscribe =
      second === undefined
        ? () => {}
        : await withRollback(
            () => dealer.close(),
            () => subscribe(guest, second, deliver, refused),
          );
    return {
      send: (wire) => void dealer.send(wire).catch(refused),
      sendControl: (frame) => void dealer.send(['', frame]).catch(refused),
      release() {
        unsubscribe();
        dealer.close();
      },
    };
  });
}
