// Redis pub/sub, over topics as over-topics.js has them. One connection per process both publishes and subscribes, which
// RESP3 allows.

import { endsOverTopics } from '../lib/brokers/ends-over-topics.js';
import { netSetting } from '../lib/brokers/net-setting.js';
import { redisBroker } from '../lib/brokers/redis-broker.js';
import { redisTraits } from '../lib/brokers/redis-traits.js';
import { whyNotLoadable } from '../lib/machine/package-check.js';
import { reachOf } from '../lib/transport-kit/reach.js';

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
  traitsOf: reachOf,
  broker: redisBroker,
  whyUnavailable: (_, isGlance) => whyNotLoadable('ioredis', isGlance),
  ...endsOverTopics(':', () => import('../lib/brokers/redis-topics.js')),
};
