// The brokers of a launch: those that the run keeps, those of its own that are started in its network, or those that are started
// with it on another host. The results are told which there were.

import { brokerOfHop } from './hop-broker.js';
import { recordBroker } from './record-broker.js';
import { SUFFIX_TO_MASTER, withBrokers } from './serve-hops.js';

/** @import { Assignment } from '../../launch/assignment.js' */
/** @import { Prepared } from '../cell-runner.js' */
/** @import { HopBroker, Run } from './hop-broker.js' */
/** @import { NetworkOfLaunch } from '../cell-runner.js' */
/** @import { Served } from './serve-hops.js' */

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
    const first = await brokerOfHop(this.run, { transport, settings, cpus: cpus[0] ?? null });
    if (transportToMaster === null || toMaster === null) return [first];
    const hop = { transport: transportToMaster, settings: toMaster.settings, suffix: SUFFIX_TO_MASTER };
    return [first, await brokerOfHop(this.run, { ...hop, cpus: cpus.at(-1) ?? null })];
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

/** @param {HopBroker[]} hops @returns {number[] | null} of their brokers; null: one of them is not ours, and nobody can tell what it uses */
export function listBrokerPids(hops) {
  if (hops.some(({ brokerUrl, broker }) => brokerUrl !== null && broker === null)) return null;
  return hops.flatMap(({ broker }) => broker?.pid ?? []);
}

/** @param {Prepared} prepared @returns {import('./brokers-beside.js').ServeOrder['launch']} of which all brokers are private ones */
function asLaunch({ transportUrl, settings, toMaster }) {
  const brokerUrl = null;
  return {
    transportUrl,
    settings,
    brokerUrl,
    toMaster: toMaster && { ...toMaster, brokerUrl, broker: null },
  };
}
