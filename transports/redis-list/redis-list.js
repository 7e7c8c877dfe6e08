// Redis lists as queues: LPUSH at one end, BRPOP, BLMPOP or BLMOVE at the other. Each direction of each worker has a separate list, whose
// reader has a separate connection.

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

/** @import { Settings, Traits, Transport } from '../../lib/types/index.js' */

/** @param {Settings} settings @returns {string | null} */
function listProblem({ guarantee, batch }) {
  if (guarantee !== 'move' || batch === 1) return null;
  return 'guarantee=move takes one element at a time: leave batch, or choose guarantee=pop';
}

/** @param {Settings} settings @returns {Partial<Traits>} */
function listTraits({ guarantee, persist, net }) {
  const until =
    guarantee === 'move'
      ? 'at least once, in order, kept until acknowledged'
      : 'at most once, in order, kept until taken';
  return {
    ...persistenceTraits(persist),
    ...reachTraits({ net }),
    guarantee: `${until}; ${persistenceText(persist)}`,
    // With `move`, elements of a dead worker would stay in the list of elements that are being processed, from which no worker reads.
    ...(guarantee === 'pop' && { queues: 'at most once' }),
  };
}

/** @type {Transport} */
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
      'https://github.com/redis/ioredis/issues/1136', // a blocked connection cannot be shared
    ],
  },
  traitsOf: listTraits,
  whyImpossible: listProblem,
  look: { hue: 'rust', marker: 'square' },
  carries: ['text', 'bytes'],
  settings: {
    net: netSetting,
    guarantee: {
      summary:
        'pop: what is taken is gone (BRPOP); move: it is kept until its work is done (BLMOVE, then LREM)',
      default: 'pop',
      choices: ['pop', 'move'],
      changesRoute: true,
    },
    batch: {
      summary:
        'greatest number of elements taken at once; above 1: by BLMPOP, with guarantee=pop and Redis 7',
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
    const [{ listenOverQueues }, { listQueues }] = await loadEnds();
    return listenOverQueues(host, listQueues(host));
  },
  async connect(guest) {
    const [{ connectOverQueues }, { listQueues }] = await loadEnds();
    return connectOverQueues(guest, listQueues(guest));
  },
};

const loadEnds = () =>
  Promise.all([import('../../lib/channels/brokers/redis-queues.js'), import('./list-queue.js')]);
