// The window of a launch that is measured alone, and the common parts of windows and slices. The costs of the master and of brokers are
// read at both ends. In between, this process only runs its endpoint and, if the scenario requires it, kills workers.

import { assignedBrokers, WORKER } from '../../cell/launch-roles.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { costBetween, endedChildren, readCost, readThreadCost } from '../../machine/process-cost.js';
import { watchPauses } from './pauses.js';
import { readNetwork } from './traffic.js';

/** @import { Endpoint, LoadClock, ProcessCost } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */
/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { WorkerGroup } from '../controller/worker-group.js' */

/**
 * @typedef {object} Readings
 * @property {CostReading} own   reading of the master's process
 * @property {CostReading | null | undefined} thread   reading of its main thread, if the workers are threads
 * @property {(CostReading | null)[]} brokers   readings in the order of assignedBrokers
 * @property {(CostReading | null)[]} [pool]   readings of the workers of a pool
 * @property {import('./traffic.js').NetworkReading | null} network
 */

/**
 * A launch whose processes have joined.
 * @typedef {object} JoinedLaunch
 * @property {import('../launch-spec.js').LaunchSpec} spec
 * @property {WorkerGroup} group
 * @property {Endpoint} endpoint   the master's endpoint
 * @property {import('../controller/master-process.js').MasterProcess} master
 */

/**
 * @param {JoinedLaunch} launch
 * @param {import('../../measure/work-watch.js').WorkWatch[]} work   watches that end when the window opens
 * @param {{ fromMs: number, toMs: number | null }} window   on the shared clock; toMs is null if it lasts for a number of messages
 * @param {() => void} onScheduled   called before the window opens
 */
export async function measureWindow(launch, work, { fromMs, toMs }, onScheduled) {
  const { spec, group, endpoint } = launch;
  const { meter } = endpoint;
  const { deadlines, kills, timing } = spec;
  const isWhole = group.countsWhole() || meter?.isWhole === true;
  group.sendAll({ control: 'measure', fromMs, isWhole });
  const loops = meter && scheduleOwnLoops(endpoint, meter, { fromMs, toMs, binMs: timing.binMs });
  onScheduled();
  const killing = new Killing(kills, group);
  const read = () => {
    const costs = readCosts(launch);
    return { ...costs, own: killing.without(costs.own) };
  };
  const pauses = watchPauses();
  const openedMs = await Promise.race([untilOpen(loops, fromMs), group.trouble]);
  pauses.open();
  const workAtOpen = work.map((watch) => watch.end());
  const from = read();
  /** @type {Promise<void> | null} */
  let killed = null;
  if (kills > 0 && toMs !== null) {
    killing.open();
    await Promise.race([waitUntil((fromMs + toMs) / 2), group.trouble]);
    killed = killing.kill(endpoint);
  }
  if (toMs !== null) await Promise.race([waitUntil(toMs), group.trouble]);
  if (isWhole) await untilCounted(launch, loops);
  const close = () => ({ to: read(), pauses: pauses.close() });
  const closed = toMs === null ? null : close();
  if (isWhole) {
    group.sendAll({ control: 'rest' });
    if (loops) /** @type {Meter} */ (meter).rest();
  }
  // If the master has a load, a worker may have none, and wait for `over` before it reports.
  if (meter !== undefined) group.sendAll({ control: 'over' });
  const reports = await collectReports(group, toMs === null ? deadlines.lifeMs : deadlines.finishMs);
  await Promise.race([killed, group.trouble]);
  const window = { openMs: fromMs, windowMs: (toMs ?? sharedNowMs()) - fromMs };
  const ends = closed ?? close();
  // A load of whole operations or of a number of messages has no fixed end.
  const isByClock = toMs !== null && !isWhole;
  const spanMs = isByClock ? toMs - fromMs : ends.to.own.atMs - openedMs;
  return { from, spanMs, reports, workAtOpen, killed: killing.costs, window, ...ends };
}

/** @param {WorkerGroup} group @param {number} deadlineMs @returns {Promise<any[]>} the reports of all, in the order of the group */
export async function collectReports(group, deadlineMs) {
  await group.receiveAll('done', deadlineMs, WORKER);
  for (const { messages, send } of group.members) if (!messages.has('done')) send({ control: 'over' });
  return group.receiveAll('done', deadlineMs);
}

