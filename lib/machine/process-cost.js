// What a process of a launch spends: CPU time, context switches and memory, read at the two ends of the window only.

import { readdirSync, readFileSync } from 'node:fs';
import { statFields } from '../children/process-owner.js';
import { KIB, NS_PER_US } from '../format/units.js';
import { readSystemFile } from './system-file.js';

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
 * Of the main thread where the folder is that of a process. Source: the kernel's Documentation/scheduler/sched-stats.rst.
 * @param {string} folder
 * @returns {{ ran: number, waited: number } | null} null where there is no such file
 */
export function schedulerNsAt(folder) {
  // None: a kernel without CONFIG_SCHED_INFO, or a process that has ended.
  const text = process.platform === 'linux' ? readSystemFile(`${folder}/schedstat`) : null;
  if (text === null) return null;
  const [ran, waited] = text.split(' ').map(Number);
  return { ran, waited };
}

/**
 * A transport may start processes, and they are what it costs.
 * @returns {{ userUs: number, systemUs: number }} 0 where the system does not tell
 */
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

/**
 * Of a process that cannot tell itself.
 * @param {number} pid
 * @returns {number | null} null where there is no /proc, or no such process any more
 */
export function readResidentBytes(pid) {
  const status = process.platform === 'linux' ? readSystemFile(`/proc/${pid}/status`) : null;
  const kilobytes = status === null ? null : numberAfter(status, 'VmRSS:');
  return kilobytes === null ? null : kilobytes * KIB;
}

/**
 * @param {string} folder                      of a process or a thread
 * @param {() => string[]} listThreads         folders of its threads
 * @returns {CostReading | null}
 */
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
 * @returns {{ readCalls: number | null, writeCalls: number | null }} null where there is no such file, or it is kept from us
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

/** @param {string} status @param {string} key @returns {number | null} */
function numberAfter(status, key) {
  const line = status.split('\n').find((candidate) => candidate.startsWith(key));
  return line === undefined ? null : Number.parseInt(line.slice(key.length), 10);
}
