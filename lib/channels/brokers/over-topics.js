// The two ends of a launch over topics of a broker. Each direction of each worker has a separate topic, so a round trip is two publishes
// and two deliveries at any number of workers and loops; control frames (see message-channel.js) have separate topics.

import { joinMaster, publishedTo, receiveWorkers } from '../message-channel.js';
import { withRollback } from '../with-rollback.js';
import { intoQueue, newAddress, queueOfJobs, requireBrokerUrl, topicNames } from './topic-names.js';

/** @import { Channel, EndContext, GuestContext, HostContext, Listener } from '../../types/index.js' */
/**
 * One connection to a broker.
 * @typedef {object} Topics
 * @property {(topic: string, onBytes: (bytes: Buffer) => void, isShared?: boolean) => Promise<void>} subscribe   resolves when the broker
 *                                        has confirmed the subscription. With `isShared`, each message goes to one of the shared
 *                                        subscribers, if the broker supports that
 * @property {(topic: string) => void} unsubscribe
 * @property {(topic: string, refused: (reason: Error) => void, listeners?: number) => (wire: string | Uint8Array) => void} publisher
 *                                        calls `refused` on errors; `listeners` is the number of expected subscribers, 1 by default
 * @property {() => Promise<void>} close  sends all published messages first; safe to call twice
 */
/** @typedef {(url: string, onLost: (reason: Error) => void, end: EndContext & { workerId?: string }) => Promise<Topics>} OpenTopics */

/**
 * @param {HostContext} host
 * @param {string} separator
 * @param {OpenTopics} openTopics
 * @returns {Promise<Listener>}
 */
export async function listenOverTopics(host, separator, openTopics) {
  const address = newAddress(host.launchId, separator);
  /** @param {Error} reason */
  const onLost = (reason) => {
    host.onError(reason);
    workers.breakOff(reason);
  };
  const topics = await openTopics(requireBrokerUrl(host), onLost, host);
  const workers = receiveWorkers(host, async (channel, workerId) => {
    const names = topicNames(address, host.token, workerId, separator);
    await topics.subscribe(names.toMaster, (bytes) => channel.deliver(bytes));
    /** @param {Error} reason */
    const refused = (reason) => channel.breakOff(reason);
    return {
      send: topics.publisher(names.toWorker, refused),
      sendControl: topics.publisher(names.controlToWorker, refused),
      release: () => topics.unsubscribe(names.toMaster),
    };
  });
  await withRollback(topics.close, () =>
    topics.subscribe(address, (bytes) => workers.receiveControl(bytes, undefined)),
  );
  const close = async () => {
    await workers.close();
    await topics.close();
  };
  const publisher = () => {
    const channels = workers.channels();
    const publish = topics.publisher(toAll(address, host.token, separator), host.onError, channels.length);
    return publishedTo(channels, publish);
  };
  const queue = () => intoQueue(topics.publisher(queueOfJobs(address, host.token, separator), host.onError));
  return { address, close, publisher, queue };
}

/** @param {string} address @param {string} token @param {string} separator @returns {string} the topic that all workers read */
function toAll(address, token, separator) {
  return topicNames(address, token, 'all', separator).toWorker;
}

/**
 * @param {GuestContext} guest
 * @param {string} separator
 * @param {OpenTopics} openTopics
 * @returns {Promise<Channel>}
 */
export function connectOverTopics(guest, separator, openTopics) {
  const { address, token, isPublished, sharedQueue } = guest;
  const names = topicNames(address, token, guest.workerId, separator);
  return joinMaster(guest, async (channel, receiveControl) => {
    /** @param {Error} reason */
    const refused = (reason) => channel.breakOff(reason);
    const topics = await openTopics(requireBrokerUrl(guest), refused, guest);
    /** @param {Buffer} bytes */
    const deliver = (bytes) => channel.deliver(bytes);
    await withRollback(topics.close, () =>
      Promise.all([
        topics.subscribe(names.toWorker, deliver),
        topics.subscribe(names.controlToWorker, receiveControl),
        ...(isPublished ? [topics.subscribe(toAll(address, token, separator), deliver)] : []),
        ...(sharedQueue ? [topics.subscribe(queueOfJobs(address, token, separator), deliver, true)] : []),
      ]),
    );
    return {
      send: topics.publisher(names.toMaster, refused),
      sendControl: topics.publisher(guest.address, refused),
      release: () => topics.close(),
    };
  });
}
