// Reads CPU time, context switches and memory of processes and threads, and computes their costs between two readings.

import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
import { statFields } from '../children/task-identity.js';
import { KIB, NS_PER_MS, NS_PER_US, US_PER_MS } from '../format/units.js';
import { readSystemFile } from './kernel-text.js';

/** @import { ProcessCost } from '../types/index.js' */

/**
 * Costs of a process or a thread so far. They are null if the system does not report them; a thread has no memory of its own.
 * @typedef {object} CostReading
 * @property {number} atMs                 performance.now() of the reading process
 * @property {number} userUs
 * @property {number} systemUs
 * @property {number | null} voluntarySwitches
 * @property {number | null} involuntarySwitches
 * @property {number | null} peakRssBytes
 * @property {number | null} rssBytes
 * @property {number | null} [mainUs]     CPU time of the main thread; undefined for another process
 */

const US_PER_TICK = 10_000; // USER_HZ is 100 on every Linux that Node runs on: man 5 proc, clock ticks of /proc/PID/stat
export const THIS_THREAD = '/proc/thread-self';

/** @returns {CostReading} cost of all threads of this process, and CPU time of its ended children */
export function readOwnCost() {
  const usage = process.resourceUsage();
  const ended = endedChildren();
  return {
    atMs: performance.now(),
    userUs: usage.userCPUTime + ended.userUs,
    systemUs: usage.systemCPUTime + ended.systemUs,
    voluntarySwitches: usage.voluntaryContextSwitches,
    involuntarySwitches: usage.involuntaryContextSwitches,
    peakRssBytes: usage.maxRSS * KIB,
    rssBytes: process.memoryUsage.rss(),
    mainUs: readMainUs(),
  };
}

/** To be called on the main thread. @returns {number | null} CPU time of the main thread; null if unknown */
function readMainUs() {
  const main = schedulerNsAt('/proc/self');
  if (main !== null) return main.ran / NS_PER_US;
  const usage = /** @type {any} */ (process).threadCpuUsage?.(); // missing in Node 20
  return usage === undefined ? null : usage.user + usage.system;
}

/**
 * Reads for how many ns a thread has run, and has waited for a CPU; null if unknown. Source: Documentation/scheduler/sched-stats.rst of the
 * kernel.
 * @param {string} folder   folder of a thread in /proc; the folder of a process gives the times of its main thread
 */
export function schedulerNsAt(folder) {
  // Missing in a kernel without CONFIG_SCHED_INFO, and after the end of the process.
  const text = process.platform === 'linux' ? readSystemFile(`${folder}/schedstat`) : null;
  if (text === null) return null;
  const [ran, waited] = text.split(' ').map(Number);
  return { ran, waited };
}

/** Reads the CPU time of ended child processes, which a transport may have started. @returns µs; 0 on other systems than Linux */
export function endedChildren() {
  if (process.platform !== 'linux') return { userUs: 0, systemUs: 0 };
  const [user, system] = statFields(readFileSync('/proc/self/stat', 'latin1')).slice(13, 15); // fields 16 and 17 of man 5 proc
  return { userUs: Number(user) * US_PER_TICK, systemUs: Number(system) * US_PER_TICK };
}

/**
 * Reads the cost of the calling thread, without V8's helper threads, which collect garbage for it.
 * @returns {CostReading | null} null if the system has no such counters
 */
export function readThreadCost() {
  // Missing in Node 20. The other values are only known on Linux.
  const usage = /** @type {any} */ (process).threadCpuUsage?.();
  const reading = readCostAt(THIS_THREAD, () => [THIS_THREAD]);
  if (reading === null && usage === undefined) return null;
  return {
    ...(reading ?? { voluntarySwitches: null, involuntarySwitches: null }),
    ...(usage && { userUs: usage.user, systemUs: usage.system }),
    atMs: performance.now(),
    peakRssBytes: null, // memory belongs to the process
    rssBytes: null,
  };
}

