// Entry point of a worker, a process or a thread: joins one master over one channel, plays its half of the scenario
// through warm-up and window, hands in what it counted, and ends.

import { isMainThread } from 'node:worker_threads';
import { BenchError } from '../errors.js';
import { sharedNowMs, toOwnMs, toSharedMs } from '../machine/clock.js';
import { costBetween } from '../machine/cost-difference.js';
import { ownCpuMs, ownWaitMs, threadCpuMs } from '../machine/cpu-time.js';
import { helperThreads } from '../machine/helper-threads.js';
import { readOwnCost, readThreadCost } from '../machine/process-cost.js';
import { Meter } from '../scenario-kit/meter.js';
import { makePayloads } from '../scenario-kit/payloads.js';
import { ScenarioKit } from '../scenario-kit/scenario-kit.js';
import { seedFrom } from '../statistics/random.js';
import { endContext, loadParts } from './assignment.js';
import { keepTurning } from './busy-poll.js';
import { openForkLine } from './fork-line.js';
import { endWithParent } from './orphan.js';
import { openOwnPort } from './own-port.js';
import { profileFrom } from './profile.js';
import { sayHello } from './protocol.js';
import { WorkWatch } from './work-watch.js';

/** @import { CostReading } from '../machine/process-cost.js' */
/** @import { OpenPart } from '../scenario-kit/asking-half.js' */
/** @import { Work } from '../types/launches.js' */
/** @import { Half } from '../types/scenarios.js' */
/** @import { Channel } from '../types/transports.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { FromWorker, JoinOrder, MeasureOrder, StartOrder, ToWorker } from './protocol.js' */

const port = openOwnPort();
const helpers = isMainThread ? helperThreads() : [];
const readCost = isMainThread ? readOwnCost : readThreadCost;

/** A worker once it has joined its launch. */
class JoinedWorker {
  /**
   * @param {object} parts
   * @param {Assignment} parts.assignment
   * @param {string} parts.workerId
   * @param {Channel} parts.channel
   * @param {Meter} parts.meter
   * @param {Half} parts.half
   */
  constructor({ assignment, workerId, channel, meter, half }) {
    this.assignment = assignment;
    this.workerId = workerId;
    this.channel = channel;
    this.meter = meter;
    this.half = half;
    this.work = new WorkWatch({
      name: workerId,
      operations: () => half.progress(),
      readCpuMs: isMainThread ? ownCpuMs : threadCpuMs,
      readWaitMs: ownWaitMs,
    });
    /** @type {Work | null} */
    this.workAtOpen = null;
    /** @type {CostReading | null} */
    this.costAtOpen = null;
    /** @type {CostReading | null} */
    this.costAtClose = null;
    this.closedAtMs = 0;
  }

  /** @param {StartOrder} order */
  async start({ atMs }) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, toOwnMs(atMs) - performance.now())));
    const { cell, timing, profileDir } = this.assignment;
    const letSleep = cell.poll === 'busy' ? keepTurning() : undefined;
    const saveProfile = profileFrom(profileDir);
    const load = this.half.run?.(toOwnMs(atMs));
    this.work.begin(timing.workGoal, timing.warmupBinMs, () => say({ control: 'warm' }));
    await load?.catch(tellFailure);
    letSleep?.();
    saveProfile(this.workerId);
    this.meter.finish();
    this.handIn();
  }

  /** @param {MeasureOrder} order */
  measure(order) {
    const { meter } = this;
    const { messages, measureMs, binMs } = this.assignment.timing;
    // An order that waited behind large messages must not shorten the window: it opens later, and is as long.
    const lateMs = Math.max(0, sharedNowMs() - order.fromMs);
    const fromMs = toOwnMs(order.fromMs + lateMs);
    const toMs = messages === null ? fromMs + measureMs : Infinity;
    const onOpen = () => {
      this.workAtOpen = this.work.end();
      this.costAtOpen = readCost();
      this.half.opened?.();
    };
    const onClose = () => {
      this.closedAtMs = messages === null ? toMs : meter.nowMs;
      this.costAtClose = readCost();
      this.half.closed?.();
    };
    meter.schedule({ fromMs, toMs, binMs, onOpen, onClose });
    // At a low rate the window would only open when a reply comes.
    if (this.assignment.open !== null) setTimeout(() => meter.tick(), fromMs - performance.now() + 1);
    // Without a reply nobody would look at the clock.
    if (toMs !== Infinity) setTimeout(() => meter.tick(), toMs - performance.now() + 1);
  }

  handIn() {
    const { meter, costAtOpen, costAtClose } = this;
    const plan = /** @type {import('../scenario-kit/meter.js').MeterPlan} */ (meter.plan);
    const {
      bins = [],
      times = {},
      latency = meter.windowLatencies.toLatency(),
      open = null,
      asked = 0,
      ...counted
    } = this.half.report();
    say({
      control: 'done',
      ...counted,
      ...{ bins, times, latency, open, asked },
      openMs: toSharedMs(plan.fromMs),
      windowMs: this.closedAtMs - plan.fromMs,
      work: this.workAtOpen,
      cost: costAtOpen && costAtClose && costBetween(this.workerId, costAtOpen, costAtClose, null),
    });
  }
}

