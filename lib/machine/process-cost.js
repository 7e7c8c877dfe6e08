// What a process of a launch spends: CPU time, context switches and memory, read at the two ends of the window only.

import { readdirSync, readFileSync } from 'node:fs';
import { statFields } from '../children/task-identity.js';
import { KIB, NS_PER_MS, NS_PER_US, US_PER_MS } from '../format/units.js';
import { readSystemFile } from './kernel-text.js';

/** @import { ProcessCost } from '../types/index.js' */

/**
 * @typedef {object} CostReading
 * @property {number} atMs                 of the reading process's own clock
 * @property {number} userUs
 * @property {number} systemUs
 * @property {number | null} voluntarySwitches
 * @property {number | null} involuntarySwitches
 * @property {number | null} peakRssBytes
 * @property {number | null} rssBytes      now
 * @property {number | null} readCalls
 * @property {number | null} writeCalls
 * @property {number | null} [mainUs]     CPU time of the main thread alone; absent: not asked for
 */

const US_PER_TICK = 10_000; // USER_HZ is 100 on every Linux that Node runs on: man 5 proc, clock ticks of /proc/PID/stat
export const THIS_THREAD = '/proc/thread-self';
const NO_CALLS = { readCalls: null, writeCalls: null };

/** @returns {CostReading} of this process with all its threads, and of the processes it started that have ended */
export function readOwnCost() {
  const usage = process.resourceUsage();
  const ended = endedChildren();
  const main = schedulerNsAt('/proc/self');
  return {
    atMs: performance.now(),
    userUs: usage.userCPUTime + ended.userUs,
    systemUs: usage.systemCPUTime + ended.systemUs,
    voluntarySwitches: usage.voluntaryContextSwitches,
    involuntarySwitches: usage.involuntaryContextSwitches,
    peakRssBytes: usage.maxRSS * KIB,
    rssBytes: process.memoryUsage.rss(),
    mainUs: main && main.ran / NS_PER_US,
    ...readCalls('/proc/self'),
  };
}

/**
 * Of the main thread if the folder belongs to a process. Source: the kernel's Documentation/scheduler/sched-stats.rst.
 * @param {string} folder
 * @returns null where there is no such file
 */
export function schedulerNsAt(folder) {
  // None: a kernel without CONFIG_SCHED_INFO, or a process that has ended.
  const text = process.platform === 'linux' ? readSystemFile(`${folder}/schedstat`) : null;
  if (text === null) return null;
  const [ran, waited] = text.split(' ').map(Number);
  return { ran, waited };
}

/** A transport may start processes, and they are what it costs. @returns 0 where the system does not tell */
export function endedChildren() {
  if (process.platform !== 'linux') return { userUs: 0, systemUs: 0 };
  const [user, system] = statFields(readFileSync('/proc/self/stat', 'latin1')).slice(13, 15); // fields 16 and 17 of man 5 proc
  return { userUs: Number(user) * US_PER_TICK, systemUs: Number(system) * US_PER_TICK };
}

/**
 * Of the calling thread alone: what V8's helper threads do for it, such as collecting garbage, is not in it.
 * @returns {CostReading | null} null where the system does not tell threads apart
 */
export function readThreadCost() {
  // Since Node 23.9, on all systems; what /proc tells besides is known on Linux only.
  const usage = /** @type {any} */ (process).threadCpuUsage?.();
  const reading = readCostAt(THIS_THREAD, () => [THIS_THREAD]);
  if (reading === null && usage === undefined) return null;
  return {
    ...(reading ?? { voluntarySwitches: null, involuntarySwitches: null, ...NO_CALLS }),
    ...(usage && { userUs: usage.user, systemUs: usage.system }),
    atMs: performance.now(),
    peakRssBytes: null, // a thread has no memory of its own
    rssBytes: null,
  };
}

/**
 * Of a process that cannot tell itself, such as a broker.
 * @param {number} pid
 * @returns {CostReading | null} null where there is no /proc, or no such process any more
 */
export function readCost(pid) {
  const tasks = `/proc/${pid}/task`;
  return readCostAt(`/proc/${pid}`, () => readdirSync(tasks).map((thread) => `${tasks}/${thread}`));
}

