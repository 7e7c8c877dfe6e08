// Redis pub/sub, over topics (see over-topics.js). With RESP3, the same connection publishes and subscribes.

import { endsOverTopics, netSetting } from '../lib/channels/brokers/broker-transport.js';
import { redisBroker, redisTraits } from '../lib/channels/brokers/redis-broker.js';
import { reachTraits } from '../lib/channels/shared-traits.js';
import { packageProblem } from '../lib/machine/packages.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'redis-pubsub',
  summary: 'Redis pub/sub (ioredis, RESP3)',
  traits: {
    ...redisTraits,
    publishes: true,
    guarantee: 'at most once, in order; memory only, no acknowledgement',
    sources: [
      'https://redis.io/docs/latest/develop/pubsub/',
      'https://redis.io/docs/latest/commands/subscribe/',
      'https://github.com/redis/ioredis/wiki/Upgrading-from-v5-to-v6',
    ],
  },
  look: { hue: 'rust', marker: 'diamond', ownsHue: true },
  carries: ['text', 'bytes'],
  settings: { net: netSetting },
  traitsOf: reachTraits,
  broker: redisBroker,
  whyUnavailable: (_, isGlance) => packageProblem('ioredis', isGlance),
  ...endsOverTopics(':', () => import('../lib/channels/brokers/redis-client.js')),
};
