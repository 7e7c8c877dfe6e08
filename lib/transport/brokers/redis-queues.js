// The two ends of a launch over queues of a Redis: one for each direction of each worker, for messages and notes alike, so
// that a note arrives behind what was sent before it. A connection that waits at a queue can do nothing else: each
// process has one for every queue it reads, and one for all it writes. A QueueKind says what a queue is.

import { withDeadline } from '../../children/with-deadline.js';
import { joinMaster, receiveWorkers } from '../message-joining.js';
import { onlyOnce } from '../once.js';
import { withRollback } from '../with-rollback.js';
import { assertPersists } from './redis-persistence.js';
import { readQueue } from './redis-queue.js';
import { openTopics } from './redis-topics.js';
import { requireBrokerUrl } from './require-broker-url.js';
import { intoQueue, queueOfJobs } from './shared-queue.js';
import { startRedisCleanup } from './start-redis-cleanup.js';
import { newAddress, topicNames } from './topic-names.js';

/** @import { GuestContext, HostContext } from '../../types/index.js' */
/** @import { QueueKind } from './redis-queue.js' */
/** @import { Redis } from 'ioredis' */

const REMOVE_DEADLINE_MS = 1_000; // a Redis that stands still is not waited for
const UNREAD_S = 3; // what the other end has not read by then, it never will

/**
 * @param {HostContext} host
 * @param {QueueKind} kind
 * @param {QueueKind} [kindOfJobs]   of the queue that all workers take from; absent: the same
 * @returns {Promise<import('../../types/transports.js').Listener>}
 */
export async function listenOverQueues(host, kind, kindOfJobs = kind) {
  const address = newAddress(host.launchId, ':');
  const url = requireBrokerUrl(host);
  const namesOf = (/** @type {string} */ workerId) => topicNames(address, host.token, workerId, ':');
  const keys = Array.from({ length: host.workers }, (_, index) => namesOf(`w${index}`)).flatMap(
    ({ toMaster, toWorker }) => [...kind.keysOf(toMaster), ...kind.keysOf(toWorker)],
  );
  const jobs = host.sharedQueue ? queueOfJobs(address, host.token, ':') : null;
  if (jobs !== null) keys.push(...kindOfJobs.keysOf(jobs));
  const lost = onlyOnce((/** @type {Error} */ reason) => {
    host.onError(reason);
    workers.breakOff(reason);
  });
  const topics = await openTopics(url, lost);
  const cleanup = host.isBrokerOurs === true ? undefined : startRedisCleanup(url, keys, `${address}:*`);
  let conversations = 0;
  const workers = receiveWorkers(host, async (channel, workerId) => {
    const { toMaster, toWorker } = namesOf(workerId);
    const refused = (/** @type {Error} */ reason) => channel.breakOff(reason);
    const stopReading = await readQueue(
      { kind, url, queue: toMaster, lost },
      {
        onData: (bytes) => channel.deliver(bytes),
        onNote: (bytes) => workers.hear(bytes, undefined),
        refused,
      },
    );
    conversations += 1;
    const release = async () => {
      conversations -= 1;
      await stopReading();
      await leaveQueues(topics.client, kind, { own: toMaster, others: toWorker });
    };
    return { ...kind.writer(topics.client, toWorker, refused), release };
  });
  const close = async () => {
    // A worker that has died may have left queues that it never told of.
    const hasAllLeft = conversations === 0;
    await workers.close();
    const isClean = (await remove(topics.client, keys)) && hasAllLeft;
    await topics.close();
    await cleanup?.dismiss(isClean);
  };
  await withRollback(close, async () => {
    await assertPersists(topics.client, host.settings.persist);
    await topics.subscribe(address, (bytes) => workers.hear(bytes, undefined));
  });
  const queueOf = (/** @type {string} */ queue) =>
    intoQueue(kindOfJobs.writer(topics.client, queue, host.onError).send);
  return { address, close, ...(jobs !== null && { queue: () => queueOf(jobs) }) };
}

/**
 * @param {GuestContext} guest
 * @param {QueueKind} kind
 * @param {QueueKind} [kindOfJobs]   of the queue that all workers take from; absent: the same
 * @returns {Promise<import('../../types/transports.js').Channel>}
 */
export function connectOverQueues(guest, kind, kindOfJobs = kind) {
  const url = requireBrokerUrl(guest);
  const { toMaster, toWorker } = topicNames(guest.address, guest.token, guest.workerId, ':');
  return joinMaster(guest, async (channel, hear) => {
    const refused = (/** @type {Error} */ reason) => channel.breakOff(reason);
    const topics = await openTopics(url, refused, guest);
    const knock = topics.publisher(guest.address, refused);
    let hasKnocked = false;
    let hasHeard = false;
    const onNote = (/** @type {Buffer} */ bytes) => {
      hasHeard = true;
      hear(bytes);
    };
    const heard = { onData: (/** @type {Buffer} */ bytes) => channel.deliver(bytes), onNote, refused };
    const place = { url, lost: refused };
    const stopReading = await withRollback(topics.close, () =>
      readQueue({ ...place, kind, queue: toWorker }, heard),
    );
    const jobs = queueOfJobs(guest.address, guest.token, ':');
    const stopTaking = guest.sharedQueue
      ? await readQueue({ ...place, kind: kindOfJobs, queue: jobs }, heard)
      : null;
    const writer = kind.writer(topics.client, toMaster, refused);
    return {
      send: writer.send,
      sendNote(note) {
        // Asking to join comes first, and nobody reads our queue before that.
        if (hasKnocked) writer.sendNote(note);
        else knock(note);
        hasKnocked = true;
      },
      async release() {
        await Promise.all([stopReading(), stopTaking?.()]);
        // A master that let us in may still have to read what we wrote. Nobody else does.
        if (hasHeard) await leaveQueues(topics.client, kind, { own: toWorker, others: toMaster });
        else await remove(topics.client, [toWorker, toMaster].flatMap(kind.keysOf));
        await topics.close();
      },
    };
  });
}

/**
 * Each end removes the queue that it has read. If the other end has died, nobody reads or removes the one it read.
 * @param {Redis} client
 * @param {QueueKind} kind
 * @param {{ own: string, others: string }} queues
 */
async function leaveQueues(client, kind, { own, others }) {
  for (const key of kind.keysOf(others)) client.expire(key, UNREAD_S).catch(() => {});
  await remove(client, kind.keysOf(own));
}

/**
 * @param {Redis} client
 * @param {string[]} keys
 * @returns {Promise<boolean>} false: the Redis is gone, or does not answer
 */
function remove(client, keys) {
  const removed = client.unlink(...keys).then(
    () => true,
    () => false,
  );
  return withDeadline(removed, REMOVE_DEADLINE_MS, () => false);
}
