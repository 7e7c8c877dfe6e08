// Measures the slices of a launch, in its controller. A launch of a group has many slices: between them, its load rests and the runner
// measures other launches (run/launch-groups.js). A launch alone has one slice: the load of its warm-up continues into it. The controller
// sends `slice` to every worker, which worker/joined-worker.js handles. If the loops count whole operations (measure/meter.js), the load
// continues until every worker has sent `counted`; any other load ends at a set time, or after a number of messages. Then the workers send
// `sliced`.

import { assignedBrokers, WORKER } from '../../cell/launch-roles.js';
import { Deferred } from '../../children/deferred.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { cpuMsUsed } from '../../machine/process-cost.js';
import { scheduleSlice } from '../../measure/schedule-slice.js';
import { sumBy } from '../../statistics/sum.js';
import { CostMonitor } from '../monitors/cost-monitor.js';
import { cpuMsBetween, extendedReadings, readCosts } from '../monitors/cost-readings.js';
import { PauseMonitor } from '../monitors/pauses.js';
import { Killing } from './killing.js';

/** @import { LoadClock, WatchedWork, WholeCounts } from '../../types/index.js' */
/** @import { WorkWatch } from '../../measure/work-watch.js' */
/** @import { Meter } from '../../measure/meter.js' */
/** @import { Sliced, SliceReport, LaunchStep } from '../control/protocol.js' */
/** @import { JoinedLaunch, Readings } from '../monitors/cost-readings.js' */

const MARGIN_MS = 5; // for the command to reach all workers before the slice begins with `skipMs`, which do not count

/**
 * The load of a launch when its first slice begins.
 * @typedef {object} WarmLoad
 * @property {Promise<unknown> | undefined} own   resolves when the master's own load is over; undefined if the master has none
 * @property {boolean} isRunning   whether the load continues into the slice
 * @property {number} leastFromMs   earliest opening of the first slice, in ms on the shared clock
 * @property {number} marginMs   time for the command to reach all workers under load
 * @property {WorkWatch[]} work   watches of the warm-up; they end when the slice opens, or earlier when the load rests
 */

export class MeasuredSlices {
  /** @param {JoinedLaunch} launch @param {WarmLoad} load */
  constructor(launch, load) {
    this.launch = launch;
    this.load = load;
    /** Undefined if the master has no load. @type {LoadClock | undefined} */
    this.meter = launch.endpoint.meter;
    this.killing = new Killing(launch.spec.kills, launch.group);
    /** @type {CostMonitor<Readings>} */
    this.costs = new CostMonitor(() => {
      const readings = readCosts(launch);
      return { ...readings, own: this.killing.without(readings.own) };
    }, extendedReadings);
    this.pauses = new PauseMonitor();
    /** Work until the first slice, if the load continues into it. @type {WatchedWork[]} */
    this.workAtOpen = [];
    this.hasBegun = false;
  }