/** The CPU time of the calling thread, cheap enough for a thousand readings a second. Holds a file open until it is closed. */
export class ThreadClock {
  constructor() {
    this.file = openIfReadable(`${THIS_THREAD}/schedstat`);
    this.bytes = Buffer.alloc(64);
  }

  /** @returns {number} CPU time so far in ms; NaN if unknown, as in Node 20 everywhere but on Linux */
  readMs() {
    if (this.file === null) {
      const usage = /** @type {any} */ (process).threadCpuUsage?.();
      return usage === undefined ? Number.NaN : (usage.user + usage.system) / US_PER_MS;
    }
    process.cpuUsage(); // makes the kernel update the counter of this thread, which would be up to 4 ms old
    const length = readSync(this.file, this.bytes, 0, this.bytes.length, 0);
    return Number.parseInt(this.bytes.toString('latin1', 0, length), 10) / NS_PER_MS;
  }

  close() {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }
}

/** @param {string} path @returns {number | null} file descriptor */
function openIfReadable(path) {
  if (process.platform !== 'linux') return null;
  try {
    return openSync(path, 'r');
  } catch {
    return null; // a kernel without CONFIG_SCHED_INFO
  }
}

/**
 * Reads the cost of another process, such as a broker.
 * @param {number} pid
 * @returns {CostReading | null} null without /proc, or if it has ended
 */
export function readCost(pid) {
  const tasks = `/proc/${pid}/task`;
  return readCostAt(`/proc/${pid}`, () => readdirSync(tasks).map((thread) => `${tasks}/${thread}`));
}

/** @param {number} threadId   id of another thread of this process @returns {CostReading | null} null without /proc, or if it has ended */
export function readTaskCost(threadId) {
  const folder = `/proc/self/task/${threadId}`;
  const reading = readCostAt(folder, () => [folder]);
  return reading && { ...reading, peakRssBytes: null, rssBytes: null };
}

/** @param {number} pid @returns resident memory of the process in bytes; null without /proc, or if it has ended */
export function readResidentBytes(pid) {
  const status = process.platform === 'linux' ? readSystemFile(`/proc/${pid}/status`) : null;
  const kilobytes = status === null ? null : numberAfter(status, 'VmRSS:');
  return kilobytes === null ? null : kilobytes * KIB;
}

/** @returns {number} bytes of this process without V8's young generation, which grows with garbage, for example while it connects */
export function residentBytesWithoutGarbage() {
  return process.memoryUsage.rss() - youngGenerationBytes();
}

function youngGenerationBytes() {
  try {
    const spaces = getHeapSpaceStatistics();
    return spaces.find(({ space_name: name }) => name === 'new_space')?.physical_space_size ?? 0;
  } catch {
    return 0; // not every runtime has such a space
  }
}

/**
 * @param {string} folder   folder of a process or a thread in /proc
 * @param {() => string[]} threadFolders   returns the folders of the threads whose CPU time is summed
 * @returns {CostReading | null} null without /proc, or if the process or thread has ended
 */
function readCostAt(folder, threadFolders) {
  if (process.platform !== 'linux') return null;
  try {
    const { userUs, systemUs } = readCpu(folder, threadFolders);
    const status = readFileSync(`${folder}/status`, 'latin1');
    return {
      atMs: performance.now(),
      userUs,
      systemUs,
      voluntarySwitches: numberAfter(status, 'voluntary_ctxt_switches:'),
      involuntarySwitches: numberAfter(status, 'nonvoluntary_ctxt_switches:'),
      peakRssBytes: (numberAfter(status, 'VmHWM:') ?? 0) * KIB || null,
      rssBytes: (numberAfter(status, 'VmRSS:') ?? 0) * KIB || null,
    };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) throw error;
    return null;
  }
}

