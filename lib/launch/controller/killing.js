// Kills workers in the middle of a slice if the scenario requires it, and keeps their costs from the start of the slice to the kill.

import { costBetween, endedChildren, readCost } from '../../machine/process-cost.js';

/** @import { Endpoint, ProcessCost } from '../../types/index.js' */
/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { WorkerGroup } from './worker-group.js' */

export class Killing {
  /** @param {number} kills   number of workers @param {WorkerGroup} group */
  constructor(kills, group) {
    this.kills = kills;
    this.group = group;
    /** Readings at the start of the slice, one for each worker to be killed; null if unknown. @type {(CostReading | null)[]} */
    this.costsAtOpen = [];
    /** Costs of the killed workers from the start of the slice to the kill, as far as they are known. @type {ProcessCost[]} */
    this.costs = [];
  }

  open() {
    this.costsAtOpen = this.group.lastOnes(this.kills).map(({ worker }) => readCost(Number(worker.pid)));
  }

  /** @param {Endpoint} endpoint   the master's endpoint @returns resolves when all killed workers have ended */
  async kill(endpoint) {
    const victims = this.group.lastOnes(this.kills);
    this.costs = victims.flatMap(({ id, worker }, index) => {
      const [from, to] = [this.costsAtOpen[index], readCost(Number(worker.pid))];
      return from === null || to === null ? [] : costBetween({ name: id, role: 'worker' }, from, to, null);
    });
    endpoint.killing?.(performance.now());
    for (const victim of victims) this.group.killOne(victim);
    // The exit of the process is the only event that does not depend on the transport.
    await Promise.all(
      victims.map(async ({ id, worker }) => {
        await worker.ended;
        endpoint.gone?.(id);
      }),
    );
  }

  /** @param {CostReading} own   reading of the master, which includes its ended child processes @returns the reading without them */
  without(own) {
    if (this.kills === 0) return own;
    const ended = endedChildren();
    return { ...own, userUs: own.userUs - ended.userUs, systemUs: own.systemUs - ended.systemUs };
  }
}
