// Finds out whether the processes of a launch use its CPUs almost completely, so that some of them wait for each other.

import { sumBy } from '../statistics/sum.js';

/** @import { ProcessCost } from '../types/index.js' */
/** @typedef {{ processes: number, usedCpus: number, cpus: number }} Crowd   usedCpus: CPU time of the processes / window */

/** With a smaller share of the CPUs, processes hardly wait for each other. */
const CROWDED_SHARE = 0.75;

/**
 * @param {readonly ProcessCost[]} costs   costs of a launch; empty if unknown
 * @param {{ usableCpus: number, neverSleeps: boolean }} launch   `neverSleeps`: its processes wait without sleeping
 * @returns {Crowd | null} null unless there are more processes than CPUs, and the processes use the CPUs almost completely
 */
export function findCrowd(costs, { usableCpus, neverSleeps }) {
  const processes = costs.filter(({ partOf }) => partOf === undefined);
  const crowd = crowdOn(processes, usableCpus);
  // With --placement same, all processes share one CPU. Only processes that never sleep keep the others waiting, so a broker, which sleeps,
  // does not count.
  if (crowd !== null || !neverSleeps) return crowd;
  const nodes = processes.filter(({ role }) => role !== 'broker');
  const pinned = new Set(nodes.flatMap(({ cpus }) => cpus ?? []));
  return pinned.size === 0 ? null : crowdOn(nodes, pinned.size);
}

/** @param {readonly ProcessCost[]} processes @param {number} cpus @returns {Crowd | null} */
function crowdOn(processes, cpus) {
  const usedCpus = sumBy(processes, ({ share }) => share);
  const isCrowd = processes.length > cpus && usedCpus >= CROWDED_SHARE * cpus;
  return isCrowd ? { processes: processes.length, usedCpus, cpus } : null;
}
