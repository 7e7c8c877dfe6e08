// What all transports through a Redis have in common.

import { brokerTraits } from './broker-traits.js';

/** @type {Omit<import('../../types/transports.js').Traits, 'guarantee' | 'sources'>} */
export const redisTraits = Object.freeze({
  ...brokerTraits,
  greatestMessageBytes: 512 * 1024 * 1024, // proto-max-bulk-len
  broker: 'redis',
  packages: ['ioredis'],
});
