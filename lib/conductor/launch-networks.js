// The networks of a run's launches: the delay line is compiled when the first launch needs one, and each launch has a network of
// its own.

import { compileDelayLine, openNetwork } from '../network/delay-line.js';
import { networkOf } from '../options/network-choices.js';

/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Cell } from '../types/plans.js' */
/** @typedef {Extract<import('./launch.js').LaunchEnd, { kind: 'failed' }>} FailedEnd */
/**
 * @typedef {object} NetworkOfLaunch
 * @property {number} pid               of its delay line
 * @property {string[]} before          words in front of the command line of the master
 * @property {Pick<Assignment, 'network' | 'bindAddress'>} assigned
 * @property {(end: FailedEnd) => FailedEnd} explained   with its own death for the cause, where it died
 * @property {() => Promise<void>} close
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
    const { masterAddress, beforeMaster, beforeWorkers, pid, countersPath, facts, close } = opened;
    return {
      pid,
      before: beforeMaster,
      assigned: { bindAddress: masterAddress, network: { beforeWorkers, pid, countersPath, facts } },
      explained(end) {
        const cause = opened.causeOfDeath();
        if (cause === null) return end;
        return { ...end, code: 'NETWORK', message: `the delay line died: ${cause}; ${end.message}` };
      },
      close,
    };
  }
}
