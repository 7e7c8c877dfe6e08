// A private Redis (or Valkey) for one run. What starts it and reads it is loaded when it is needed: master and workers
// import this file too.

import { findServer } from './find-server.js';
import { serverProgram } from './server-program.js';

/** @import { Broker } from '../types/transports.js' */

const MISSING =
  'no redis-server or valkey-server on PATH: apt install redis-server / brew install redis, or give --redis-url';

/** @type {Broker} */
export const redisBroker = {
  name: 'redis',
  urlSchemes: ['redis', 'rediss', 'unix', 'redis+unix'],
  openGauge: async (url) => (await import('./redis-traffic.js')).openTopicGauge(url),
  describe: async (url) => (await import('./redis-traffic.js')).describeRedis(url),
  ...serverProgram({
    find: () => findServer('redis-server', 'valkey-server'),
    missing: MISSING,
    start: async (command, place) => (await import('./redis-start.js')).startRedis(command, place),
  }),
};

/** The same, for transports that leave messages in it until they are taken. @type {Broker} */
export const redisQueueBroker = {
  ...redisBroker,
  openGauge: async (url) => (await import('./redis-queue-traffic.js')).openQueueGauge(url),
};
