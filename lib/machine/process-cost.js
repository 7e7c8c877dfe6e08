// What a process of a launch spends: CPU time, context switches and memory, read at the two ends of the window only.

import { readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} CostReading
 * @property {number} atMs                 of the reading process's own clock
 * @property {number} userUs
 * @property {number} systemUs
 * @property {number | null} voluntarySwitches
 * @property {number | null} involuntarySwitches
 * @property {number | null} peakRssBytes
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
  return {
    atMs: performance.now(),
    userUs: usage.userCPUTime + ended.userUs,
    systemUs: usage.systemCPUTime + ended.systemUs,
    voluntarySwitches: usage.voluntaryContextSwitches,
    involuntarySwitches: usage.involuntaryContextSwitches,
    peakRssBytes: usage.maxRSS * 1024,
    mainUs: mainUs(),
    ...callsOf('/proc/self'),
  };
}

/**
 * Of the main thread where the folder is that of a process. Source: the kernel's Documentation/scheduler/sched-stats.rst.
 * @param {string} folder
 * @returns {{ ran: number, waited: number } | null} null where there is no such file
 */
export function schedulerNsAt(folder) {
  if (process.platform !== 'linux') return null;
  try {
    const [ran, waited] = readFileSync(`${folder}/schedstat`, 'latin1').split(' ').map(Number);
    return { ran, waited };
  } catch {
    return null; // a kernel without CONFIG_SCHED_INFO, or a process that has ended
  }
}

/** @returns {number | null} */
function mainUs() {
  const ns = schedulerNsAt('/proc/self');
  return ns === null ? null : ns.ran / 1_000;
}

/**
 * A transport may start processes, and they are what it costs.
 * @returns {{ userUs: number, systemUs: number }} 0 where the system does not tell
 */
export function endedChildren() {
  if (process.platform !== 'linux') return { userUs: 0, systemUs: 0 };
  const [user, system] = fieldsOf('/proc/self').slice(13, 15); // fields 16 and 17 of man 5 proc
  return { userUs: Number(user) * US_PER_TICK, systemUs: Number(system) * US_PER_TICK };
}

/**
 * @param {string} folder     of a process or a thread
 * @returns {string[]} fields of its stat, from the third on: the name before may hold anything
 */
function fieldsOf(folder) {
  const stat = readFileSync(`${folder}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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
  };
}

/**
 * Of a process that cannot tell itself, such as a broker.
 * @param {number} pid
 * @returns {CostReading | null} null where there is no /proc, or no such process any more
 */
export function readCostOf(pid) {
  const tasks = `/proc/${pid}/task`;
  return readCostAt(`/proc/${pid}`, () => readdirSync(tasks).map((thread) => `${tasks}/${thread}`));
}

/**
 * @param {string} folder                      of a process or a thread
 * @param {() => string[]} listThreads         folders of its threads
 * @returns {CostReading | null}
 */
function readCostAt(folder, listThreads) {
  if (process.platform !== 'linux') return null;
  try {
    const { userUs, systemUs } = cpuOf(folder, listThreads);
    const status = readFileSync(`${folder}/status`, 'latin1');
    return {
      atMs: performance.now(),
      userUs,
      systemUs,
      voluntarySwitches: numberAfter(status, 'voluntary_ctxt_switches:'),
      involuntarySwitches: numberAfter(status, 'nonvoluntary_ctxt_switches:'),
      peakRssBytes: (numberAfter(status, 'VmHWM:') ?? 0) * 1024 || null,
      ...callsOf(folder),
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
function callsOf(folder) {
  if (process.platform !== 'linux') return NO_CALLS;
  try {
    const io = readFileSync(`${folder}/io`, 'latin1');
    return { readCalls: numberAfter(io, 'syscr:'), writeCalls: numberAfter(io, 'syscw:') };
  } catch {
    return NO_CALLS;
  }
}

/**
 * The total comes from the scheduler in ns, since the ticks of /proc/PID/stat are 2 % of a window of half a second;
 * they only tell how it divides into user and system.
 * @param {string} folder
 * @param {() => string[]} listThreads
 */
function cpuOf(folder, listThreads) {
  const fields = fieldsOf(folder);
  const userTicks = Number(fields[11]); // fields 14 and 15 of man 5 proc
  const systemTicks = Number(fields[12]);
  let totalUs = 0;
  try {
    for (const thread of listThreads())
      totalUs += Number(readFileSync(`${thread}/schedstat`, 'latin1').split(' ')[0]) / 1_000;
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
