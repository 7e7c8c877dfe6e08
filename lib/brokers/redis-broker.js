// A private Redis (or Valkey) for one run. What starts it and reads it is loaded when it is needed: master and workers
// import this file too.

import { BenchError } from '../errors.js';
import { findOnPath } from '../processes/launcher.js';

/** @import { Broker } from '../types/transports.js' */

const SERVERS = ['redis-server', 'valkey-server'];
const MISSING =
  'no redis-server or valkey-server on PATH: apt install redis-server / brew install redis, or give --redis-url';

/** @type {Broker} */
export const redisBroker = {
  name: 'redis',
  urlSchemes: ['redis', 'rediss', 'unix', 'redis+unix'],
  openGauge: async (url) => (await import('./redis-traffic.js')).openRedisGauge(url),
  describe: async (url) => (await import('./redis-traffic.js')).describeRedis(url),
  async whyUnavailable() {
    return findServer() === undefined ? MISSING : undefined;
  },
  async start(place) {
    const command = findServer();
    if (command === undefined) throw new BenchError('BROKER', MISSING);
    const { startRedis } = await import('./redis-start.js');
    return startRedis(command, place);
  },
};

/** The same, for transports that leave messages in it until they are taken. @type {Broker} */
export const redisQueueBroker = {
  ...redisBroker,
  openGauge: async (url) => (await import('./redis-queue-traffic.js')).openQueueGauge(url),
};

function findServer() {
  return SERVERS.map((name) => findOnPath(name)).find((path) => path !== undefined);
}
