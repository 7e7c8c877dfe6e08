// Workers that a scenario wants dead: killed in the middle of the window, with what they had cost by then. Nobody waits for
// them, and their half of the master is told when they have ended.

import { costBetween } from '../../machine/cost-difference.js';
import { endedChildren, readCost } from '../../machine/process-cost.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { Endpoint, ProcessCost } from '../../types/index.js' */
/** @import { WorkerGroup } from './worker-group.js' */

export class Killing {
  /** @param {number} kills   workers @param {WorkerGroup} group */
  constructor(kills, group) {
    this.kills = kills;
    this.group = group;
    /** @type {(CostReading | null)[]} */
    this.costsAtOpen = [];
    /** @type {ProcessCost[]} of the workers that were killed, from the opening of the window on */
    this.costs = [];
  }

  /** The window opens. */
  open() {
    this.costsAtOpen = this.group.lastOnes(this.kills).map(({ worker }) => readCost(Number(worker.pid)));
  }

  /** @param {Endpoint} endpoint   of the master @returns {Promise<void>} resolves when all of them have ended */
  async kill(endpoint) {
    const victims = this.group.lastOnes(this.kills);
    this.costs = victims.flatMap(({ id, worker }, index) => {
      const [from, to] = [this.costsAtOpen[index], readCost(Number(worker.pid))];
      return from === null || to === null ? [] : costBetween({ name: id, role: 'worker' }, from, to, null);
    });
    endpoint.killing?.(performance.now());
    for (const victim of victims) this.group.killOne(victim);
    // The end of a process is what its master hears of in every transport, at once and in the same way.
    await Promise.all(
      victims.map(async ({ id, worker }) => {
        await worker.ended;
        endpoint.gone?.(id);
      }),
    );
  }

  /** @param {CostReading} own   of the master, with processes that have ended @returns {CostReading} without the workers that were killed */
  without(own) {
    if (this.kills === 0) return own;
    const ended = endedChildren();
    return { ...own, userUs: own.userUs - ended.userUs, systemUs: own.systemUs - ended.systemUs };
  }
}
