// What a process of a launch spends: CPU time, context switches and memory, read at the two ends of the window only.

import { readdirSync, readFileSync } from 'node:fs';

/** @typedef {import('../types.js').ProcessCost} ProcessCost */

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
 */

const US_PER_TICK = 10_000; // USER_HZ is 100 on every Linux that Node runs on: man 5 proc, clock ticks of /proc/PID/stat

/** @returns {CostReading} of this process */
export function readOwnCost() {
  const usage = process.resourceUsage();
  return {
    atMs: performance.now(),
    userUs: usage.userCPUTime,
    systemUs: usage.systemCPUTime,
    voluntarySwitches: usage.voluntaryContextSwitches,
    involuntarySwitches: usage.involuntaryContextSwitches,
    peakRssBytes: usage.maxRSS * 1024,
    ...callsOf('self'),
  };
}

/**
 * Of a process that cannot tell itself, such as a broker.
 * @param {number} pid
 * @returns {CostReading | null} null where there is no /proc, or no such process any more
 */
export function readCostOf(pid) {
  if (process.platform !== 'linux') return null;
  try {
    const { userUs, systemUs } = cpuOf(pid);
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return {
      atMs: performance.now(),
      userUs,
      systemUs,
      voluntarySwitches: numberAfter(status, 'voluntary_ctxt_switches:'),
      involuntarySwitches: numberAfter(status, 'nonvoluntary_ctxt_switches:'),
      peakRssBytes: (numberAfter(status, 'VmHWM:') ?? 0) * 1024 || null,
      ...callsOf(pid),
    };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) throw error;
    return null;
  }
}

/**
 * Read and write calls of all threads, on sockets and pipes as well; `send`, `recv` and their kin, as ZeroMQ uses them,
 * are not among them. Source: man 5 proc, /proc/PID/io.
 * @param {number | 'self'} pid
 * @returns {{ readCalls: number | null, writeCalls: number | null }} null where there is no such file, or it is kept from us
 */
function callsOf(pid) {
  if (process.platform !== 'linux') return { readCalls: null, writeCalls: null };
  try {
    const io = readFileSync(`/proc/${pid}/io`, 'latin1');
    return { readCalls: numberAfter(io, 'syscr:'), writeCalls: numberAfter(io, 'syscw:') };
  } catch {
    return { readCalls: null, writeCalls: null };
  }
}

/**
 * The total comes from the scheduler in ns, since the ticks of /proc/PID/stat are 2 % of a window of half a second;
 * they only tell how it divides into user and system.
 * @param {number} pid
 */
function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const userTicks = Number(fields[11]); // fields 14 and 15 of man 5 proc, counted from behind the name
  const systemTicks = Number(fields[12]);
  let totalUs = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      totalUs +=
        Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]) / 1_000;
    }
  } catch {
    totalUs = 0; // a kernel without CONFIG_SCHED_INFO, or a thread that ended meanwhile
  }
  const ticks = userTicks + systemTicks;
  if (totalUs === 0) totalUs = ticks * US_PER_TICK;
  const userUs = ticks === 0 ? totalUs : (totalUs * userTicks) / ticks;
  return { userUs, systemUs: totalUs - userUs };
}

/**
 * @param {string} status
 * @param {string} key
 * @returns {number | null}
 */
function numberAfter(status, key) {
  const line = status.split('\n').find((candidate) => candidate.startsWith(key));
  return line === undefined ? null : Number.parseInt(line.slice(key.length), 10);
}

/**
 * @param {string} name
 * @param {CostReading} from
 * @param {CostReading} to
 * @param {number[] | null} cpus
 * @returns {ProcessCost}
 */
export function costBetween(name, from, to, cpus) {
  const userUs = Math.max(0, to.userUs - from.userUs);
  const systemUs = Math.max(0, to.systemUs - from.systemUs);
  return {
    name,
    userUs,
    systemUs,
    share: (userUs + systemUs) / ((to.atMs - from.atMs) * 1_000),
    voluntarySwitches: difference(from.voluntarySwitches, to.voluntarySwitches),
    involuntarySwitches: difference(from.involuntarySwitches, to.involuntarySwitches),
    peakRssBytes: to.peakRssBytes,
    readCalls: difference(from.readCalls, to.readCalls),
    writeCalls: difference(from.writeCalls, to.writeCalls),
    cpus,
  };
}

/**
 * @param {number | null} from
 * @param {number | null} to
 */
function difference(from, to) {
  return from === null || to === null ? null : to - from;
}
