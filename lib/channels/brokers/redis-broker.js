// Server, traits and settings of the transports over Redis (or Valkey). The code that starts and queries a server is loaded on demand,
// since masters and workers import this file too.

import { isSocketUrl, parsedUrl } from '../../format/socket-url.js';
import { brokerTraits, findServer, howToInstall, serverProgram } from './broker-transport.js';

/** @import { Broker, Setting, Traits } from '../../types/index.js' */

const PACKAGES = {
  apt: 'redis-server',
  dnf: 'valkey',
  apk: 'redis',
  pacman: 'valkey',
  zypper: 'redis',
  brew: 'redis',
};
const START =
  process.platform === 'win32' ? 'start Redis in WSL, or Memurai, and' : `${howToInstall(PACKAGES)}, or`;
const MISSING = `no redis-server or valkey-server on PATH: ${START} give --broker-url redis=redis://HOST:PORT`;

/** @type {Broker} */
export const redisBroker = {
  name: 'redis',
  packages: PACKAGES,
  urlSchemes: ['redis', 'rediss', 'unix', 'redis+unix'],
  whyBadUrl: urlProblem,
  openGauge: async (url) => (await import('./redis-server.js')).openTopicGauge(url),
  describe: async (url) => (await import('./redis-server.js')).describeRedis(url),
  ...serverProgram({
    find: () => findServer('redis-server', 'valkey-server'),
    missing: MISSING,
    start: async (command, start) => (await import('./redis-server.js')).startRedis(command, start),
  }),
};

/** Redis as the broker of transports over queues, which keep messages until they are received. @type {Broker} */
export const redisQueueBroker = {
  ...redisBroker,
  openGauge: async (url) => (await import('./redis-server.js')).openQueueGauge(url),
};

/** @type {NonNullable<Broker['whyBadUrl']>} */
function urlProblem(url) {
  const parsed = parsedUrl(url);
  const given = [isSocketUrl(url) ? '' : parsed?.pathname.slice(1), parsed?.searchParams.get('db')];
  if (given.every((database) => !database || /^\d+$/.test(database))) return null;
  return 'its database is not a number; write redis://host:port/1, unix:///path?db=1, or neither';
}

/** @type {Omit<Traits, 'guarantee' | 'sources'>} */
export const redisTraits = Object.freeze({
  ...brokerTraits,
  greatestMessageBytes: 512 * 1024 * 1024, // default of proto-max-bulk-len
  broker: 'redis',
  packages: ['ioredis'],
});

/** @typedef {string | number | boolean | undefined} Persist   undefined if the transport has no such setting */

/** @type {Setting} */
export const persistSetting = Object.freeze({
  summary:
    'what a private server writes to disk; none: nothing; everysec: all, at the latest a second later; ' +
    'always: all, before it responds. A server given by URL must be configured so already',
  default: 'none',
  choices: ['none', 'everysec', 'always'],
});

/** @param {Persist} persist @returns {Partial<Traits>} */
export function persistenceTraits(persist) {
  if (persist === 'always') return { durability: 'disk', isCostly: true };
  return { durability: persist === 'everysec' ? 'disk' : 'memory' };
}

/** @param {Persist} persist @returns {string} the last clause of a guarantee */
export function persistenceText(persist) {
  if (persist === 'always') return 'on disk before it is accepted';
  return persist === 'everysec' ? 'on disk within a second' : 'memory only';
}
