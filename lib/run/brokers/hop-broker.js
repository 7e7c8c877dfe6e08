// The broker of one hop of a launch: one of the user's own, which is asked once in a run what it is, or a private one that the run
// keeps. Each hop of a launch has a server of its own, placed where the plan of the launch says.

import { detectNet } from '../../plan/broker-net.js';
import { recordBroker } from './record-broker.js';

/** @import { Assignment } from '../../launch/assignment.js' */
/** @import { Broker, Environment, Options, Transport } from '../../types/index.js' */
/** @import { BrokerKeeper, KeptBroker } from './broker-keeper.js' */
/** @typedef {{ options: Pick<Options, 'brokerUrls'>, environment: Pick<Environment, 'brokers'>, brokers: BrokerKeeper | null }} Run   brokers: null: private ones are started elsewhere */
/** @typedef {Pick<KeptBroker, 'name' | 'pid' | 'cpus'> & { causeOfDeath: () => string | null }} OwnBroker */
/** @typedef {{ brokerUrl: string | null, broker: OwnBroker | null }} HopBroker   broker: null: there is none, or it is not ours */

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns {string | null} given by the user */
function givenUrl({ brokerUrls }, broker) {
  return broker !== undefined && Object.hasOwn(brokerUrls, broker.name) ? brokerUrls[broker.name] : null;
}

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns {boolean} a private one has to be started */
export function isPrivate(options, broker) {
  return broker !== undefined && givenUrl(options, broker) === null;
}

/**
 * @param {Run} run       whose environment is told
 * @param {object} hop
 * @param {Transport} hop.transport
 * @param {Record<string, string | number | boolean>} hop.settings   all of them
 * @param {number[] | null} hop.cpus
 * @param {string} [hop.suffix]   of the name of its broker, which is another one than that of the other hop
 * @returns {Promise<HopBroker>}
 */
export async function brokerOfHop(run, { transport, settings, cpus, suffix = '' }) {
  const { options, environment, brokers } = run;
  const definition = transport.broker;
  if (definition === undefined) return { brokerUrl: null, broker: null };
  if (!isPrivate(options, definition)) {
    await describe(run, transport);
    return { brokerUrl: givenUrl(options, definition), broker: null };
  }
  if (brokers === null) return { brokerUrl: null, broker: null };
  const broker = await brokers.get(definition, settings, cpus, suffix);
  recordBroker(environment.brokers, broker);
  broker.deaths = []; // noted once, whichever launch comes next
  return {
    brokerUrl: broker.url,
    broker: { ...broker, name: `${broker.name}${suffix}`, causeOfDeath: () => broker.causeOfDeath },
  };
}

/** @param {HopBroker} hop @returns {Pick<Assignment, 'brokerUrl' | 'broker'>} as plain data */
export function assignedHop({ brokerUrl, broker }) {
  return { brokerUrl, broker: broker && { name: broker.name, pid: broker.pid, cpus: broker.cpus } };
}

/** @param {Run} run @param {Transport} transport   with a broker of the user */
async function describe({ options, environment }, { broker, settings = {} }) {
  const url = givenUrl(options, broker);
  if (broker === undefined || url === null || environment.brokers[broker.name] !== undefined) return;
  const described = await broker.describe?.(url).catch(() => null);
  if (!described) return;
  const config = Object.hasOwn(settings, 'net')
    ? { net: detectNet(url), ...described.config }
    : described.config;
  environment.brokers[broker.name] = { ...described, config, origin: 'url' };
}