/**
 * The master's closed loops, if it has any. Costs are read when the meter opens its window, since long tasks delay timers.
 * @typedef {{ opened: Promise<number>, counted: Promise<unknown> }} OwnLoops   opened: ms on this process's clock
 */

/** @returns {{ loops: OwnLoops, onOpen: () => void, onCounted: () => void }} */
export function watchOwnLoops() {
  let [onOpen, onCounted] = [() => {}, () => {}];
  /** @type {Promise<number>} */
  const opened = new Promise((resolve) => {
    onOpen = () => resolve(performance.now());
  });
  const counted = new Promise((resolve) => {
    onCounted = () => resolve(undefined);
  });
  return { loops: { opened, counted }, onOpen, onCounted };
}

/**
 * @param {Endpoint} endpoint
 * @param {LoadClock} meter   meter of a master that has a load
 * @param {{ fromMs: number, toMs: number | null, binMs: number }} window
 * @returns {OwnLoops | undefined} undefined if the load is counted by the clock
 */
function scheduleOwnLoops(endpoint, meter, { fromMs, toMs, binMs }) {
  const ends = { fromMs: toOwnMs(fromMs), toMs: toMs === null ? Infinity : toOwnMs(toMs) };
  const { loops, onOpen, onCounted } = watchOwnLoops();
  meter.schedule({
    ...ends,
    binMs,
    onOpen() {
      onOpen();
      endpoint.opened?.();
    },
    onClose: () => endpoint.closed?.(),
    onCounted,
  });
  // If no message arrives at an end of the window, nothing else reads the clock at that time.
  for (const atMs of Object.values(ends)) if (atMs !== Infinity) meter.tickAt(atMs);
  return meter.isWhole === true ? loops : undefined;
}

/**
 * @param {OwnLoops | undefined} loops
 * @param {number} fromMs
 * @returns {Promise<number>} instant at which the window opened, in ms on this process's clock
 */
export async function untilOpen(loops, fromMs) {
  if (loops !== undefined) return loops.opened;
  await waitUntil(fromMs);
  return toOwnMs(fromMs);
}

/**
 * Waits until every loop of the launch has counted its operations. The load continues meanwhile, so that the last operations are measured
 * under full load.
 * @param {JoinedLaunch} launch
 * @param {OwnLoops | undefined} loops
 */
export async function untilCounted({ spec, group }, loops) {
  // It includes `replyMs`, after which a loop stops waiting for a missing response.
  const deadlineMs = spec.deadlines.finishMs;
  await group.receiveAll('counted', deadlineMs);
  if (loops === undefined) return;
  await withDeadline(Promise.race([loops.counted, group.trouble]), deadlineMs, () => {
    throw new BenchError(
      'DEADLINE',
      `the master did not complete the operations that it counts within ${Math.round(deadlineMs)} ms`,
    );
  });
}

/** @param {JoinedLaunch} launch @returns {Readings} */
export function readCosts({ spec, group, master }) {
  const { network } = spec;
  return {
    own: master.readCost(),
    thread: group.areThreads ? readThreadCost() : undefined,
    brokers: assignedBrokers(spec).map(({ pid }) => readCost(pid)),
    pool: group.pool?.readCosts(),
    network: network === null ? null : readNetwork(network),
  };
}

/** @param {number} sharedMs */
export function waitUntil(sharedMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, toOwnMs(sharedMs) - performance.now()));
    timer.unref(); // a failed launch must not wait for the end of its window
  });
}

/** Kills workers in the middle of a window if the scenario requires it, and keeps their costs until then. */
export class Killing {
  /** @param {number} kills   number of workers @param {WorkerGroup} group */
  constructor(kills, group) {
    this.kills = kills;
    this.group = group;
    /** @type {(CostReading | null)[]} */
    this.costsAtOpen = [];
    /** Costs of the killed workers since the window opened. @type {ProcessCost[]} */
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

  /** @param {CostReading} own   cost of the master, including ended processes @returns the cost without the killed workers */
  without(own) {
    if (this.kills === 0) return own;
    const ended = endedChildren();
    return { ...own, userUs: own.userUs - ended.userUs, systemUs: own.systemUs - ended.systemUs };
  }
}
