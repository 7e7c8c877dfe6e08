// What the processes of a cell's launches cost: CPU per operation and who paid it, memory, and the busiest process.

import { sum, sumBy } from '../statistics/sum.js';

/** @import { MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../types/index.js' */

/**
 * @param {MeasuredLaunch[]} launches at least one
 * @returns {Pick<MeasuredOutcome, 'cpuUsPerOperation' | 'peakRssBytes' | 'busiest'>}
 */
export function summariseCosts(launches) {
  const costs = launches.flatMap((launch) => launch.costs);
  const operations = sumBy(launches, (launch) => launch.operations);
  /** @type {Record<string, number>} */
  const cpuUs = { worker: 0, master: 0, helpers: 0, broker: 0 };
  for (const cost of costs) cpuUs[cost.role] = (cpuUs[cost.role] ?? 0) + cost.userUs + cost.systemUs;
  const { worker, master, helpers, broker, ...others } = cpuUs;
  const isThere = (/** @type {string} */ role) => costs.some((cost) => cost.role === role);
  const peaks = launches.map(sumPeakRss).filter((peak) => peak !== null);
  return {
    cpuUsPerOperation: {
      workers: isThere('worker') ? worker / operations : null,
      master: (master + helpers) / operations,
      ...Object.fromEntries(Object.entries(others).map(([role, us]) => [role, us / operations])),
      broker: isThere('broker') ? broker / operations : null,
    },
    peakRssBytes: peaks.length === 0 ? null : Math.max(...peaks),
    // Threads that cannot be distinguished may use several cores: that limits nothing.
    busiest: isThere('worker')
      ? findBusiest(launches[0].open?.pacing === 'spin' ? costs.filter(isServing) : costs)
      : null,
  };
}

/** @param {ProcessCost} cost @returns {boolean} not of a worker: one that spins is busy by design, and no bottleneck */
function isServing(cost) {
  return cost.role !== 'worker';
}

/**
 * @param {MeasuredLaunch} launch
 * @returns {number | null} null where a process is unknown: the sum of the others would look like less memory
 */
function sumPeakRss({ costs }) {
  const processes = costs.filter(({ partOf }) => partOf === undefined);
  const peaks = processes.map((cost) => cost.peakRssBytes).filter((peak) => peak !== null);
  if (processes.length === 0 || peaks.length < processes.length) return null;
  return sum(peaks);
}

/** @param {ProcessCost[]} costs of all launches @returns {MeasuredOutcome['busiest']} */
function findBusiest(costs) {
  // Helpers are several threads: together they may take more than a core, and none of them limits anything.
  const processes = new Map(
    costs.filter((cost) => cost.role !== 'helpers').map((cost) => [cost.name, cost.role]),
  );
  const means = [...processes].map(([name, role]) => {
    // The threads of V8 beside the main one run on other CPUs, and limit nothing.
    const shares = costs.filter((cost) => cost.name === name).map((cost) => cost.mainShare ?? cost.share);
    return { name, role, share: sum(shares) / shares.length };
  });
  return means.sort((left, right) => right.share - left.share)[0] ?? null;
}

/** @type {readonly string[]} */
const USUAL_ROLES = Object.freeze(['workers', 'master', 'broker']);

/**
 * @param {readonly { cpuUsPerOperation: Record<string, number | null> }[]} measured
 * @returns {string[]} the keys of their costs, in the order of columns; where nothing was measured the usual ones
 */
export function listRoles(measured) {
  const roles = new Set(measured.flatMap(({ cpuUsPerOperation }) => Object.keys(cpuUsPerOperation)));
  return roles.size === 0 ? [...USUAL_ROLES] : [...roles];
}
