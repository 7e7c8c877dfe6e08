// The two ends of a launch over queues of a Redis: one for each direction of each worker, for messages and control frames (see
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
        onControl: (bytes) => workers.receiveControl(bytes, undefined),
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
    await topics.subscribe(address, (bytes) => workers.receiveControl(bytes, undefined));
  });
  /** @param {string} queue */
  const queueOf = (queue) => intoQueue(kindOfJobs.writer(topics.client, queue, host.onError).send);
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
  return joinMaster(guest, async (channel, receiveControl) => {
    const refused = (/** @type {Error} */ reason) => channel.breakOff(reason);
    const end = new WorkerEnd(guest, kind, await openTopics(url, refused, guest), refused);
    /** @type {QueueHandlers} */
    const handlers = {
      onData: (bytes) => channel.deliver(bytes),
      onControl(bytes) {
        end.state = 'admitted';
        receiveControl(bytes);
      },
      refused,
    };
    await withRollback(
      () => end.close(),
      async () => {
        await end.read({ kind, url, queue: end.queues.toWorker, lost: refused }, handlers);
        if (!guest.sharedQueue) return;
        const queue = queueOfJobs(guest.address, guest.token, ':');
        await end.read({ kind: kindOfJobs, url, queue, lost: refused }, handlers);
      },
    );
    return end;
  });
}

/** The connections of a worker: one for each queue that it reads, and one for all its writes. @implements {PeerSender} */
class WorkerEnd {
  /**
   * @param {GuestContext} guest
   * @param {QueueKind} kind
   * @param {Awaited<ReturnType<typeof openTopics>>} topics   closed by `close`
   * @param {Refused} refused
   */
  constructor({ address, token, workerId }, kind, topics, refused) {
    this.kind = kind;
    this.topics = topics;
    this.queues = topicNames(address, token, workerId, ':');
    this.requestToJoin = topics.publisher(address, refused);
    this.writer = kind.writer(topics.client, this.queues.toMaster, refused);
    this.send = this.writer.send;
    /** @type {'new' | 'requested' | 'admitted'} */
    this.state = 'new';
    /** @type {(() => Promise<void>)[]} */
    this.stopReading = [];
  }

  /** @param {Parameters<typeof readQueue>[0]} queue @param {QueueHandlers} handlers */
  async read(queue, handlers) {
    this.stopReading.push(await readQueue(queue, handlers));
  }

  /** @param {string} frame   the first one is a request to join: before that, the master does not read the queue of this worker */
  sendControl(frame) {
    if (this.state !== 'new') return this.writer.sendControl(frame);
    this.state = 'requested';
    this.requestToJoin(frame);
  }

  async release() {
    const { kind, topics, queues } = this;
    await this.stop();
    // Once this worker is admitted, the master may still read its messages, so their queue expires later.
    const [read, written] = [kind.keysOf(queues.toWorker), kind.keysOf(queues.toMaster)];
    if (this.state === 'admitted') await leaveQueues(topics.client, { read, written });
    else await removeKeys(topics.client, [...read, ...written]);
    await topics.close();
  }

  async close() {
    await this.stop();
    await this.topics.close();
  }

  async stop() {
    await Promise.all(this.stopReading.map((stop) => stop()));
  }
}

/** @typedef {(reason: Error) => void} Refused */
/**
 * @typedef {object} QueueHandlers
 * @property {(bytes: Buffer) => void} onData
 * @property {(bytes: Buffer) => void} onControl
 * @property {Refused} refused
 */
/**
 * @typedef {object} QueueKind
 * @property {(client: Redis, queue: string) => Promise<unknown>} prepare    called by each reader before its first read
 * @property {(client: Redis, queue: string, handlers: QueueHandlers) => Promise<never>} read   rejects on any error
 * @property {(client: Redis, queue: string, refused: Refused) => Pick<PeerSender, 'send' | 'sendControl'>} writer
 * @property {(queue: string) => string[]} keysOf    keys that the queue may use
 */

/**
 * @param {{ kind: QueueKind, url: string, queue: string, lost: Refused }} reading
 * @param {QueueHandlers} handlers
 * @returns {Promise<() => Promise<void>>} stops reading at once, even during a blocking read
 */
async function readQueue({ kind, url, queue, lost }, handlers) {
  const { client, close } = await openRedis(url, lost, true);
  /** @param {Error} error */
  const readError = (error) => new BenchError('BROKER', `Redis refused to read a queue: ${error.message}`);
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

/** @param {Redis} client @param {Refused} refused @returns {Refused} reports an error of a write, unless the connection is lost */
export function refusedWrite(client, refused) {
  return (error) => {
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
 * @param {any} reply   reply to CONFIG GET of one name: a list, or an object if the client maps replies
 * @returns {string[]} name and value; empty if the server does not have the name
 */
function asPair(reply) {
  return Array.isArray(reply) ? reply : Object.entries(reply).flat();
}
