// The window of a launch as its controller sees it: what is read at its two ends, who is killed in its middle, and what each bin of
// warm-up rehearses of it.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { NS_PER_MS } from '../../format/units.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { readThreadCost } from '../../machine/process-cost.js';
import { readBrokers } from '../controller/aggregate-reports.js';
import { Killing } from '../controller/killing.js';
import { handedIn } from '../controller/start-up-barrier.js';
import { readNetwork } from './network-use.js';

/** @import { Endpoint } from '../../types/index.js' */
/** @import { Assignment } from '../assignment.js' */
/** @import { WorkerGroup } from '../controller/worker-group.js' */
/** @import { MasterProcess } from '../controller/master-process.js' */

// One in each of the first bins of a warm-up. In every bin, what reads costs would become hot itself, and all processes would compile
// it at about the same time: after 1.5 s, which was often the first moment of the window.
export const PRIMING_RUNS = 10;

/**
 * Does during warm-up what opens a window: an order to all, a reading of costs. V8 compiles the code that they share
 * with the messages for what it has seen, and would throw it away in the first moment of the window: a fifth of the first
 * 80 ms was lost by it.
 * @param {Assignment} assignment
 * @param {WorkerGroup} group
 * @param {MasterProcess} master
 */
export function primeJit(assignment, group, master) {
  // Of the same fields as the command that it replaces: over `pipe` it is one more message of the measured channel.
  group.tellAll({ control: 'rehearse', fromMs: sharedNowMs() });
  readCosts(assignment, group, master);
}

/**
 * The master's own cost, and that of a broker, are read at the two ends of the window; nothing else happens here
 * while it is open.
 * @param {Assignment} assignment
 * @param {WorkerGroup} group
 * @param {object} parts
 * @param {Endpoint} parts.endpoint
 * @param {MasterProcess} parts.master
 * @param {import('./work-watch.js').WorkWatch[]} parts.work    of the processes that the controller looks after
 * @param {{ fromMs: number, toMs: number | null }} window
 */
export async function watchWindow(assignment, group, { endpoint, master, work }, { fromMs, toMs }) {
  const { deadlines, kills } = assignment;
  const killing = new Killing(kills, group);
  const read = () => {
    const costs = readCosts(assignment, group, master);
    return { ...costs, own: killing.without(costs.own) };
  };
  const stalls = watchStalls();
  await Promise.race([waitUntil(fromMs), group.trouble]);
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
  const close = () => ({ to: read(), stallMs: stalls.close() });
  const closed = toMs === null ? null : close();
  const reports = await handedIn(group, toMs === null ? deadlines.lifeMs : deadlines.finishMs);
  await Promise.race([killed, group.trouble]);
  return { from, reports, workAtOpen, killed: killing.costs, ...(closed ?? close()) };
}

/** @param {Assignment} assignment @param {WorkerGroup} group @param {MasterProcess} master @returns {import('../controller/aggregate-reports.js').Readings} */
function readCosts({ network, ...assignment }, group, master) {
  return {
    own: master.readCost(),
    thread: group.areThreads ? readThreadCost() : undefined,
    brokers: readBrokers(assignment),
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
      // The usual delay is the timer's own, or that of a loop which is never free before the next large message.
      return Math.max(0, delays.max - delays.percentile(50)) / NS_PER_MS;
    },
  };
}
