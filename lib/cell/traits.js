// Resolves the traits of a transport for the settings of a cell: a durable queue has other traits than a queue in memory. Also lists the
// classes of transports in the order of tables.

/** @import { Traits, Transport } from '../types/index.js' */

/**
 * @param {Pick<Transport, 'traits' | 'traitsOf' | 'settings'>} transport
 * @param {Readonly<Record<string, string | number | boolean>>} chosen   settings; missing ones have their defaults
 */
export function resolveTraits(transport, chosen) {
  if (transport.traitsOf === undefined) return transport.traits;
  return { ...transport.traits, ...transport.traitsOf({ ...settingDefaults(transport), ...chosen }) };
}

/**
 * @param {Pick<Transport, 'settings'>} plugin   a transport or a scenario
 * @returns {Record<string, string | number | boolean>}
 */
export function settingDefaults({ settings = {} }) {
  return Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default]));
}

// Classes of transports in the order of tables and charts, with their headings and their group names in --transport.

/**
 * @typedef {object} TransportClass
 * @property {Traits['class']} name
 * @property {string} heading
 * @property {string} group      'pipes' in --transport pipes
 */

/** @type {readonly TransportClass[]} */
export const TRANSPORT_CLASSES = Object.freeze([
  { name: 'pipe', heading: 'Pipes', group: 'pipes' },
  { name: 'socket', heading: 'Sockets', group: 'sockets' },
  { name: 'memory', heading: 'Memory', group: 'memory' },
  { name: 'thread', heading: 'Threads, not processes', group: 'threads' },
  { name: 'brokerless', heading: 'Brokerless', group: 'brokerless' },
  { name: 'rpc', heading: 'RPC', group: 'rpc' },
  { name: 'broker', heading: 'Brokers', group: 'brokers' },
  { name: 'inline', heading: 'No worker', group: 'no-worker' },
  { name: 'thread-pool', heading: 'Pools of threads', group: 'thread-pools' },
  { name: 'process-pool', heading: 'Pools of processes', group: 'process-pools' },
]);

/** Value of --transport for all built-in transports, except for those that start workers themselves, such as pools. */
export const EVERY_CLASS = 'all';

/** @type {readonly string[]} names that no transport may have */
export const GROUP_NAMES = Object.freeze([EVERY_CLASS, ...TRANSPORT_CLASSES.map(({ group }) => group)]);

/**
 * @template {{ traits: { class: string } }} T
 * @param {Map<string, { plugin: T }>} loaded
 * @returns {T[]} sorted by class; within a class in the given order
 */
export function inReadingOrder(loaded) {
  /** @param {T} transport */
  const rankOf = ({ traits }) => readClass(traits.class).rank;
  const transports = [...loaded.values()].map(({ plugin }) => plugin);
  return transports.sort((left, right) => rankOf(left) - rankOf(right));
}

/**
 * @param {string} className   may be a class of a later version
 * @returns {{ heading: string, rank: number }} unknown classes are last
 */
export function readClass(className) {
  const rank = TRANSPORT_CLASSES.findIndex(({ name }) => name === className);
  if (rank === -1) return { heading: 'Other', rank: TRANSPORT_CLASSES.length };
  return { heading: TRANSPORT_CLASSES[rank].heading, rank };
}
