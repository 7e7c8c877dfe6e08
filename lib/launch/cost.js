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
    };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) throw error;
    return null;
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
