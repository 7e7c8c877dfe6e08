// The two ends of a launch over queues of a Redis: one for each direction of each worker, for messages and control notes (see
// message-channel.js), so that their order is kept. A connection that waits for a queue can do nothing else: each end has one for every
// queue that it reads, and one for all its writes. A QueueKind implements a queue as a list or a stream. redis-cleanup.js removes the
// queues.

import { BenchError } from '../../errors.js';
import { joinMaster, receiveWorkers } from '../message-channel.js';
import { onlyOnce, withRollback } from '../with-rollback.js';
import { leaveQueues, removeKeys, startRedisCleanup } from './redis-cleanup.js';
import { openRedis, openTopics } from './redis-client.js';
import { intoQueue, newAddress, queueOfJobs, requireBrokerUrl, topicNames } from './topic-names.js';

/** @import { GuestContext, HostContext } from '../../types/index.js' */
/** @import { Redis } from 'ioredis' */
/** @import { PeerSender } from '../message-channel.js' */
/** @import { Persist } from './redis-broker.js' */

/**
 * @param {HostContext} host
 * @param {QueueKind} kind
 * @param {QueueKind} [kindOfJobs]   kind of the shared queue of jobs
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
        onNote: (bytes) => workers.receiveNote(bytes, undefined),
        refused,
      },
    );
    conversations += 1;
    const release = async () => {
      conversations -= 1;
      await stopReading();
      await leaveQueues(topics.client, { read: kind.keysOf(toMaster), written: kind.keysOf(toWorker) });
    };
    return { ...kind.writer(topics.client, toWorker, refused), release };
  });
  const close = async () => {
    // A worker that died may not have removed the queues of its further connections.
    const hasAllLeft = conversations === 0;
    await workers.close();
    const isClean = (await removeKeys(topics.client, keys)) && hasAllLeft;
    await topics.close();
    await cleanup?.dismiss(isClean);
  };
  await withRollback(close, async () => {
    await assertPersists(topics.client, host.settings.persist);
    await topics.subscribe(address, (bytes) => workers.receiveNote(bytes, undefined));
  });
  const queueOf = (/** @type {string} */ queue) =>
    intoQueue(kindOfJobs.writer(topics.client, queue, host.onError).send);
  return { address, close, ...(jobs !== null && { queue: () => queueOf(jobs) }) };
}

/**
 * @param {GuestContext} guest
 * @param {QueueKind} kind
 * @param {QueueKind} [kindOfJobs]   kind of the shared queue of jobs
 * @returns {Promise<import('../../types/transports.js').Channel>}
 */
export function connectOverQueues(guest, kind, kindOfJobs = kind) {
  const url = requireBrokerUrl(guest);
  const { toMaster, toWorker } = topicNames(guest.address, guest.token, guest.workerId, ':');
  return joinMaster(guest, async (channel, receiveNote) => {
    const refused = (/** @type {Error} */ reason) => channel.breakOff(reason);
    const topics = await openTopics(url, refused, guest);
    const requestToJoin = topics.publisher(guest.address, refused);
    let hasRequested = false;
    let isAdmitted = false;
    const onNote = (/** @type {Buffer} */ bytes) => {
      isAdmitted = true;
      receiveNote(bytes);
    };
    const handlers = { onData: (/** @type {Buffer} */ bytes) => channel.deliver(bytes), onNote, refused };
    const place = { url, lost: refused };
    const stopReading = await withRollback(topics.close, () =>
      readQueue({ ...place, kind, queue: toWorker }, handlers),
    );
    const jobs = queueOfJobs(guest.address, guest.token, ':');
    const hangUp = async () => {
      await stopReading();
      await topics.close();
    };
    const stopTaking = guest.sharedQueue
      ? await withRollback(hangUp, () => readQueue({ ...place, kind: kindOfJobs, queue: jobs }, handlers))
      : null;
    const writer = kind.writer(topics.client, toMaster, refused);
    return {
      send: writer.send,
      sendNote(note) {
        // The first note is a request to join: before that, the master does not read this queue.
        if (hasRequested) writer.sendNote(note);
        else requestToJoin(note);
        hasRequested = true;
      },
      async release() {
        await Promise.all([stopReading(), stopTaking?.()]);
        // Once this worker is admitted, the master may still read its messages, so their queue expires later.
        if (isAdmitted)
          await leaveQueues(topics.client, { read: kind.keysOf(toWorker), written: kind.keysOf(toMaster) });
        else await removeKeys(topics.client, [toWorker, toMaster].flatMap(kind.keysOf));
        await topics.close();
      },
    };
  });
}

/** @typedef {(reason: Error) => void} Refused */
/**
 * @typedef {object} QueueHandlers
 * @property {(bytes: Buffer) => void} onData
 * @property {(bytes: Buffer) => void} onNote
 * @property {Refused} refused
 */
/**
 * @typedef {object} QueueKind
 * @property {(client: Redis, queue: string) => Promise<unknown>} prepare    called by each reader before its first read
 * @property {(client: Redis, queue: string, handlers: QueueHandlers) => Promise<never>} read   rejects on any error
 * @property {(client: Redis, queue: string, refused: Refused) => Pick<PeerSender, 'send' | 'sendNote'>} writer
 * @property {(queue: string) => string[]} keysOf    keys that the queue may use
 */

/**
 * @param {{ kind: QueueKind, url: string, queue: string, lost: Refused }} place
 * @param {QueueHandlers} handlers
 * @returns {Promise<() => Promise<void>>} stops reading at once, even during a blocking read
 */
async function readQueue({ kind, url, queue, lost }, handlers) {
  const { client, close } = await openRedis(url, lost, true);
  const readError = (/** @type {Error} */ error) =>
    new BenchError('BROKER', `Redis refused to read a queue: ${error.message}`);
  await withRollback(close, () => kind.prepare(client, queue)).catch((error) => {
    throw readError(error);
  });
  kind.read(client, queue, handlers).catch((error) => {
    if (isReply(error)) handlers.refused(readError(error));
    // `lost` reports a lost connection. Anything else is a bug.
    else if (client.status === 'ready') throw error;
  });
  return close;
}

/** @param {Redis} client @param {Refused} refused */
export function refusedWrite(client, refused) {
  return (/** @type {Error} */ error) => {
    if (client.status !== 'ready') return;
    refused(new BenchError('BROKER', `Redis refused a message: ${error.message}`));
  };
}

/** @param {any} error @returns {boolean} true for errors of the server, such as OOM and NOPERM */
function isReply(error) {
  return error?.name === 'ReplyError';
}

/**
 * @param {Redis} client
 * @param {Persist} persist
 * @throws {BenchError} BROKER if the server is not configured for exactly this `persist`
 */
export async function assertPersists(client, persist) {
  if (persist === undefined || persist === 'none') return;
  const wanted = { appendonly: 'yes', appendfsync: String(persist) };
  for (const [name, value] of Object.entries(wanted)) {
    const [, found = 'unknown'] = await client.config('GET', name).then(asPair, () => []);
    if (found === value) continue;
    throw new BenchError(
      'BROKER',
      `persist=${persist} needs a Redis with ${name} ${value}, and here it is ${found}: change the server, or leave out persist=${persist}`,
    );
  }
}

/**
 * @param {any} reply   to CONFIG GET of one name: a list, or an object if the client maps replies
 * @returns {string[]} name and value; empty if the server does not have the name
 */
function asPair(reply) {
  return Array.isArray(reply) ? reply : Object.entries(reply).flat();
}
