// Redis lists as queues: LPUSH at one end, BRPOP or BLMOVE at the other. Each direction of each worker has a list of its
// own, with one reader that waits in it over a connection of its own.

import { packageProblem } from '../../lib/machine/packages.js';
import { netSetting } from '../../lib/transport/brokers/net-setting.js';
import { redisQueueBroker } from '../../lib/transport/brokers/redis-broker.js';
import { persistSetting } from '../../lib/transport/brokers/redis-persistence.js';
import { redisTraits } from '../../lib/transport/brokers/redis-traits.js';
import { listProblem, listQueues, listTraits } from './list-queue.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'redis-list',
  summary: 'Redis lists as queues, LPUSH and BRPOP (ioredis)',
  traits: {
    ...redisTraits,
    guarantee: 'at most once, in order, kept until taken; memory only',
    sources: [
      'https://redis.io/docs/latest/commands/brpop/',
      'https://redis.io/docs/latest/commands/lmove/#pattern-reliable-queue',
      'https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/',
      'https://github.com/redis/ioredis/issues/1136', // a connection that waits does nothing else
    ],
  },
  traitsOf: listTraits,
  whyImpossible: listProblem,
  look: { hue: 'rust', marker: 'square' },
  carries: ['text', 'bytes'],
  settings: {
    net: netSetting,
    guarantee: {
      summary: 'pop: what is taken is gone (BRPOP); move: it is kept until worked on (BLMOVE, then LREM)',
      default: 'pop',
      choices: ['pop', 'move'],
      changesTheWay: true,
    },
    batch: {
      summary: 'most elements taken at once; above 1: by BLMPOP, with guarantee=pop and Redis 7',
      default: 1,
      min: 1,
      max: 10_000,
      unit: 'elements',
    },
    persist: persistSetting,
  },
  broker: redisQueueBroker,
  whyUnavailable: (_, isGlance) => packageProblem('ioredis', isGlance),
  async listen(host) {
    const { listenOverQueues } = await import('../../lib/transport/brokers/redis-queues.js');
    return listenOverQueues(host, listQueues(host));
  },
  async connect(guest) {
    const { connectOverQueues } = await import('../../lib/transport/brokers/redis-queues.js');
    return connectOverQueues(guest, listQueues(guest));
  },
};
