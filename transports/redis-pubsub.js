// Redis pub/sub. Each direction of each worker has a topic of its own, so a round trip is two publishes and two
// deliveries at any number of workers and loops; notes have topics beside them. One connection per process both
// publishes and subscribes, which RESP3 allows.

import { randomBytes } from 'node:crypto';
import { redisBroker } from '../lib/transport-kit/brokers/redis.js';
import { openTopics, topicNames } from '../lib/transport-kit/brokers/redis-topics.js';
import { joinMaster, receiveWorkers } from '../lib/transport-kit/message-joining.js';
import { whyNotLoadable } from '../lib/transport-kit/package-check.js';

/** @type {import('../lib/types.js').Transport} */
export default {
  name: 'redis-pubsub',
  summary: 'Redis pub/sub (ioredis, RESP3)',
  traits: {
    class: 'broker',
    reach: 'network',
    direction: 'duplex',
    guarantee: 'at most once, in order; memory only, no acknowledgement',
    greatestMessageBytes: 512 * 1024 * 1024, // proto-max-bulk-len
    platforms: ['linux', 'darwin', 'win32', 'freebsd'],
    broker: 'redis',
    messagesPerRoundTrip: 2, // question and answer
    sources: [
      'https://redis.io/docs/latest/develop/pubsub/',
      'https://redis.io/docs/latest/commands/subscribe/',
      'https://github.com/redis/ioredis/wiki/Upgrading-from-v5-to-v6',
    ],
  },
  carries: ['text', 'bytes'],
  settings: {
    net: {
      summary: 'how a private server is reached; unix: unix domain socket; tcp: loopback, with a password',
      default: process.platform === 'win32' ? 'tcp' : 'unix',
      choices: ['unix', 'tcp'],
    },
  },
  broker: redisBroker,
  whyUnavailable: () => whyNotLoadable('ioredis'),
  async listen(host) {
    const address = `ipc-bench:${host.launchId}:${randomBytes(8).toString('hex')}`;
    const topics = await openTopics(host.brokerUrl, (reason) => {
      host.onError(reason);
      workers.breakOff(reason);
    });
    const workers = receiveWorkers(host, async (channel, workerId) => {
      const names = topicNames(address, host.token, workerId);
      await topics.subscribe(names.toMaster, (bytes) => channel.deliver(bytes));
      const refused = (/** @type {Error} */ reason) => channel.breakOff(reason);
      return {
        send: topics.publisher(names.toWorker, refused),
        sendNote: topics.publisher(names.notesToWorker, refused),
        release: () => topics.unsubscribe(names.toMaster),
      };
    });
    await topics.subscribe(address, (bytes) => workers.hear(bytes, undefined));
    const close = async () => {
      await workers.close();
      await topics.close();
    };
    return { address, close };
  },
  connect(guest) {
    const names = topicNames(guest.address, guest.token, guest.workerId);
    return joinMaster(guest, async (channel, hear) => {
      const refused = (/** @type {Error} */ reason) => channel.breakOff(reason);
      const topics = await openTopics(guest.brokerUrl, refused);
      await topics.subscribe(names.toWorker, (bytes) => channel.deliver(bytes));
      await topics.subscribe(names.notesToWorker, hear);
      return {
        send: topics.publisher(names.toMaster, refused),
        sendNote: topics.publisher(guest.address, refused),
        release: () => topics.close(),
      };
    });
  },
};
