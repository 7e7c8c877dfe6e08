// The load of a launch as its controller sees it: when it is warm, what is read at the two ends of the window, and who is killed in its
// middle.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { NS_PER_MS, US_PER_MS } from '../../format/units.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import {
  costBetween,
  cpuMsUsed,
  cpuMsWaited,
  endedChildren,
  extendedBy,
  readCost,
  readThreadCost,
} from '../../machine/process-cost.js';
import { sum, sumBy } from '../../statistics/sum.js';
import { isSteady } from '../../statistics/warm-up.js';
import { joinCounts, readBrokers } from '../controller/aggregate-reports.js';
import { handedIn } from '../controller/start-up-barrier.js';
import { assignedBrokers } from '../launch-spec.js';
import { readNetwork } from './traffic.js';
import { BROKER_GOAL, WorkWatch } from './work-watch.js';

/** @import { Endpoint, ProcessCost, Slices, Timing, Warmup } from '../../types/index.js' */
/** @import { Meter } from '../../scenario/load/meter.js' */
/** @import { Readings } from '../controller/aggregate-reports.js' */
/** @import { Sliced, SliceReport, Turn } from '../control/protocol.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { WorkerGroup } from '../controller/worker-group.js' */
/** @import { MasterProcess } from '../controller/master-process.js' */
/** @import { CostReading } from '../../machine/process-cost.js' */

// One in each of the first bins of a warm-up. In every bin, what reads costs would become hot itself, and all processes would compile
// it at about the same time: after 1.5 s, which was often the first moment of the window.
export const PRIMING_RUNS = 10;

/**
 * Does during warm-up what opens a window: an order to all, a reading of costs. V8 compiles the code that they share
 * with the messages for what it has seen, and would throw it away in the first moment of the window: a fifth of the first
 * 80 ms was lost by it.
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {MasterProcess} master
 */
export function primeJit(spec, group, master) {
  // Of the same fields as the command that it replaces: over `pipe` it is one more message of the measured channel.
  group.tellAll({ control: 'rehearse', fromMs: sharedNowMs(), isWhole: group.countsWhole() });
  readCosts(spec, group, master);
}

/**
 * The costs of the master and of a broker are read at the two ends of the window; nothing else happens here
 * while it is open.
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {object} parts
 * @param {Endpoint} parts.endpoint
 * @param {MasterProcess} parts.master
 * @param {import('./work-watch.js').WorkWatch[]} parts.work    of the processes that the controller looks after
 * @param {{ fromMs: number, toMs: number | null, own: OwnLoops | null, isWhole: boolean }} window   isWhole: loops of the launch count whole operations
 */
export async function watchWindow(spec, group, { endpoint, master, work }, { fromMs, toMs, own, isWhole }) {
  const { deadlines, kills } = spec;
  const killing = new Killing(kills, group);
  const read = () => {
    const costs = readCosts(spec, group, master);
    return { ...costs, own: killing.without(costs.own) };
  };
  const stalls = watchStalls();
  const openedMs = await Promise.race([untilOpen(own, fromMs), group.trouble]);
  stalls.open();
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
  if (isWhole) await allCounted(spec, group, own);
  const close = () => ({ to: read(), stallMs: stalls.close() });
  const closed = toMs === null ? null : close();
  if (isWhole) {
    group.tellAll({ control: 'rest' });
    if (own !== null) /** @type {Meter} */ (endpoint.meter).rest();
  }
  // Workers that only do what the master sends have no load of their own.
  if (endpoint.meter !== undefined) group.tellAll({ control: 'over' });
  const reports = await handedIn(group, toMs === null ? deadlines.lifeMs : deadlines.finishMs);
  await Promise.race([killed, group.trouble]);
  const window = { openMs: fromMs, windowMs: (toMs ?? sharedNowMs()) - fromMs };
  const ends = closed ?? close();
  // Whole operations and a number of messages end when they end.
  const isByClock = toMs !== null && !isWhole;
  const spanMs = isByClock ? toMs - fromMs : ends.to.own.atMs - openedMs;
  return { from, spanMs, reports, workAtOpen, killed: killing.costs, window, ...ends };
}

/**
 * The closed loops of the master itself, where it has any: its costs are read when they open, at an operation and not at a timer, which long
 * tasks delay.
 * @typedef {{ opened: Promise<number>, counted: Promise<unknown> }} OwnLoops   opened: ms of its own clock
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

/** @param {OwnLoops | null} own @param {number} fromMs @returns {Promise<number>} when the window opened, ms of this process's clock */
async function untilOpen(own, fromMs) {
  if (own !== null) return own.opened;
  await waitUntil(fromMs);
  return toOwnMs(fromMs);
}

