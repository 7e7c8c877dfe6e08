// The private brokers of one launch, started beside its master where that is not the conductor's own place: on another host, or in a
// network of its own.

import { loadTransport } from '../../launch/assignment.js';
import { assignedHop, brokerOfHop } from './hop-broker.js';

/** @import { Assignment, AssignedBroker } from '../../launch/assignment.js' */
/** @import { Environment } from '../../types/index.js' */
/** @import { BrokerKeeper } from './broker-keeper.js' */
/** @import { HopBroker } from './hop-broker.js' */
/** @typedef {Pick<Assignment, 'transportUrl' | 'settings' | 'brokerUrl'>} Hop */
/**
 * What served a launch, for who did not start it. noted: as the environment of the results has it; brokers: of its hops; null: it needs
 * none, or not ours.
 * @typedef {{ noted: Environment['brokers'], brokers: (AssignedBroker | null)[] }} Served
 */

export const SUFFIX_TO_MASTER = '-to-master';

/** @param {Pick<Assignment, 'transportUrl' | 'settings' | 'brokerUrl' | 'toMaster'>} launch @returns {Hop[]} */
function listHops({ toMaster, ...first }) {
  return toMaster === null ? [first] : [first, toMaster];
}

/** @param {Parameters<typeof listHops>[0]} launch @returns {Promise<number>} how many private brokers it needs */
export async function countPrivate(launch) {
  const hops = listHops(launch).filter(({ brokerUrl }) => brokerUrl === null);
  const transports = await Promise.all(hops.map(loadTransport));
  return transports.filter(({ broker }) => broker !== undefined).length;
}

/**
 * @param {BrokerKeeper} keeper
 * @param {Parameters<typeof listHops>[0]} launch
 * @param {number[][]} cpus      of its private brokers; none: they are not pinned
 * @returns {Promise<{ hops: HopBroker[], served: Served }>}
 */
export async function serveHops(keeper, launch, cpus) {
  /** @type {Environment['brokers']} */
  const noted = {};
  /** @type {HopBroker[]} */
  const hops = [];
  for (const [index, { brokerUrl, settings, ...hop }] of listHops(launch).entries()) {
    const options = { brokerUrls: {} };
    const place = index === 0 ? cpus[0] : cpus.at(-1);
    const wanted = { transport: await loadTransport(hop), settings, cpus: place ?? null };
    const own = { ...wanted, ...(index > 0 && { suffix: SUFFIX_TO_MASTER }) };
    const run = { options, environment: { brokers: noted }, brokers: keeper };
    hops.push(brokerUrl === null ? await brokerOfHop(run, own) : { brokerUrl, broker: null });
  }
  return { hops, served: { noted, brokers: hops.map((hop) => assignedHop(hop).broker) } };
}

/** @param {Assignment} assignment @param {HopBroker[]} hops @returns {Assignment} with them */
export function withHops(assignment, hops) {
  const [first, onward] = hops.map(assignedHop);
  const { toMaster } = assignment;
  return { ...assignment, ...first, toMaster: toMaster && { ...toMaster, ...onward } };
}

/** @param {Assignment} assignment @param {Served} served @returns {Assignment} with the brokers that served it elsewhere */
export function withBrokers(assignment, { brokers: [broker, ofLast = null] }) {
  const { toMaster } = assignment;
  return { ...assignment, broker, toMaster: toMaster && { ...toMaster, broker: ofLast } };
}
