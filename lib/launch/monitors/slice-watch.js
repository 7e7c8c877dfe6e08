// Measures the slices of a launch, in its controller. The runner sends a step (run/launch-groups.js), the controller sends `slice` to every
// worker (this file), each loop counts its whole operations (measure/meter.js, run by worker/joined-worker.js), and the load continues
// until all loops have `counted`. Then the workers send `sliced`.

import { assignedBrokers } from '../../cell/launch-roles.js';
import { US_PER_MS } from '../../format/units.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { cpuMsUsed, extendReading } from '../../machine/process-cost.js';
import { sumBy } from '../../statistics/sum.js';
import { joinPauses, NO_PAUSES, watchPauses } from './pauses.js';
import { readCosts, untilCounted, untilOpen, waitUntil, watchOwnLoops } from './window.js';

/** @import { Meter } from '../../measure/meter.js' */
/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { Readings } from './window.js' */
/** @import { Sliced, SliceReport, Step } from '../control/protocol.js' */
/** @import { JoinedLaunch } from './window.js' */

const MARGIN_MS = 5; // for the command to reach all workers before `skipMs`, the uncounted beginning of a slice

export class SliceWatch {
  /** @param {JoinedLaunch} launch */
  constructor(launch) {
    this.launch = launch;
    /** Undefined if the master has no load. @type {Meter | undefined} */
    this.meter = /** @type {Meter | undefined} */ (launch.endpoint.meter);
    this.openMs = 0;
    this.pauses = NO_PAUSES;
    this.spanMs = 0;
    /** Joined readings of the slices that count. @type {{ from: Readings, to: Readings } | null} */
    this.costs = null;
    /**
     * The last slice, until the next step decides whether it counts.
     * @type {{ from: Readings, to: Readings, spanMs: number, pauses: import('./pauses.js').Pauses } | null}
     */
    this.last = null;
  }

  /** @param {Extract<Step, { kind: 'slice' }>} step @returns {Promise<SliceReport>} */
  async measure({ skipMs, measureMs, dropsLast }) {
    const { launch, meter } = this;
    const { spec, group } = launch;
    this.settle(dropsLast);
    const cpuMsBefore = this.readCpuMs();
    const fromMs = sharedNowMs() + MARGIN_MS + skipMs;
    const toMs = fromMs + measureMs;
    this.openMs ||= fromMs;
    for (const kind of /** @type {const} */ (['counted', 'sliced'])) group.forget(kind);
    group.sendAll({ control: 'slice', fromMs, toMs, dropsLast });
    const load = meter && this.runOwnLoad(meter, toOwnMs(fromMs), toOwnMs(toMs));
    const pauses = watchPauses();
    const openedMs = await Promise.race([untilOpen(load?.loops, fromMs), group.trouble]);
    pauses.open();
    const from = readCosts(launch);
    await Promise.race([waitUntil(toMs), group.trouble]);
    await untilCounted(launch, load?.loops);
    const to = readCosts(launch);
    group.sendAll({ control: 'rest' });
    meter?.rest();
    this.last = { from, to, spanMs: to.own.atMs - openedMs, pauses: pauses.close() };
    /** @type {Sliced[]} */
    const all = await group.receiveAll('sliced', spec.deadlines.finishMs);
    const ownCounts = await Promise.race([load?.sliced, group.trouble]);
    const counts = ownCounts === undefined ? all : [...all, ownCounts];
    const { operations, windowMs, completed } = joinCounts(counts, measureMs);
    const cpuMs = sumBy(all, (one) => one.cpuMs) + cpuMsBetween(from, to);
    return {
      operations,
      windowMs,
      cpuMs: completed > 0 ? (cpuMs * operations) / completed : cpuMs,
      spentCpuMs: sumBy(all, (one) => one.spentCpuMs) + this.readCpuMs() - cpuMsBefore,
    };
  }

  /** @param {Meter} meter @param {number} fromMs @param {number} toMs   both on this process's clock */
  runOwnLoad(meter, fromMs, toMs) {
    const { loops, ...ends } = watchOwnLoops();
    const sliced = meter.runSlice(this.launch.endpoint, { fromMs, toMs }, ends);
    sliced.catch(this.launch.group.fail);
    return { loops, sliced };
  }

  /** @returns CPU time so far of the master, private brokers and processes of a pool */
  readCpuMs() {
    const { spec, group, master } = this.launch;
    const pids = [...assignedBrokers(spec).map(({ pid }) => pid), ...(group.pool?.pids() ?? [])];
    return Number(master.readCpuMs()) + sumBy(pids, (pid) => Number(cpuMsUsed(pid)));
  }

  /** @param {boolean} isDropped   the last slice does not count */
  settle(isDropped) {
    const { last } = this;
    this.last = null;
    if (last === null) return;
    this.meter?.settleSlice(isDropped);
    if (isDropped) return;
    this.pauses = joinPauses(this.pauses, last.pauses);
    this.spanMs += last.spanMs;
    const { from, to } = this.costs ?? { from: last.from, to: last.from };
    this.costs = { from, to: extendedReadings(to, last.from, last.to) };
  }

  /** @returns the total of all slices that count */
  total() {
    this.settle(false);
    const { pauses, costs, openMs, spanMs } = this;
    if (costs === null) throw new Error('a launch in slices ended before its first slice');
    return { pauses, spanMs, ...costs, window: { openMs, windowMs: spanMs } };
  }
}

/** @param {Readings} upTo @param {Readings} from @param {Readings} to @returns {Readings} */
function extendedReadings(upTo, from, to) {
  /** @template {CostReading | null | undefined} One @param {One} so @param {One} begin @param {One} end @returns {One} */
  const join = (so, begin, end) =>
    so && begin && end ? /** @type {One} */ (extendReading(so, begin, end)) : so;
  return {
    own: join(upTo.own, from.own, to.own),
    thread: join(upTo.thread, from.thread, to.thread),
    brokers: upTo.brokers.map((so, index) => join(so, from.brokers[index], to.brokers[index])),
    pool: upTo.pool?.map((so, index) => join(so, from.pool?.[index] ?? null, to.pool?.[index] ?? null)),
    network: null,
  };
}

/**
 * @param {Readings} from
 * @param {Readings} to
 * @returns CPU time of the master (its main thread if the workers are threads), of brokers, and of the workers of a pool
 */
function cpuMsBetween(from, to) {
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

/** @typedef {Pick<import('../../types/index.js').WholeCounts, 'operations' | 'windowMs' | 'completed'>} Counts */

/**
 * @param {Counts[]} all   counts of the processes of a launch
 * @param {number} lengthMs   length of the window, returned if no process counted an operation
 * @returns {Counts} operations divided by windowMs is the sum of the rates
 */
export function joinCounts(all, lengthMs) {
  const operations = sumBy(all, (one) => one.operations);
  const perMs = sumBy(all, (one) => (one.operations > 0 ? one.operations / one.windowMs : 0));
  const completed = sumBy(all, (one) => one.completed);
  return { operations, windowMs: perMs > 0 ? operations / perMs : lengthMs, completed };
}
