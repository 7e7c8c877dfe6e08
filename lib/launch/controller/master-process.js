// The process that plays the master's endpoint: the controller itself, or a peer beside it. What it costs, how far it has warmed up, how
// much memory it has and where it runs is read and set here, whichever it is.

import { movePinned, movePinnedThread } from '../../children/launcher.js';
import { systemThreadId } from '../../children/windows-affinity.js';
import {
  cpuMsUsed,
  cpuMsWaited,
  ownCpuMs,
  ownWaitMs,
  readCost,
  readOwnCost,
  readResidentBytes,
  threadCpuMs,
} from '../../machine/process-cost.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/**
 * @typedef {object} MasterProcess
 * @property {(cpus: number[]) => void} pin     throws when it is gone
 * @property {() => CostReading} readCost
 * @property {() => number | null} readCpuMs    so far; null: the system does not tell
 * @property {() => number | null} readWaitMs   how long it has waited for a CPU so far
 * @property {number} pid
 * @property {() => number} residentBytes       now; NaN: the system does not tell
 */

/**
 * @param {object} group
 * @param {boolean} group.areThreads     its members are threads of this process, with places of their own
 * @param {number[]} group.helpers       threads of this process that stay where they are
 * @param {unknown} [group.pool]          that has started its workers itself: none of them says what it costs; null or absent: none
 * @returns {MasterProcess} this one
 */
export function thisProcess({ areThreads, helpers, pool = null }) {
  return {
    // Of a process whose threads have places of their own, this is the main thread.
    pin(cpus) {
      if (areThreads) movePinnedThread(Number(systemThreadId()), cpus);
      else movePinned(process.pid, cpus, helpers);
    },
    readCost: readOwnCost,
    readCpuMs: areThreads && pool === null ? threadCpuMs : ownCpuMs,
    readWaitMs: ownWaitMs,
    pid: process.pid,
    residentBytes: () => process.memoryUsage.rss(),
  };
}

/** @param {number} pid @returns {MasterProcess} another one */
export function otherProcess(pid) {
  const first = readCost(pid);
  return {
    pin: (cpus) => movePinned(pid, cpus),
    readCost() {
      const cost = readCost(pid) ?? first;
      // Its end fails the launch, and says more than this.
      if (cost === null) throw new Error(`process ${pid} is gone`);
      return cost;
    },
    readCpuMs: () => cpuMsUsed(pid),
    readWaitMs: () => cpuMsWaited(pid),
    pid,
    residentBytes: () => readResidentBytes(pid) ?? Number.NaN,
  };
}