/** @param {number} threadId   of another thread of this process @returns {CostReading | null} null where the system does not tell, or it is gone */
export function readTaskCost(threadId) {
  const folder = `/proc/self/task/${threadId}`;
  const reading = readCostAt(folder, () => [folder]);
  return reading && { ...reading, peakRssBytes: null, rssBytes: null };
}

/**
 * Of a process that cannot tell itself.
 * @param {number} pid
 * @returns null where there is no /proc, or no such process any more
 */
export function readResidentBytes(pid) {
  const status = process.platform === 'linux' ? readSystemFile(`/proc/${pid}/status`) : null;
  const kilobytes = status === null ? null : numberAfter(status, 'VmRSS:');
  return kilobytes === null ? null : kilobytes * KIB;
}

/** @param {string} folder @param {() => string[]} listThreads @returns {CostReading | null} */
function readCostAt(folder, listThreads) {
  if (process.platform !== 'linux') return null;
  try {
    const { userUs, systemUs } = readCpu(folder, listThreads);
    const status = readFileSync(`${folder}/status`, 'latin1');
    return {
      atMs: performance.now(),
      userUs,
      systemUs,
      voluntarySwitches: numberAfter(status, 'voluntary_ctxt_switches:'),
      involuntarySwitches: numberAfter(status, 'nonvoluntary_ctxt_switches:'),
      peakRssBytes: (numberAfter(status, 'VmHWM:') ?? 0) * KIB || null,
      rssBytes: (numberAfter(status, 'VmRSS:') ?? 0) * KIB || null,
      ...readCalls(folder),
    };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) throw error;
    return null;
  }
}

/**
 * Read and write calls of all threads, on sockets and pipes as well; `send`, `recv` and their kin, as ZeroMQ uses them,
 * are not among them. Source: man 5 proc, /proc/PID/io.
 * @param {string} folder
 * @returns null where there is no such file, or it is kept from us
 */
function readCalls(folder) {
  const io = process.platform === 'linux' ? readSystemFile(`${folder}/io`) : null;
  if (io === null) return NO_CALLS;
  return { readCalls: numberAfter(io, 'syscr:'), writeCalls: numberAfter(io, 'syscw:') };
}

/**
 * The total comes from the scheduler in ns, since the ticks of /proc/PID/stat are 2 % of a window of half a second;
 * they only tell how it divides into user and system.
 * @param {string} folder
 * @param {() => string[]} listThreads
 */
