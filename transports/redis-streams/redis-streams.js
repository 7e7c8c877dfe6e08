// Redis streams as queues: XADD and XREAD, or XREADGROUP with XACK. Each direction of each worker has a separate stream, whose reader has
// a separate connection.

import { netSetting } from '../../lib/channels/brokers/broker-transport.js';
import {
  persistenceText,
  persistenceTraits,
  persistSetting,
  redisQueueBroker,
  redisTraits,
} from '../../lib/channels/brokers/redis-broker.js';
import { reachTraits } from '../../lib/channels/shared-traits.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @import { EndContext, Traits, Transport } from '../../lib/types/transports.js' */

/** Exceeds the pauses of a process on a busy machine. With minutes, as usual in production, no claim would happen within a run. */
const CLAIM_AFTER_MS = 2_000;
const CLAIM_EVERY_MS = 500;

/** @param {EndContext['settings']} settings @returns {Partial<Traits>} */
function streamTraits({ read, persist, net, claimAfter }) {
  const until =
    read === 'group'
      ? 'at least once, in order, kept until acknowledged'
      : 'in order, kept for a while after it was read; the reader keeps its position';
  return {
    ...persistenceTraits(persist),
    ...reachTraits({ net }),
    guarantee: `${until}; ${persistenceText(persist)}`,
    ...(read === 'group' && { queues: 'at least once', claimsAfterMs: Number(claimAfter) }),
  };
}

/** @param {EndContext['settings']} settings @returns {string | null} */
function streamProblem({ read, claimAfter, claimEvery }) {
  if (read === 'group' || (claimAfter === CLAIM_AFTER_MS && claimEvery === CLAIM_EVERY_MS)) return null;
  return 'claimAfter and claimEvery go with read=group only: other readers acknowledge nothing';
}

/** @type {Transport} */
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
      'https://github.com/redis/ioredis#streams', // examples without COUNT
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
      summary:
        'plain: XREAD from the last entry on; group: XREADGROUP, acknowledged by XACK when its work is done',
      default: 'plain',
      choices: ['plain', 'group'],
      changesRoute: true,
    },
    count: {
      summary: 'COUNT: greatest number of entries per read; 0: no limit',
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
    const [{ listenOverQueues }, { streamOfJobs, streamQueues }] = await loadEnds();
    return listenOverQueues(host, streamQueues(host), streamOfJobs(host));
  },
  async connect(guest) {
    const [{ connectOverQueues }, { streamOfJobs, streamQueues }] = await loadEnds();
    return connectOverQueues(guest, streamQueues(guest), streamOfJobs(guest));
  },
};

const loadEnds = () =>
  Promise.all([import('../../lib/channels/brokers/redis-queues.js'), import('./stream-queue.js')]);
