// Traits and settings that several transports share. Those of transports over a broker are in brokers/broker-transport.js.

import { KIB } from '../format/units.js';

/** @import { EndContext, Setting, Traits } from '../types/index.js' */

/** @type {Pick<Traits, 'greatestMessageBytes' | 'platforms' | 'broker'>} */
export const everywhere = Object.freeze({
  greatestMessageBytes: Infinity,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  broker: null,
});

/**
 * Traits for `traitsOf` of transports that listen on a port with net=tcp, in memory with net=inproc, and otherwise on a unix socket.
 * @param {EndContext['settings']} settings
 * @returns {Partial<Traits>}
 */
export function reachTraits({ net }) {
  if (net === 'tcp') return { mechanism: 'tcp' };
  return net === 'inproc' ? { reach: 'host' } : { reach: 'host', mechanism: 'unix' };
}

// Byte streams

/** @type {Pick<Traits, 'direction' | 'guarantee' | 'greatestMessageBytes' | 'platforms' | 'broker'>} */
export const streamTraits = Object.freeze({
  direction: 'duplex',
  guarantee: 'ordered and complete while both ends live',
  ...everywhere,
});

/** @param {EndContext['settings']} settings  @returns {Partial<Traits>} */
export const coalescingOf = ({ flush }) => (flush === 'tick' || flush === 'lead' ? { coalesces: true } : {});

/** @type {Setting} */
export const inPlaceSetting = Object.freeze({
  summary:
    'codecs that can do so read and write messages in the memory of the channel, and marked ASCII is decoded as ASCII; ' +
    'false: each message is a separate string or Buffer, as from a library that delivers whole messages',
  default: true,
});

/** @type {Record<string, Setting>} */
export const streamSettings = Object.freeze({
  flush: {
    summary:
      'direct: one write per message; tick: all messages of one turn of the event loop in one write; ' +
      'lead: the first message of a turn at once, the others of it in one write; split: head and body of each message in separate writes',
    default: 'direct',
    choices: ['direct', 'tick', 'lead', 'split'],
    changesRoute: true,
  },
  inPlace: inPlaceSetting,
});

// Rings in shared memory

/** @type {Record<'ringBytes' | 'spinUs' | 'flush' | 'inPlace', Setting>} */
export const ringSettings = Object.freeze({
  ringBytes: {
    summary: 'memory of each ring, of which a worker has two; larger messages pass in pieces',
    // In a ring of 1 MiB, messages of 100 kB rarely wrap around, which costs a copy at each end: their rate is twice that with 256 KiB.
    // Small messages are not affected.
    default: 1_024 * KIB,
    choices: [16 * KIB, 64 * KIB, 256 * KIB, 1_024 * KIB, 4_096 * KIB, 16_384 * KIB],
    unit: 'bytes',
  },
  spinUs: {
    summary:
      'how long an end polls before it sleeps; it polls less often if no message arrives in that ' +
      'time; 0: it sleeps at once',
    // 5 us suffice for one or two polls. Between 10 us and the cost of a wake-up (55 us, measured), chance decides whether both ends stay
    // awake, and rates differ by a factor of 30. With 200 us both stay awake, and each uses a core as long as messages arrive.
    default: 5,
    min: 0,
    max: 1_000_000,
    unit: 'us',
  },
  flush: {
    summary:
      'direct: the first message wakes a sleeping end; tick: it wakes once all messages of one turn of the event loop ' +
      'are in the ring',
    default: 'direct',
    choices: ['direct', 'tick'],
    changesRoute: true,
  },
  inPlace: inPlaceSetting,
});

/** @param {EndContext['settings']} settings  @returns {Partial<Traits>} */
export const ringTraitsOf = (settings) => ({
  ...(settings.wake === 'spin' && { isSpinning: true }),
  ...coalescingOf(settings),
});

// Requests to a server over HTTP

/** @type {Omit<Traits, 'sources' | 'packages'>} */
export const rpcTraits = Object.freeze({
  class: 'rpc',
  reach: 'network',
  direction: 'request-reply',
  order: 'free', // connections, streams and calls are independent of each other
  guarantee: 'each request gets a response or fails',
  reconnects: true,
  ...everywhere,
});

/** @type {Setting} */
export const httpNet = Object.freeze({
  summary: 'unix: unix domain socket; tcp: loopback',
  default: 'tcp',
  choices: ['tcp', 'unix'],
  changesRoute: true,
  changesListener: true,
});

/** @type {Record<string, Setting>} */
export const httpSettings = Object.freeze({
  client: {
    summary: 'agent: node:http with a keep-alive agent; undici: its Pool',
    default: 'agent',
    choices: ['agent', 'undici'],
    changesRoute: true,
  },
  net: httpNet,
  connections: {
    summary: 'greatest number per worker; further requests wait for a free connection',
    default: 128, // both clients have no limit by default, and many loops would run out of descriptors
    min: 1,
    max: 65_536,
  },
  pipelining: {
    summary: 'requests on one connection before its first response; more than 1 only with client=undici',
    default: 1,
    min: 1,
    max: 10_000,
  },
});

/** @param {EndContext['settings']} settings @returns {string | null} why the settings exclude each other; null if they do not */
export function httpProblem({ client, pipelining }) {
  const isRefused = client === 'agent' && Number(pipelining) > 1;
  return isRefused ? 'pipelining needs client=undici: the agent of Node waits for each response' : null;
}
