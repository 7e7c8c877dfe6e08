// Reads the costs that the controller can read: those of the master, brokers, the workers of a pool, and an emulated network.

import { assignedBrokers } from '../../cell/launch-roles.js';
import { US_PER_MS } from '../../format/units.js';
import { extendReading, readCost, readThreadCost } from '../../machine/process-cost.js';
import { sumBy } from '../../statistics/sum.js';
import { readNetwork } from './traffic.js';

/** @import { Endpoint } from '../../types/index.js' */
/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { WorkerGroup } from '../controller/worker-group.js' */

/**
 * @typedef {object} Readings
 * @property {CostReading} own   reading of the master's process
 * @property {CostReading | null} [thread]   reading of its main thread, if the workers are threads; null if unknown
 * @property {(CostReading | null)[]} brokers   readings in the order of assignedBrokers; null if unknown
 * @property {(CostReading | null)[]} [pool]   readings of the workers of a pool; null if unknown
 * @property {import('./traffic.js').NetworkReading | null} network   null without an emulated network, and in sums of slices
 */

/**
 * A launch whose processes have joined.
 * @typedef {object} JoinedLaunch
 * @property {import('../launch-spec.js').LaunchSpec} spec
 * @property {WorkerGroup} group
 * @property {Endpoint} endpoint   the master's endpoint
 * @property {import('../controller/master-process.js').MasterProcess} master
 * @property {import('../controller/pool-workers.js').PoolWorkers | null} pool   workers that a pool has started; null if the transport
 *   is no pool
 */

/** @param {JoinedLaunch} launch @returns {Readings} */
export function readCosts({ spec, group, master, pool }) {
  const { network } = spec;
  return {
    own: master.readCost(),
    ...(group.areThreads && { thread: readThreadCost() }),
    brokers: assignedBrokers(spec).map(({ pid }) => readCost(pid)),
    pool: pool?.readCosts(),
    network: network === null ? null : readNetwork(network),
  };
}

/**
 * @param {Readings} upTo   sum of the earlier intervals
 * @param {Readings} from
 * @param {Readings} to
 * @returns {Readings} the sum with the interval between the two readings
 */
export function extendedReadings(upTo, from, to) {
  return {
    own: /** @type {CostReading} */ (extendReading(upTo.own, from.own, to.own)),
    ...('thread' in upTo && {
      thread: extendReading(upTo.thread ?? null, from.thread ?? null, to.thread ?? null),
    }),
    brokers: upTo.brokers.map((so, index) => extendReading(so, from.brokers[index], to.brokers[index])),
    pool: upTo.pool?.map((so, index) =>
      extendReading(so, from.pool?.[index] ?? null, to.pool?.[index] ?? null),
    ),
    network: null, // a launch with an emulated network has one slice
  };
}

/**
 * @param {Readings} from
 * @param {Readings} to
 * @returns CPU time in ms of the master (its main thread if the workers are threads), of brokers, and of the workers of a pool
 */
export function cpuMsBetween(from, to) {
  const pairs = [
    [from.thread ?? from.own, to.thread ?? to.own],
    ...from.brokers.map((reading, index) => [reading, to.brokers[index]]),
    ...(from.pool ?? []).map((reading, index) => [reading, to.pool?.[index]]),
  ];
  const us = sumBy(pairs, ([begin, end]) =>
    begin && end ? end.userUs + end.systemUs - begin.userUs - begin.systemUs : 0,
  );
  return us / US_PER_MS;
}
