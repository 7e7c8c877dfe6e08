// Entry point of a worker, a process or a thread: joins one master over one channel, runs its loops through warm-up and
// window, hands in what it counted, and ends.

import { isMainThread } from 'node:worker_threads';
import { BenchError } from '../errors.js';
import { sharedNowMs, toOwnMs, toSharedMs } from '../machine/clock.js';
import { costBetween } from '../machine/cost-difference.js';
import { ownCpuMs, ownWaitMs, threadCpuMs } from '../machine/cpu-time.js';
import { helperThreads } from '../machine/helper-threads.js';
import { readOwnCost, readThreadCost } from '../machine/process-cost.js';
import { Asker, AskingLoop } from '../scenario-kit/asker.js';
import { Meter } from '../scenario-kit/meter.js';
import { OpenLoad } from '../scenario-kit/open-load.js';
import { makePayloads } from '../scenario-kit/payloads.js';
import { seedFrom } from '../statistics/random.js';
import { endContext, loadParts } from './assignment.js';
import { keepTurning } from './busy-poll.js';
import { openForkLine } from './fork-line.js';
import { endWithParent } from './orphan.js';
import { openOwnPort } from './own-port.js';
import { profileFrom } from './profile.js';
import { WorkWatch } from './work-watch.js';

/** @import { Assignment } from './assignment.js' */

const SWEEPS_PER_DEADLINE = 10; // a lost answer is noticed at most a tenth of the deadline late

/** @type {Record<string, (message: any) => unknown>} */
const orders = { join, start, rehearse, measure, leave };
const port = openOwnPort();
const helpers = isMainThread ? helperThreads() : [];
const { line, sendControl } = openForkLine(port, (message) => orders[message.control]?.(message));

const readCost = isMainThread ? readOwnCost : readThreadCost;
const readCpuMs = isMainThread ? ownCpuMs : threadCpuMs;

const meter = new Meter();
/** @type {Assignment} */
let assignment;
/** @type {Asker} */
let asker;
/** @type {import('../types/scenarios.js').Scenario} */
let scenario;
/** @type {OpenLoad | null} */
let openLoad = null;
const work = new WorkWatch({
  name: 'worker',
  operations: () => asker.asked,
  readCpuMs,
  readWaitMs: ownWaitMs,
});
/** @type {() => void} */
let leaveInPeace = () => {};
let isLeaving = false;
let workerId = '';

/** @param {{ assignment: Assignment, address: string, workerId: string }} order */
async function join(order) {
  assignment = order.assignment;
  const { cell, deadlines, seed } = assignment;
  leaveInPeace = endWithParent({ lifeMs: deadlines.lifeMs });
  try {
    const parts = await loadParts(assignment);
    scenario = parts.scenario;
    const { address } = order;
    workerId = order.workerId;
    const channel = await parts.transport.connect({ ...endContext(assignment), address, workerId, line });
    const payloads = makePayloads(seedFrom(seed, workerId), cell, cell.loops);
    asker = new Asker({ channel, codec: parts.codec, payloads, loops: cell.loops, meter });
    openLoad = openLoadOf(assignment, workerId);
    channel.onClose = (reason) => {
      if (!isLeaving)
        report(new Error(`its channel closed${reason ? `: ${reason.message}` : ''}`, { cause: reason }));
    };
    asker.begin(0);
    await asker.ask(0);
    sendControl({ control: 'ready', helpers });
  } catch (error) {
    report(/** @type {Error} */ (error));
  }
}

/**
 * @param {Assignment} assignment
 * @param {string} workerId
 */
function openLoadOf({ cell, open, seed }, workerId) {
  const { ratePerSecond, workers } = cell;
  if (ratePerSecond === undefined || open === null) return null;
  const share = { ratePerSecond, workers, worker: Number(workerId.slice(1)), seed };
  return new OpenLoad({ asker, meter, plan: open, share });
}

/** @param {Error} error */
function report(error) {
  // A code of the system's, as ECONNRESET, is none of ours.
  const known = [error, error.cause].find((each) => each instanceof BenchError);
  sendControl({ control: 'failed', code: known?.code, message: error.message });
}

/** @param {{ atMs: number }} order   an instant of the shared clock, the same for all workers */
async function start({ atMs }) {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, toOwnMs(atMs) - performance.now())));
  const letSleep = assignment.cell.poll === 'busy' ? keepTurning() : undefined;
  const saveProfile = profileFrom(assignment.profileDir);
  const { replyMs } = assignment.deadlines;
  const sweeper = setInterval(() => asker.sweep(replyMs), replyMs / SWEEPS_PER_DEADLINE);
  const loops = [];
  for (let loop = 0; loop < assignment.cell.loops; loop += 1) {
    asker.begin(loop);
    loops.push(scenario.loop(openLoad?.handle(loop) ?? new AskingLoop(asker, loop)));
  }
  openLoad?.begin(toOwnMs(atMs));
  const { workGoal, warmupBinMs } = assignment.timing;
  work.begin(workGoal, warmupBinMs, () => sendControl({ control: 'warm' }));
  await Promise.all(loops).catch(report);
  clearInterval(sweeper);
  letSleep?.();
  saveProfile(workerId);
  meter.finish();
  handIn();
}

/** @type {import('../machine/process-cost.js').CostReading | null} */
let costAtOpen = null;
/** @type {import('../machine/process-cost.js').CostReading | null} */
let costAtClose = null;
let closedAtMs = 0;
/** @type {ReturnType<WorkWatch['end']> | null} */
let workAtOpen = null;

/** An order of warm-up: what comes with the window must be nothing new to the compiler. */
function rehearse() {
  readCost();
}

/** @param {{ fromMs: number }} order   an instant of the shared clock */
function measure(order) {
  const { timing } = assignment;
  // An order that waited behind large messages must not shorten the window: it opens later, and is as long.
  const lateMs = Math.max(0, sharedNowMs() - order.fromMs);
  const fromMs = toOwnMs(order.fromMs + lateMs);
  const toMs = timing.messages === null ? fromMs + timing.measureMs : Infinity;
  meter.schedule({
    fromMs,
    toMs,
    binMs: timing.binMs,
    onOpen() {
      workAtOpen = work.end();
      costAtOpen = readCost();
      if (timing.messages !== null) asker.remaining.fill(timing.messages);
    },
    onClose() {
      closedAtMs = timing.messages === null ? toMs : meter.nowMs;
      costAtClose = readCost();
      openLoad?.end();
    },
  });
  // At a low rate the window would only open when a reply comes.
  if (openLoad !== null) setTimeout(() => meter.tick(), fromMs - performance.now() + 1);
  // Without a reply nobody would look at the clock.
  if (toMs !== Infinity) setTimeout(() => meter.tick(), toMs - performance.now() + 1);
}

function handIn() {
  const plan = /** @type {import('../scenario-kit/meter.js').MeterPlan} */ (meter.plan);
  const latency = meter.windowLatencies.toLatency();
  sendControl({
    control: 'done',
    roundTrips: latency.count,
    openMs: toSharedMs(plan.fromMs),
    windowMs: closedAtMs - plan.fromMs,
    bins: meter.bins,
    latency,
    open: openLoad?.report() ?? null,
    asked: asker.asked,
    work: workAtOpen,
    integrity: asker.integrity,
    cost: costAtOpen && costAtClose && costBetween({ name: 'worker' }, costAtOpen, costAtClose, null),
  });
}

async function leave() {
  isLeaving = true;
  leaveInPeace();
  await asker?.channel.close();
  if (port.connected) port.disconnect();
}
