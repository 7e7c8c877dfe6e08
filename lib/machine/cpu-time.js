// How long a process has had a CPU so far, and how long it has waited for one: read every few milliseconds while it warms up.

import { NS_PER_MS, US_PER_MS } from '../format/units.js';
import { endedChildren, readCost, readThreadCost, schedulerNsAt, THIS_THREAD } from './process-cost.js';

/** @returns {number} CPU time of this process with all its threads, and of its ended children, so far */
export function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  const ended = endedChildren();
  return (user + system + ended.userUs + ended.systemUs) / US_PER_MS;
}

/** @returns {number | null} how long the calling thread has waited for a CPU so far; null where the system does not tell */
export function ownWaitMs() {
  return waitMsAt(THIS_THREAD);
}

/**
 * @param {number} pid    of another process
 * @returns {number | null} how long its main thread has waited for a CPU so far
 */
export function cpuMsWaited(pid) {
  return waitMsAt(`/proc/${pid}`);
}

/** @param {string} folder    of a process or a thread */
function waitMsAt(folder) {
  const ns = schedulerNsAt(folder);
  return ns === null ? null : ns.waited / NS_PER_MS;
}

/**
 * @param {number} pid    of another process, such as a broker
 * @returns {number | null} its CPU time so far; null where the system does not tell, or it is gone
 */
export function cpuMsUsed(pid) {
  const cost = readCost(pid);
  return cost === null ? null : (cost.userUs + cost.systemUs) / US_PER_MS;
}

/** @returns {number | null} CPU time of the calling thread so far; null where the system does not tell threads apart */
export function threadCpuMs() {
  const cost = readThreadCost();
  return cost === null ? null : (cost.userUs + cost.systemUs) / US_PER_MS;
}
