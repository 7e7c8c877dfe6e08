// What several transports declare in common: traits, and the settings of how they are reached.

/** @import { Traits } from '../types/index.js' */

/** @type {Pick<Traits, 'greatestMessageBytes' | 'platforms' | 'broker'>} */
export const everywhere = Object.freeze({
  greatestMessageBytes: Infinity,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  broker: null,
});

/** @type {Pick<Traits, 'direction' | 'guarantee' | 'greatestMessageBytes' | 'platforms' | 'broker'>} */
export const streamTraits = Object.freeze({
  direction: 'duplex',
  guarantee: 'ordered and complete while both ends live',
  ...everywhere,
});

/** @param {Readonly<Record<string, string | number | boolean>>} settings   `flush` among them @returns {Partial<Traits>} */
export const coalescingOf = ({ flush }) => (flush === 'tick' || flush === 'lead' ? { coalesces: true } : {});

// What transports have in common that call a server over HTTP.

/** @type {Omit<import('../types/transports.js').Traits, 'sources' | 'packages'>} */
export const rpcTraits = Object.freeze({
  class: 'rpc',
  reach: 'network',
  direction: 'request-reply',
  order: 'free', // connections, streams and calls are independent of each other
  guarantee: 'each request gets a response or fails',
  reconnects: true,
  ...everywhere,
});

// What transports through a broker have in common.

/**
 * @type {Pick<import('../types/transports.js').Traits, 'class' | 'reach' | 'direction' | 'durability' | 'platforms' |
 *   'messagesPerRoundTrip'>}
 */
export const brokerTraits = Object.freeze({
  class: 'broker',
  reach: 'network',
  direction: 'duplex',
  durability: 'memory',
  reconnects: true,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  messagesPerRoundTrip: 2, // question and answer
});

// What all transports through a Redis have in common.

/** @type {Omit<import('../types/transports.js').Traits, 'guarantee' | 'sources'>} */
export const redisTraits = Object.freeze({
  ...brokerTraits,
  greatestMessageBytes: 512 * 1024 * 1024, // proto-max-bulk-len
  broker: 'redis',
  packages: ['ioredis'],
});

// How a server of questions is reached.

/** @type {import('../types/transports.js').Setting} */
export const httpNet = Object.freeze({
  summary: 'unix: unix domain socket; tcp: loopback',
  default: 'tcp',
  choices: ['tcp', 'unix'],
  changesTheWay: true,
  changesTheDoor: true,
});

// How a private broker is reached: the same choice for every one whose server also listens on a unix socket. The URL
// of a broker that the user gives says how that one is reached: see lib/plan/skip-reasons.js.

/** @type {import('../types/transports.js').Setting} */
export const netSetting = Object.freeze({
  summary:
    'how a private server is reached; unix: unix domain socket; tcp: loopback, with a password. One given by URL is ' +
    'reached as that says',
  default: process.platform === 'win32' ? 'tcp' : 'unix',
  choices: ['unix', 'tcp'],
  changesTheWay: true,
});