  /** @param {Extract<LaunchStep, { kind: 'slice' }>} step @returns {Promise<SliceReport>} */
  async measure({ skipMs, measureMs, dropsLast }) {
    const { launch, load, meter, costs, pauses } = this;
    const { spec, group } = launch;
    const { deadlines, timing } = spec;
    this.settle(dropsLast);
    const cpuMsBefore = this.readCpuMs();
    const countsWholeOperations = group.countsWhole() || meter?.countsWholeOperations === true;
    const marginMs = load.isRunning ? load.marginMs : MARGIN_MS;
    const fromMs = Math.max(sharedNowMs() + marginMs + skipMs, load.leastFromMs);
    const toMs = timing.messages === null ? fromMs + measureMs : null;
    const binMs = timing.slices === undefined ? timing.binMs : measureMs;
    for (const kind of /** @type {const} */ (['counted', 'sliced'])) group.forget(kind);
    group.sendAll({
      control: 'slice',
      fromMs,
      toMs,
      binMs,
      countsWholeOperations,
      dropsLast,
      isPriming: false,
    });
    const own = meter && this.scheduleOwn(meter, { fromMs, toMs, binMs });
    const openedMs = await Promise.race([
      untilOpen(countsWholeOperations ? own : undefined, fromMs),
      group.trouble,
    ]);
    pauses.begin();
    if (load.isRunning) this.workAtOpen = load.work.map((watch) => watch.end());
    costs.begin();
    const killed = this.killMidway({ fromMs, toMs });
    killed.catch(group.fail); // it may fail before it is awaited
    const closedMs = await this.untilClosed(own, { toMs, countsWholeOperations });
    const { from, to } = costs.end({ openMs: fromMs, spanMs: closedMs - openedMs });
    pauses.end();
    group.sendAll({ control: 'rest' });
    if (countsWholeOperations) /** @type {Meter | undefined} */ (meter)?.rest();
    /** @type {Sliced[]} */
    const all = await group.receiveAll('sliced', deadlines.finishMs);
    await this.untilOver(own, deadlines.finishMs);
    await killed;
    load.isRunning = false;
    const ownCounts = countsWholeOperations
      ? /** @type {Meter | undefined} */ (meter)?.lastCounts()
      : undefined;
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

  /**
   * @param {LoadClock} meter   meter of a master that has a load
   * @param {{ fromMs: number, toMs: number | null, binMs: number }} window   as in a SliceOrder
   * @returns {OwnLoad}
   */
  scheduleOwn(meter, { fromMs, toMs, binMs }) {
    const { load, launch } = this;
    const { endpoint, group } = launch;
    /** @type {Deferred<number>} */
    const opened = new Deferred();
    /** @type {Deferred<void>} */
    const counted = new Deferred();
    const ends = { fromMs: toOwnMs(fromMs), toMs: toMs === null ? Infinity : toOwnMs(toMs) };
    scheduleSlice(meter, { ...ends, binMs }, endpoint, {
      onOpen: () => opened.resolve(performance.now()),
      onCounted: () => counted.resolve(),
      onClose() {},
    });
    const ofSlice = { opened: opened.promise, counted: counted.promise };
    if (load.isRunning) return { ...ofSlice, over: load.own };
    meter.resume?.();
    meter.countWhole?.(); // a load that can rest consists of loops
    const over = endpoint.run?.(performance.now());
    over?.catch(group.fail);
    return { ...ofSlice, over };
  }

  /**
   * @param {{ fromMs: number, toMs: number | null }} window   on the shared clock
   * @returns resolves when the workers that the scenario kills have ended; at once if it kills none
   */
  async killMidway({ fromMs, toMs }) {
    const { spec, group, endpoint } = this.launch;
    if (spec.kills === 0 || toMs === null) return;
    this.killing.open();
    await Promise.race([waitUntil((fromMs + toMs) / 2), group.trouble]);
    await Promise.race([this.killing.kill(endpoint), group.trouble]);
  }

  /**
   * @param {OwnLoad | undefined} own
   * @param {{ toMs: number | null, countsWholeOperations: boolean }} slice   toMs: null if the load ends after a number of messages
   * @returns {Promise<number>} instant at which the slice closed, in ms on this process's clock
   */
  async untilClosed(own, { toMs, countsWholeOperations }) {
    if (toMs === null) await this.untilSent(own);
    else await Promise.race([waitUntil(toMs), this.launch.group.trouble]);
    if (countsWholeOperations) await this.untilCounted(own);
    else if (toMs !== null) return toOwnMs(toMs);
    return performance.now(); // a slice of whole operations, or of a number of messages, has no planned end
  }

  /**
   * Waits until every loop of the launch has counted its operations. The load continues meanwhile, so that the last operations are measured
   * under full load.
   * @param {OwnLoad | undefined} own   undefined if the master has no load
   */
  async untilCounted(own) {
    const { spec, group } = this.launch;
    // `finishMs` exceeds `replyMs`, after which a loop stops waiting for a missing response.
    const deadlineMs = spec.deadlines.finishMs;
    await group.receiveAll('counted', deadlineMs);
    if (own === undefined) return;
    await withDeadline(Promise.race([own.counted, group.trouble]), deadlineMs, () => {
      throw new BenchError(
        'DEADLINE',
        `the master did not complete the counted operations within ${Math.round(deadlineMs)} ms`,
      );
    });
  }

  /** Waits until a load that ends after a number of messages is over. @param {OwnLoad | undefined} own */
  async untilSent(own) {
    const { spec, group } = this.launch;
    if (own === undefined) await group.receiveAll('sliced', spec.deadlines.lifeMs, WORKER);
    else await this.untilOver(own, spec.deadlines.lifeMs);
  }

  /** @param {OwnLoad | undefined} own @param {number} deadlineMs */
  async untilOver(own, deadlineMs) {
    if (own?.over === undefined) return;
    await withDeadline(Promise.race([own.over, this.launch.group.trouble]), deadlineMs, () => {
      throw new BenchError(
        'DEADLINE',
        `the load of the master did not end within ${Math.round(deadlineMs)} ms`,
      );
    });
  }

  /** @returns CPU time in ms so far of the master, private brokers and processes of a pool */
  readCpuMs() {
    const { spec, master, pool } = this.launch;
    const pids = [...assignedBrokers(spec).map(({ pid }) => pid), ...(pool?.pids() ?? [])];
    return Number(master.readCpuMs()) + sumBy(pids, (pid) => Number(cpuMsUsed(pid)));
  }

  /** @param {boolean} isDropped   the last slice does not count */
  settle(isDropped) {
    if (this.hasBegun) this.meter?.settleSlice?.(isDropped);
    this.hasBegun = true;
    if (isDropped) for (const monitor of [this.costs, this.pauses]) monitor.drop();
  }

  /** @returns costs and pauses over all slices that count, and the costs of killed workers */
  report() {
    this.settle(false);
    const costs = this.costs.report();
    if (costs === null) throw new Error('a launch ended before its first slice');
    return { ...costs, pauses: this.pauses.report(), killed: this.killing.costs };
  }
}

/**
 * The load of the master in a slice.
 * @typedef {object} OwnLoad
 * @property {Promise<number>} opened   resolves with the instant at which the meter opened the slice, in ms on this process's clock; a long
 *   task may delay it
 * @property {Promise<void>} counted   resolves when the master's loops have counted their operations
 * @property {Promise<unknown> | undefined} over   resolves when no operation of the slice is pending
 */

/**
 * @param {OwnLoad | undefined} own
 * @param {number} fromMs
 * @returns {Promise<number>} instant at which the slice opened, in ms on this process's clock
 */
async function untilOpen(own, fromMs) {
  if (own !== undefined) return own.opened;
  await waitUntil(fromMs);
  return toOwnMs(fromMs);
}

/** @param {number} sharedMs */
function waitUntil(sharedMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, toOwnMs(sharedMs) - performance.now()));
    timer.unref(); // a failed launch must not wait for the end of its slice
  });
}

/** @typedef {Pick<WholeCounts, 'operations' | 'windowMs' | 'completed'>} SliceCounts */

/**
 * @param {SliceCounts[]} all   counts of the processes of a launch
 * @param {number} lengthMs   length of the slice, returned if no process counted an operation
 * @returns {SliceCounts} windowMs: such that operations / windowMs is the sum of the rates of the processes
 */
export function joinCounts(all, lengthMs) {
  const operations = sumBy(all, (one) => one.operations);
  const perMs = sumBy(all, (one) => (one.operations > 0 ? one.operations / one.windowMs : 0));
  const completed = sumBy(all, (one) => one.completed);
  return { operations, windowMs: perMs > 0 ? operations / perMs : lengthMs, completed };
}