/**
 * Every loop of the launch has counted its operations. Until then the load goes on, so that the last ones are measured under all of it.
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {OwnLoops | null} own
 */
async function allCounted({ deadlines }, group, own) {
  // A response that does not come is given up after `replyMs`, which is a part of it.
  const deadlineMs = deadlines.finishMs;
  await group.allSay('counted', deadlineMs);
  if (own === null) return;
  const late = () => {
    throw new BenchError(
      'DEADLINE',
      `the master did not complete the operations that it counts within ${Math.round(deadlineMs)} ms`,
    );
  };
  await withDeadline(Promise.race([own.counted, group.trouble]), deadlineMs, late);
}

const SLICE_FIELDS = /** @type {const} */ (['rounds', 'operations', 'windowMs', 'cpuMs']);
const SLICE_MARGIN_MS = 5; // for the order to reach all workers before what is not counted of a slice is over

/** The slices of a launch: what each of them counted, and all of them together. */
export class SliceWatch {
  /**
   * @param {LaunchSpec} spec
   * @param {WorkerGroup} group
   * @param {MasterProcess} master
   * @param {Endpoint} endpoint   of the master
   */
  constructor(spec, group, master, endpoint) {
    this.endpoint = endpoint;
    /** Of the master, where it has a load of its own. @type {Meter | null} */
    this.meter = /** @type {Meter | undefined} */ (endpoint.meter) ?? null;
    this.openMs = 0;
    this.spec = spec;
    this.group = group;
    this.master = master;
    this.stallMs = 0;
    /** @type {Slices} */
    this.slices = { rounds: [], operations: [], windowMs: [], cpuMs: [] };
    /** Of the slices that count, joined. @type {{ from: Readings, to: Readings } | null} */
    this.costs = null;
    this.spanMs = 0;
    /** Of the last slice, until it is known to count. @type {{ from: Readings, to: Readings, spanMs: number, stallMs: number } | null} */
    this.last = null;
  }

  /** @param {Extract<Turn, { kind: 'slice' }>} turn @returns {Promise<SliceReport>} */
  async measure({ round, skipMs, measureMs, dropsLast }) {
    const { spec, group, master, slices } = this;
    if (dropsLast) this.drop(round);
    else this.keep();
    const cpuMsBefore = this.ownCpuMs();
    const fromMs = sharedNowMs() + SLICE_MARGIN_MS + skipMs;
    const toMs = fromMs + measureMs;
    this.openMs ||= fromMs;
    for (const kind of /** @type {const} */ (['counted', 'sliced'])) group.forget(kind);
    group.tellAll({ control: 'slice', fromMs, toMs, dropsLast });
    const own = this.meter === null ? null : this.runOwn(this.meter, toOwnMs(fromMs), toOwnMs(toMs));
    const stalls = watchStalls();
    const openedMs = await Promise.race([untilOpen(own?.loops ?? null, fromMs), group.trouble]);
    stalls.open();
    const from = readCosts(spec, group, master);
    await Promise.race([waitUntil(toMs), group.trouble]);
    await allCounted(spec, group, own?.loops ?? null);
    const to = readCosts(spec, group, master);
    group.tellAll({ control: 'rest' });
    this.meter?.rest();
    this.last = { from, to, spanMs: to.own.atMs - openedMs, stallMs: stalls.close() };
    /** @type {Sliced[]} */
    const all = await group.allSay('sliced', spec.deadlines.finishMs);
    const ownCounts = await Promise.race([own?.sliced, group.trouble]);
    const counts = ownCounts === undefined ? all : [...all, ownCounts];
    const { operations, windowMs, completed } = joinCounts(counts, measureMs);
    const cpuMs = sumBy(all, (one) => one.cpuMs) + cpuMsBetween(from, to);
    const report = {
      operations,
      windowMs,
      cpuMs: completed > 0 ? (cpuMs * operations) / completed : cpuMs,
      turnCpuMs: sumBy(all, (one) => one.turnCpuMs) + this.ownCpuMs() - cpuMsBefore,
    };
    const slice = { ...report, rounds: round };
    for (const name of SLICE_FIELDS) slices[name].push(slice[name]);
    return report;
  }

  /** @param {Meter} meter @param {number} fromMs @param {number} toMs   of this process's clock */
  runOwn(meter, fromMs, toMs) {
    const { loops, ...ends } = watchOwnLoops();
    const sliced = meter.runSlice(this.endpoint, { fromMs, toMs }, ends);
    sliced.catch(this.group.fail);
    return { loops, sliced };
  }