function readCpu(folder, listThreads) {
  const fields = statFields(readFileSync(`${folder}/stat`, 'latin1'));
  const userTicks = Number(fields[11]); // fields 14 and 15 of man 5 proc
  const systemTicks = Number(fields[12]);
  let totalUs = 0;
  try {
    for (const thread of listThreads())
      totalUs += Number(readFileSync(`${thread}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_US;
  } catch {
    totalUs = 0; // a kernel without CONFIG_SCHED_INFO, or a thread that ended meanwhile
  }
  const ticks = userTicks + systemTicks;
  if (totalUs === 0) totalUs = ticks * US_PER_TICK;
  const userUs = ticks === 0 ? totalUs : (totalUs * userTicks) / ticks;
  return { userUs, systemUs: totalUs - userUs };
}

/** @param {string} status @param {string} key */
function numberAfter(status, key) {
  const line = status.split('\n').find((candidate) => candidate.startsWith(key));
  return line === undefined ? null : Number.parseInt(line.slice(key.length), 10);
}

/**
 * @param {Pick<ProcessCost, 'name' | 'role'>} process
 * @param {CostReading} from
 * @param {CostReading} to
 * @param {number[] | null} cpus
 * @returns {ProcessCost}
 */
export function costBetween(process, from, to, cpus) {
  const userUs = Math.max(0, to.userUs - from.userUs);
  const systemUs = Math.max(0, to.systemUs - from.systemUs);
  return {
    ...process,
    userUs,
    systemUs,
    share: (userUs + systemUs) / ((to.atMs - from.atMs) * US_PER_MS),
    ...mainShareBetween(from, to),
    voluntarySwitches: difference(from.voluntarySwitches, to.voluntarySwitches),
    involuntarySwitches: difference(from.involuntarySwitches, to.involuntarySwitches),
    peakRssBytes: to.peakRssBytes,
    grownRssBytes: difference(from.rssBytes, to.rssBytes),
    readCalls: difference(from.readCalls, to.readCalls),
    writeCalls: difference(from.writeCalls, to.writeCalls),
    cpus,
  };
}

/** Two readings that are apart by less than they should be, or by more, do not say what a process spent in a window. */
const TOLERATED_DIFFERENCE = 0.05;

/**
 * @param {number} spanMs   by which they should be apart; of slices, all of them together
 * @param {Pick<ProcessCost, 'name' | 'role'>} process
 * @param {CostReading | null | undefined} from
 * @param {CostReading | null | undefined} to
 * @param {number[] | null} cpus
 * @returns {ProcessCost | null} null: unknown, because a reading is missing, or they are not apart by that within 5 %
 */
export function costWithin(spanMs, process, from, to, cpus) {
  if (!from || !to) return null;
  const differenceMs = Math.abs(to.atMs - from.atMs - spanMs);
  return differenceMs <= TOLERATED_DIFFERENCE * spanMs ? costBetween(process, from, to, cpus) : null;
}

const COUNTERS = /** @type {const} */ ([
  'atMs',
  'userUs',
  'systemUs',
  'mainUs',
  'voluntarySwitches',
  'involuntarySwitches',
  'rssBytes',
  'readCalls',
  'writeCalls',
]);

/**
 * Joins intervals that do not follow each other, so that `costBetween` tells of all of them.
 * @param {CostReading} upTo   where the intervals so far end, or the first of them begins
 * @param {CostReading} from   of one more
 * @param {CostReading} to
 * @returns {CostReading}
 */
export function extendedBy(upTo, from, to) {
  const sums = COUNTERS.map((name) => {
    const [so, begin, end] = [upTo[name], from[name], to[name]];
    const isKnown = typeof so === 'number' && typeof begin === 'number' && typeof end === 'number';
    return [name, isKnown ? so + end - begin : to[name]];
  });
  return { ...to, ...Object.fromEntries(sums) };
}

/** @param {number | null} from @param {number | null} to */
function difference(from, to) {
  return from === null || to === null ? null : to - from;
}

/** @param {CostReading} from @param {CostReading} to @returns {{ mainShare?: number }} */
function mainShareBetween(from, to) {
  if (typeof from.mainUs !== 'number' || typeof to.mainUs !== 'number') return {};
  return { mainShare: (to.mainUs - from.mainUs) / ((to.atMs - from.atMs) * US_PER_MS) };
}

// How long a process has had a CPU so far, and how long it has waited for one: read every few milliseconds while it warms up.

/** @returns CPU time of this process with all its threads, and of its ended children, so far */
export function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  const ended = endedChildren();
  return (user + system + ended.userUs + ended.systemUs) / US_PER_MS;
}

/** @returns how long the calling thread has waited for a CPU so far; null where the system does not tell */
export function ownWaitMs() {
  return waitMsAt(THIS_THREAD);
}

/** @param {number} pid    of another process @returns how long its main thread has waited for a CPU so far */
export function cpuMsWaited(pid) {
  return waitMsAt(`/proc/${pid}`);
}

/** @param {string} folder    of a process or a thread */
function waitMsAt(folder) {
  const ns = schedulerNsAt(folder);
  return ns === null ? null : ns.waited / NS_PER_MS;
}

/**
 * @param {number} pid    of another process, such as a broker
 * @returns its CPU time so far; null where the system does not tell, or it is gone
 */
export function cpuMsUsed(pid) {
  const cost = readCost(pid);
  return cost === null ? null : (cost.userUs + cost.systemUs) / US_PER_MS;
}

/** @returns CPU time of the calling thread so far; null where the system does not tell threads apart */
export function threadCpuMs() {
  const cost = readThreadCost();
  return cost === null ? null : (cost.userUs + cost.systemUs) / US_PER_MS;
}

// The threads that Node starts beside the one that runs JavaScript: V8's compiler and collector, libuv's pool. They are not
// pinned with it: on the CPU of the measured thread their work would stand in the way of messages, and make tails.

/**
 * To be asked before anything of others is loaded: threads that a transport starts later do its work, and are no helpers.
 * @returns by which the system knows them; none where it does not tell
 */
export function helperThreads() {
  if (process.platform !== 'linux') return [];
  // The main thread has the id of its process.
  return readdirSync('/proc/self/task')
    .map(Number)
    .filter((thread) => thread !== process.pid);
}
