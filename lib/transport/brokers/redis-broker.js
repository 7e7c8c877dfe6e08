// A private Redis (or Valkey) for one run. What starts it and reads it is loaded when it is needed: master and workers
// import this file too.

import { isSocketUrl, parsedUrl } from '../../format/socket-url.js';
import { findServer, howToInstall, serverProgram } from './server-program.js';

/** @import { Broker } from '../../types/index.js' */

const PACKAGES = {
  apt: 'redis-server',
  dnf: 'valkey',
  apk: 'redis',
  pacman: 'valkey',
  zypper: 'redis',
  brew: 'redis',
};
const REMEDY =
  process.platform === 'win32'
    ? 'start Redis in WSL, or Memurai, and give --redis-url'
    : `${howToInstall(PACKAGES)}, or give --redis-url`;
const MISSING = `no redis-server or valkey-server on PATH: ${REMEDY}`;

/** @type {Broker} */
export const redisBroker = {
  name: 'redis',
  packages: PACKAGES,
  urlSchemes: ['redis', 'rediss', 'unix', 'redis+unix'],
  whyBadUrl: urlProblem,
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
  openGauge: async (url) => (await import('./redis-traffic.js')).openQueueGauge(url),
};

/** @type {NonNullable<Broker['whyBadUrl']>} */
function urlProblem(url) {
  const parsed = parsedUrl(url);
  const given = [isSocketUrl(url) ? '' : parsed?.pathname.slice(1), parsed?.searchParams.get('db')];
  if (given.every((database) => !database || /^\d+$/.test(database))) return undefined;
  return 'its database is no number; write redis://host:port/1, unix:///path?db=1, or neither';
}
