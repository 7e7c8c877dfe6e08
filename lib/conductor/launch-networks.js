// The networks of a run's launches: the delay line is compiled when the first launch needs one, and each launch has a network of
// its own.

import { compileDelayLine, openNetwork } from '../machine/delay-line.js';
import { networkOf } from '../options/network-choices.js';
import { serveBeside } from './brokers-beside.js';

/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Cell } from '../types/index.js' */
/** @import { BrokersBeside, ServeOrder } from './brokers-beside.js' */
/**
 * @typedef {object} NetworkOfLaunch
 * @property {number} pid               of its delay line
 * @property {string[]} before          words in front of the command line of the master
 * @property {Pick<Assignment, 'network' | 'bindAddress'>} assigned
 * @property {() => string | null} causeOfDeath   null: it lives
 * @property {(order: Pick<ServeOrder, 'launch' | 'cpus'>, signal: AbortSignal) => Promise<BrokersBeside>} serve   its brokers, on the side of the master
 * @property {() => Promise<void>} close      it, and its brokers
 */

export class LaunchNetworks {
  /** @param {string} folder   of the run */
  constructor(folder) {
    this.folder = folder;
    /** @type {Promise<string> | undefined} */
    this.program = undefined;
  }

  /** @param {Pick<Cell, 'network'>} cell @param {string} folder   of the launch @returns {Promise<NetworkOfLaunch | null>} */
  async open({ network }, folder) {
    if (network === undefined) return null;
    this.program ??= compileDelayLine(this.folder);
    const opened = await openNetwork(await this.program, networkOf(network), folder);
    const { masterAddress, beforeMaster, beforeWorkers, pid, countersPath, facts } = opened;
    /** @type {BrokersBeside | undefined} */
    let brokers;
    return {
      pid,
      before: beforeMaster,
      assigned: { bindAddress: masterAddress, network: { beforeWorkers, pid, countersPath, facts } },
      causeOfDeath: opened.causeOfDeath,
      async serve(order, signal) {
        const place = { scratchDir: folder, bindAddress: masterAddress };
        brokers = await serveBeside(beforeMaster, { ...order, ...place }, signal);
        return brokers;
      },
      async close() {
        await brokers?.close();
        await opened.close();
      },
    };
  }
}