  /** @returns so far, of the master and of brokers that are ours */
  ownCpuMs() {
    const pids = [...assignedBrokers(this.spec).map(({ pid }) => pid), ...(this.group.pool?.pids() ?? [])];
    const ofBrokers = pids.map((pid) => Number(cpuMsUsed(pid)));
    return Number(this.master.readCpuMs()) + sum(ofBrokers);
  }

  /** @param {number} round   of the next slice: it may take the place of the last one */
  drop(round) {
    const { slices, last } = this;
    if (last !== null) this.meter?.settleSlice(true);
    this.last = null;
    if (slices.rounds.at(-1) === round) slices.repeated = (slices.repeated ?? 0) + 1;
    for (const name of SLICE_FIELDS) slices[name].pop();
  }

  keep() {
    const { last } = this;
    this.last = null;
    if (last === null) return;
    this.meter?.settleSlice(false);
    this.stallMs = Math.max(this.stallMs, last.stallMs);
    this.spanMs += last.spanMs;
    const { from, to } = this.costs ?? { from: last.from, to: last.from };
    this.costs = { from, to: extendedReadings(to, last.from, last.to) };
  }

  /** @returns of all slices */
  total() {
    this.keep();
    const { slices, stallMs, costs, openMs, spanMs } = this;
    if (costs === null) throw new Error('a launch in slices ended before its first slice');
    return { slices, stallMs, spanMs, ...costs, window: { openMs, windowMs: sum(slices.windowMs) } };
  }
}

/** @param {Readings} upTo @param {Readings} from @param {Readings} to @returns {Readings} */
function extendedReadings(upTo, from, to) {
  /** @template {CostReading | null | undefined} One @param {One} so @param {One} begin @param {One} end @returns {One} */
  const join = (so, begin, end) =>
    so && begin && end ? /** @type {One} */ (extendedBy(so, begin, end)) : so;
  return {
    own: join(upTo.own, from.own, to.own),
    thread: join(upTo.thread, from.thread, to.thread),
    brokers: upTo.brokers.map((so, index) => join(so, from.brokers[index], to.brokers[index])),
    pool: upTo.pool?.map((so, index) => join(so, from.pool?.[index] ?? null, to.pool?.[index] ?? null)),
    network: null,
  };
}

/** @param {Readings} from @param {Readings} to @returns of the master and its brokers; of a master whose workers are threads: of its main thread */
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

/** @param {LaunchSpec} spec @param {WorkerGroup} group @param {MasterProcess} master @returns {Readings} */
function readCosts({ network, ...spec }, group, master) {
  return {
    own: master.readCost(),
    thread: group.areThreads ? readThreadCost() : undefined,
    brokers: readBrokers(spec),
    pool: group.pool?.readCosts(),
    network: network === null ? null : readNetwork(network),
  };
}

/** @param {number} sharedMs */
function waitUntil(sharedMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, toOwnMs(sharedMs) - performance.now()));
    timer.unref(); // a launch that failed meanwhile must not wait for the end of its window
  });
}

// How long a process stood still within the window at the longest: preempted, stopped, or busy with one thing. Asked by a
// timer of Node's own, in C++, 50 times a second.
const RESOLUTION_MS = 20;

/** @returns {{ open: () => void, close: () => number }} `close` gives ms, beyond what is usual in this window */
function watchStalls() {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return {
    open: () => delays.reset(),
    close() {
      delays.disable();
      // The usual delay is the timer's own, or the delay of a loop which is never free before the next large message.
      return Math.max(0, delays.max - delays.percentile(50)) / NS_PER_MS;
    },
  };
}

// Workers that a scenario wants dead: killed in the middle of the window, with what they had cost by then. Nobody waits for
// them, and their half of the master is told when they have ended.
export class Killing {
  /** @param {number} kills   workers @param {WorkerGroup} group */
  constructor(kills, group) {
    this.kills = kills;
    this.group = group;
    /** @type {(CostReading | null)[]} */
    this.costsAtOpen = [];
    /** @type {ProcessCost[]} of the workers that were killed, from the opening of the window on */
    this.costs = [];
  }

  /** The window opens. */
  open() {
    this.costsAtOpen = this.group.lastOnes(this.kills).map(({ worker }) => readCost(Number(worker.pid)));
  }