/** @type {JoinedWorker | undefined} */
let joined;
let isLeaving = false;
let leaveInPeace = () => {};

/** @type {{ [Order in ToWorker as Order['control']]: (order: Order) => unknown }} */
const orders = {
  join: (order) => join(order).catch(tellFailure),
  start: (order) => joined?.start(order),
  // What comes with the window must be nothing new to the compiler.
  rehearse: () => readCost(),
  measure: (order) => joined?.measure(order),
  leave,
};
const { line, sendControl } = openForkLine(port, (message) => {
  /** @type {Record<string, (order: any) => unknown>} */ (orders)[message.control]?.(message);
});
sayHello(say);

/** @param {FromWorker} message */
function say(message) {
  sendControl(message);
}

/** @param {JoinOrder} order */
async function join({ assignment, address, workerId }) {
  const { cell, deadlines, seed, timing } = assignment;
  leaveInPeace = endWithParent({ lifeMs: deadlines.lifeMs });
  const { transport, codec, scenario } = await loadParts(assignment);
  const guest = { ...endContext(assignment), address, line };
  const channel = await transport.connect({ ...guest, workerId });
  let connections = 0;
  const connect = () => {
    connections += 1;
    return transport.connect({ ...guest, workerId: `${workerId}c${connections}` });
  };
  const meter = new Meter();
  const kit = new ScenarioKit(cell, codec, {
    ...{ channel, connect, meter, replyMs: deadlines.replyMs, messages: timing.messages },
    payloads: makePayloads(seedFrom(seed, workerId), cell, cell.loops),
    open: openPartOf(assignment, workerId),
  });
  const half = scenario.half('worker', kit);
  joined = new JoinedWorker({ assignment, workerId, channel, meter, half });
  channel.onClose = (reason) => {
    if (isLeaving) return;
    tellFailure(new Error(`its channel closed${reason ? `: ${reason.message}` : ''}`, { cause: reason }));
  };
  await half.ready?.();
  say({ control: 'ready', helpers });
}

/**
 * @param {Assignment} assignment
 * @param {string} workerId
 * @returns {OpenPart | null}
 */
function openPartOf({ cell, open, seed }, workerId) {
  const { ratePerSecond, workers } = cell;
  if (ratePerSecond === undefined || open === null) return null;
  return { plan: open, share: { ratePerSecond, workers, worker: Number(workerId.slice(1)), seed } };
}

/** @param {Error} error */
function tellFailure(error) {
  // A code of the system's, as ECONNRESET, is none of ours.
  const known = [error, error.cause].find((each) => each instanceof BenchError);
  say({ control: 'failed', code: known?.code, message: error.message });
}

async function leave() {
  isLeaving = true;
  leaveInPeace();
  await joined?.channel.close();
  if (port.connected) port.disconnect();
}
