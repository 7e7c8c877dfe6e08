// Redis streams as queues: XADD and XREAD, or XREADGROUP with XACK. Each direction of each worker has a stream of its own,
// with one reader that waits at it over a connection of its own.

import { packageProblem } from '../../lib/machine/packages.js';
import { netSetting } from '../../lib/transport/brokers/net-setting.js';
import { redisQueueBroker } from '../../lib/transport/brokers/redis-broker.js';
import { persistSetting } from '../../lib/transport/brokers/redis-persistence.js';
import { redisTraits } from '../../lib/transport/brokers/redis-traits.js';
import { streamOfJobs } from './stream-jobs.js';
import { CLAIM_AFTER_MS, CLAIM_EVERY_MS, streamProblem, streamQueues, streamTraits } from './stream-queue.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'redis-streams',
  summary: 'Redis streams, XADD and XREAD (ioredis)',
  traits: {
    ...redisTraits,
    guarantee: 'in order, kept for a while after it was read; memory only',
    sources: [
      'https://redis.io/docs/latest/develop/data-types/streams/',
      'https://redis.io/docs/latest/commands/xreadgroup/',
      'https://redis.io/docs/latest/commands/xautoclaim/',
      'https://redis.io/docs/latest/commands/xtrim/',
      'https://github.com/redis/ioredis#streams', // no COUNT
      'https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/',
    ],
  },
  traitsOf: streamTraits,
  whyImpossible: streamProblem,
  look: { hue: 'rust', marker: 'circle' },
  carries: ['text', 'bytes'],
  settings: {
    net: netSetting,
    read: {
      summary: 'plain: XREAD from the last entry on; group: XREADGROUP, acknowledged by XACK once worked on',
      default: 'plain',
      choices: ['plain', 'group'],
      changesTheWay: true,
    },
    count: {
      summary: 'COUNT: most entries of one read; 0: all there are',
      default: 0,
      min: 0,
      max: 10_000,
      unit: 'entries',
    },
    claimAfter: {
      summary:
        'min-idle-time of XAUTOCLAIM: how long a job of a queue stays with a worker that does not acknowledge it',
      default: CLAIM_AFTER_MS,
      min: 1,
      max: 3_600_000,
      unit: 'ms',
    },
    claimEvery: {
      summary: 'how often each worker of a queue looks for jobs that it may claim',
      default: CLAIM_EVERY_MS,
      min: 1,
      max: 3_600_000,
      unit: 'ms',
    },
    persist: persistSetting,
  },
  broker: redisQueueBroker,
  whyUnavailable: (_, isGlance) => packageProblem('ioredis', isGlance),
  async listen(host) {
    const { listenOverQueues } = await import('../../lib/transport/brokers/redis-queues.js');
    return listenOverQueues(host, streamQueues(host), streamOfJobs(host));
  },
  async connect(guest) {
    const { connectOverQueues } = await import('../../lib/transport/brokers/redis-queues.js');
    return connectOverQueues(guest, streamQueues(guest), streamOfJobs(guest));
  },
};
