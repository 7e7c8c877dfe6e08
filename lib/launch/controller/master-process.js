// The process that runs the master's endpoint is the controller itself or a peer. Both have the same interface for costs, memory and
// pinning.

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
  residentBytesWithoutGarbage,
  threadCpuMs,
} from '../../machine/process-cost.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/**
 * @typedef {object} MasterProcess
 * @property {(cpus: number[]) => void} pin   throws after the process has ended
 * @property {() => CostReading} readCost
 * @property {() => number | null} readCpuMs   CPU time so far; null if unknown
 * @property {() => number | null} readWaitMs   time of waiting for a CPU so far; null if unknown
 * @property {number} pid
 * @property {() => number} residentBytes   NaN if unknown
 */

/**
 * @param {object} group
 * @param {boolean} group.areThreads   the workers are threads of this process
 * @param {number[]} group.helpers   threads of this process that are not pinned
 * @param {unknown} [group.pool]   the pool that started the workers; the cost of this process includes its threads
 * @returns {MasterProcess}
 */
export function thisProcess({ areThreads, helpers, pool = null }) {
  return {
    // If the workers are threads, only the main thread is pinned.
    pin(cpus) {
      if (areThreads) movePinnedThread(Number(systemThreadId()), cpus);
      else movePinned(process.pid, cpus, helpers);
    },
    readCost: readOwnCost,
    readCpuMs: areThreads && pool === null ? threadCpuMs : ownCpuMs,
    readWaitMs: ownWaitMs,
    pid: process.pid,
    residentBytes: residentBytesWithoutGarbage,
  };
}

/** @param {number} pid @returns {MasterProcess} */
export function otherProcess(pid) {
  const first = readCost(pid);
  return {
    pin: (cpus) => movePinned(pid, cpus),
    readCost() {
      const cost = readCost(pid) ?? first;
      // The exit of the process fails the launch with a better message.
      if (cost === null) throw new Error(`process ${pid} is gone`);
      return cost;
    },
    readCpuMs: () => cpuMsUsed(pid),
    readWaitMs: () => cpuMsWaited(pid),
    pid,
    residentBytes: () => readResidentBytes(pid) ?? Number.NaN,
  };
}
