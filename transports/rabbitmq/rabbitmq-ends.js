// The two ends of a launch over queues of a RabbitMQ server. The master has one connection with an AMQP channel for each connection of a
// worker, so that an error on one channel does not affect the others.

import {
  intoQueue,
  newAddress,
  queueOfJobs,
  requireBrokerUrl,
  topicNames,
} from '../../lib/channels/brokers/topic-names.js';
import { joinMaster, receiveWorkers } from '../../lib/channels/message-channel.js';
import { withRollback } from '../../lib/channels/with-rollback.js';
import { BenchError } from '../../lib/errors.js';
import { openRabbitmq } from './rabbitmq-connection.js';
import { settingsProblem } from './rabbitmq-guarantees.js';
import { DIRECT_REPLY, openMail } from './rabbitmq-mail.js';

/** @import { OpenedRabbitmq } from './rabbitmq-connection.js' */
/** @import { Channel, EndContext, GuestContext, HostContext, Listener } from '../../lib/types/transports.js' */

const SEPARATOR = '.';
const JOIN_SETTINGS = { guarantee: 'none' }; // for the queue of requests to join

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listenOverMail(host) {
  const address = newAddress(host.launchId, SEPARATOR);
  /** @param {Error} reason */
  const onLost = (reason) => {
    host.onError(reason);
    workers.breakOff(reason);
  };
  const opened = await openFor(host, onLost);
  const workers = receiveWorkers(host, async (channel, workerId, /** @type {string} */ replyTo) => {
    const { toMaster } = topicNames(address, host.token, workerId, SEPARATOR);
    const mail = await openMail(opened, host.settings, (reason) => channel.breakOff(reason));
    await mail.receive(toMaster, (bytes) => channel.deliver(bytes), workers.receiveControl);
    return { ...mail.publisher(replyTo, {}), release: mail.release };
  });
  await orCannotUse(opened, async () => {
    const joinQueue = await openMail(opened, JOIN_SETTINGS, onLost);
    await joinQueue.receive(
      address,
      () => host.onRejected('sent data without having joined'),
      workers.receiveControl,
    );
  });
  const jobs = host.sharedQueue ? await orCannotUse(opened, () => openJobs(opened, host, address)) : null;
  const close = async () => {
    await workers.close();
    await jobs?.release();
    await opened.close();
  };
  return { address, close, ...(jobs !== null && { queue: () => jobs }) };
}

/**
 * Declares the queue from which all workers take jobs, and opens the channel that publishes to it. The queue is durable, since RabbitMQ
 * deprecates queues that are neither durable nor exclusive. The guarantee decides whether its messages are durable.
 * Source: https://www.rabbitmq.com/docs/queues#durability
 * @param {OpenedRabbitmq} opened
 * @param {HostContext} host
 * @param {string} address
 */
async function openJobs(opened, host, address) {
  const queue = queueOfJobs(address, host.token, SEPARATOR);
  const mail = await openMail(opened, host.settings, host.onError);
  await mail.offer(queue);
  return { ...intoQueue(mail.publisher(queue, {}).send), release: mail.release };
}

/** @param {GuestContext} guest @returns {Promise<Channel>} */
export function connectOverMail(guest) {
  const { toMaster, toWorker } = topicNames(guest.address, guest.token, guest.workerId, SEPARATOR);
  const replyTo = guest.settings.reply === 'direct' ? DIRECT_REPLY : toWorker;
  return joinMaster(guest, async (channel, receiveControl) => {
    /** @param {Error} reason */
    const refused = (reason) => channel.breakOff(reason);
    const opened = await openFor(guest, refused);
    const mail = await orCannotUse(opened, async () => {
      const own = await openMail(opened, guest.settings, refused);
      await own.receive(replyTo, (bytes) => channel.deliver(bytes), receiveControl);
      return own;
    });
    const { sharedQueue } = guest;
    if (sharedQueue) {
      const jobs = await openMail(opened, { ...guest.settings, ...sharedQueue }, refused);
      await jobs.take(queueOfJobs(guest.address, guest.token, SEPARATOR), (bytes) => channel.deliver(bytes));
    }
    // Each message names the queue of its response, as usual for RPC over RabbitMQ.
    const toOwnQueue = mail.publisher(toMaster, { replyTo });
    let controlTo = mail.publisher(guest.address, { replyTo });
    return {
      send: toOwnQueue.send,
      sendControl(frame) {
        controlTo.sendControl(frame);
        controlTo = toOwnQueue; // the master reads it after the request to join
      },
      async release() {
        await mail.release();
        await opened.close();
      },
    };
  });
}

/** @param {EndContext} end @param {(reason: Error) => void} onLost */
function openFor(end, onLost) {
  const { settings } = end;
  const why = settingsProblem(settings);
  if (why !== null) throw new BenchError('BAD_ARGUMENT', `rabbitmq: ${why}`);
  return openRabbitmq(requireBrokerUrl(end), onLost, { noDelay: settings.noDelay !== false });
}

/** @template Made @param {OpenedRabbitmq} opened @param {() => Promise<Made>} make */
function orCannotUse({ connection, close }, make) {
  return withRollback(close, make).catch((error) => {
    throw connection.failure('cannot use', error);
  });
}