/**
 * The total comes from the scheduler in ns, since a tick of /proc/PID/stat is 2 % of a window of half a second. The ticks only divide it into
 * user and system time.
 * @param {string} folder
 * @param {() => string[]} threadFolders
 */
function readCpu(folder, threadFolders) {
  const fields = statFields(readFileSync(`${folder}/stat`, 'latin1'));
  const userTicks = Number(fields[11]); // fields 14 and 15 of man 5 proc
  const systemTicks = Number(fields[12]);
  let totalUs = 0;
  try {
    for (const thread of threadFolders())
      totalUs += Number(readFileSync(`${thread}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_US;
  } catch {
    totalUs = 0; // the kernel lacks CONFIG_SCHED_INFO, or the thread has ended
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
 * @param {number[] | null} cpus   its CPU affinity; null if unknown
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
    cpus,
  };
}

const TOLERATED_DIFFERENCE = 0.05;

/**
 * @param {number} spanMs   length of the window, or of all slices
 * @param {Pick<ProcessCost, 'name' | 'role'>} process
 * @param {CostReading | null | undefined} from
 * @param {CostReading | null | undefined} to
 * @param {number[] | null} cpus   see costBetween
 * @returns {ProcessCost | null} null if a reading is missing, or if the time between them differs from the span by more than 5 %
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
]);

/**
 * Appends an interval to earlier ones and removes the gap in between, so that `costBetween` returns the total cost.
 * @param {CostReading | null} upTo   the end of the earlier intervals, or the start of the first one
 * @param {CostReading | null} from   start of the interval
 * @param {CostReading | null} to
 * @returns {CostReading | null} null if one of the readings is missing; a counter that one of them lacks is null
 */
export function extendReading(upTo, from, to) {
  if (upTo === null || from === null || to === null) return null;
  const sums = COUNTERS.filter((name) => name in to).map((name) => {
    const [earlier, begin, end] = [upTo[name], from[name], to[name]];
    const isKnown = typeof earlier === 'number' && typeof begin === 'number' && typeof end === 'number';
    return [name, isKnown ? earlier + end - begin : null];
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

// CPU time and waits for a CPU, which are read every few milliseconds during warm-up.

/** @returns CPU time in ms of this process with all threads and ended children */
export function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  const ended = endedChildren();
  return (user + system + ended.userUs + ended.systemUs) / US_PER_MS;
}

/** @returns ms for which the calling thread has waited for a CPU, or null if unknown */
export function ownWaitMs() {
  return waitMsAt(THIS_THREAD);
}

/** @param {number} pid   id of another process @returns ms for which its main thread has waited for a CPU, or null if unknown */
export function cpuMsWaited(pid) {
  return waitMsAt(`/proc/${pid}`);
}

/** @param {string} folder   folder of a process or a thread in /proc */
function waitMsAt(folder) {
  const ns = schedulerNsAt(folder);
  return ns === null ? null : ns.waited / NS_PER_MS;
}

/** @param {number} pid   id of another process @returns its CPU time in ms, or null without /proc or after its end */
export function cpuMsUsed(pid) {
  const cost = readCost(pid);
  return cost === null ? null : (cost.userUs + cost.systemUs) / US_PER_MS;
}

/** @returns CPU time of the calling thread in ms, or null if unknown */
export function threadCpuMs() {
  const cost = readThreadCost();
  return cost === null ? null : (cost.userUs + cost.systemUs) / US_PER_MS;
}

/**
 * The threads of V8's compiler and garbage collector and of libuv's pool. They are not pinned with the main thread: on its CPU they would
 * delay messages. To be called before other modules are loaded, since threads that a transport starts are not helpers.
 * @returns system ids; empty if unknown
 */
export function helperThreads() {
  return listThreads().filter((thread) => thread !== process.pid); // the main thread has the id of its process
}

/** @returns {number[]} system ids of the threads of this process; empty if unknown */
export function listThreads() {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [];
}