  /** @param {Endpoint} endpoint   of the master @returns resolves when all of them have ended */
  async kill(endpoint) {
    const victims = this.group.lastOnes(this.kills);
    this.costs = victims.flatMap(({ id, worker }, index) => {
      const [from, to] = [this.costsAtOpen[index], readCost(Number(worker.pid))];
      return from === null || to === null ? [] : costBetween({ name: id, role: 'worker' }, from, to, null);
    });
    endpoint.killing?.(performance.now());
    for (const victim of victims) this.group.killOne(victim);
    // The end of a process is what its master hears of in every transport, at once and in the same way.
    await Promise.all(
      victims.map(async ({ id, worker }) => {
        await worker.ended;
        endpoint.gone?.(id);
      }),
    );
  }

  /** @param {CostReading} own   of the master, with processes that have ended @returns without the workers that were killed */
  without(own) {
    if (this.kills === 0) return own;
    const ended = endedChildren();
    return { ...own, userUs: own.userUs - ended.userUs, systemUs: own.systemUs - ended.systemUs };
  }
}

/**
 * @param {object} load
 * @param {() => number} load.answered       how many answers the master has given so far
 * @param {() => boolean} load.isWarm        every process of the launch has worked enough
 * @param {(bins: number) => void} [load.onBin]   at the end of every bin: of how many so far
 * @param {Promise<any>} load.trouble        rejects when the launch fails: the watch ends with it
 * @param {Timing} timing
 * @param {number} marginMs                  to stop before the end of a fixed warm-up
 * @returns {Promise<Omit<Warmup, 'work'>>} when it is over
 */
export async function watchWarmUp({ answered, isWarm, trouble, onBin }, timing, marginMs) {
  const { warmupMs, minWarmupMs, maxWarmupMs, steadyWithinMs, warmupBinMs: binMs } = timing;
  const beganMs = performance.now();
  /** @type {number[]} */
  const operations = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let warmAtMs = Infinity;
  /** @param {number} elapsedMs @returns {Warmup['status'] | null} null: it goes on */
  const judge = (elapsedMs) => {
    if (warmAtMs === Infinity && isWarm()) warmAtMs = elapsedMs;
    const isDue = elapsedMs >= minWarmupMs && warmAtMs <= elapsedMs;
    if (isDue && isSteady(operations)) return 'steady';
    // A machine that is never quiet shows a trend now and then, however long one waits.
    if (isDue && elapsedMs >= Math.max(minWarmupMs, warmAtMs) + steadyWithinMs) return 'not-steady';
    if (elapsedMs < maxWarmupMs) return null;
    return warmAtMs <= elapsedMs ? 'not-steady' : 'cold';
  };
  const judged = new Promise((resolve) => {
    let counted = answered();
    let lookedMs = beganMs;
    timer = setInterval(() => {
      const nowMs = performance.now();
      const count = answered();
      // A timer of a busy process comes late: what it finds is put on the footing of one bin.
      operations.push(Math.round(((count - counted) * binMs) / (nowMs - lookedMs)));
      counted = count;
      lookedMs = nowMs;
      onBin?.(operations.length);
      const elapsedMs = nowMs - beganMs;
      const status = judge(elapsedMs);
      if (status !== null) resolve({ status, ms: elapsedMs, binMs, operations });
    }, binMs);
  });
  try {
    if (warmupMs !== null) {
      const over = new Promise((resolve) => {
        const end = setTimeout(resolve, warmupMs - marginMs);
        end.unref(); // a launch that failed meanwhile must not wait for it
      });
      await Promise.race([over, trouble]);
      return { status: 'fixed', ms: warmupMs, binMs, operations };
    }
    return await Promise.race([judged, trouble]);
  } finally {
    clearInterval(timer);
  }
}

/**
 * @param {import('../launch-spec.js').LaunchSpec} spec
 * @param {import('../controller/master-process.js').MasterProcess} master
 * @param {() => number} answered
 * @returns of the master, and of brokers that are ours
 */
export function watchWork(spec, { readCpuMs, readWaitMs }, answered) {
  const { timing } = spec;
  const own = new WorkWatch({ name: 'master', operations: answered, readCpuMs, readWaitMs });
  own.begin(timing.workGoal, timing.warmupBinMs);
  const beside = assignedBrokers(spec).map(({ name, pid }) => {
    const readings = { readCpuMs: () => cpuMsUsed(pid), readWaitMs: () => cpuMsWaited(pid) };
    const watch = new WorkWatch({ name, operations: answered, ...readings });
    watch.begin(BROKER_GOAL, timing.warmupBinMs);
    return watch;
  });
  return [own, ...beside];
}
