// The brokers of a launch: those of the user, and private ones from the pool of the run, from one in the network of the launch, or
// from that of an agent. The results are told which there were.

import { detectNet } from '../../plan/broker-net.js';
import { recordBroker, withBrokers } from './broker-pool.js';

/** @import { Assignment } from '../../launch/assignment.js' */
/** @import { Broker, Environment, Options, Transport } from '../../types/index.js' */
/** @import { NetworkOfLaunch, Prepared } from '../cell-runner.js' */
/** @import { BrokerPool, Hop, HopBroker, LaunchHops, Served } from './broker-pool.js' */
/** @typedef {{ options: Pick<Options, 'brokerUrls'>, environment: Pick<Environment, 'brokers'>, brokers: BrokerPool | null }} Run   brokers: null: private ones are started elsewhere */

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns {string | null} given by the user */
function givenUrl({ brokerUrls }, broker) {
  return broker !== undefined && Object.hasOwn(brokerUrls, broker.name) ? brokerUrls[broker.name] : null;
}

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns {boolean} a private one has to be started */
export function isPrivate(options, broker) {
  return broker !== undefined && givenUrl(options, broker) === null;
}

export class LaunchBrokers {
  /** @param {Run} run @param {AbortSignal} signal */
  constructor(run, signal) {
    this.run = run;
    this.signal = signal;
  }

  /** @param {Prepared} prepared @param {NetworkOfLaunch | null} network @returns {Promise<HopBroker[]>} of its transport, and of that by which the master is reached */
  async open(prepared, network) {
    const { transport, settings, transportToMaster, toMaster, places, privateBrokers } = prepared;
    const cpus = places?.brokers ?? [];
    if (network !== null && privateBrokers > 0) {
      const { hops, noted } = await network.serve({ launch: asLaunch(prepared), cpus }, this.signal);
      this.note(noted);
      return hops;
    }
    const hops = [await this.hopOver(transport, settings, cpus[0])];
    if (transportToMaster !== null && toMaster !== null)
      hops.push(await this.hopOver(transportToMaster, toMaster.settings, cpus.at(-1)));
    const { brokers, environment } = this.run;
    if (brokers === null) return hops.map(({ brokerUrl }) => ({ brokerUrl, broker: null }));
    return (await brokers.serve(hops, environment.brokers)).hops;
  }

  /**
   * A broker of the user's own is asked once in a run what it is.
   * @param {Transport} transport
   * @param {Hop['settings']} settings   all of them
   * @param {number[] | null} [cpus]
   * @returns {Promise<Hop>}
   */
  async hopOver(transport, settings, cpus = null) {
    const { options, environment } = this.run;
    const { broker } = transport;
    const brokerUrl = givenUrl(options, broker);
    if (broker !== undefined && brokerUrl !== null && environment.brokers[broker.name] === undefined) {
      const described = await broker.describe?.(brokerUrl).catch(() => null);
      if (described) {
        const hasNet = Object.hasOwn(transport.settings ?? {}, 'net');
        const config = hasNet ? { net: detectNet(brokerUrl), ...described.config } : described.config;
        environment.brokers[broker.name] = { ...described, config, origin: 'url' };
      }
    }
    return { transport, settings, brokerUrl, cpus };
  }

  /** @param {Assignment} assignment @param {Served} [served]   elsewhere; absent: by those that it says @returns {Assignment} with those that there were */
  added(assignment, served) {
    if (served === undefined) return assignment;
    this.note(served.noted);
    return withBrokers(assignment, served);
  }

  /** @param {Served['noted']} brokers   that were started elsewhere */
  note(brokers) {
    for (const [name, { version, config, deaths }] of Object.entries(brokers))
      recordBroker(this.run.environment.brokers, { name, version, config, deaths });
  }
}

/** @param {Prepared} prepared @returns {LaunchHops} of which all brokers are private ones */
function asLaunch({ transportUrl, settings, toMaster }) {
  const brokerUrl = null;
  return {
    transportUrl,
    settings,
    brokerUrl,
    toMaster: toMaster && { ...toMaster, brokerUrl, broker: null },
  };
}
