// What the kernel counts of CPU time: per CPU, of a process with its children, and of everything that had to wait for a
// CPU. Ticks of 10 ms, so that differences over less than half a second say little.

import { statFields } from '../processes/owner.js';

/** @typedef {{ busyMs: number, stealMs: number }} CpuTimes    since the machine started */

const MS_PER_TICK = 10; // USER_HZ is 100 on every Linux that Node runs on: man 5 proc

/** @param {string | null} text    /proc/stat @returns {Map<number, CpuTimes> | null} */
export function cpuTimesOf(text) {
  /** @type {Map<number, CpuTimes>} */
  const times = new Map();
  for (const [, cpu, fields] of (text ?? '').matchAll(/^cpu(\d+) (.+)$/gm)) {
    // Idle and waiting for a disk are the time that nobody used. What guests used is in user and nice already.
    const [user, nice, system, _idle, _disk, irq, softirq, steal = 0] = fields.split(' ').map(Number);
    // A kernel that times interrupts apart leaves the network's work out of a process' own time, and so it is left out
    // here: loopback would look like somebody else. Another one counts it in both, and its hard interrupts are 0.
    const interrupts = irq > 0 ? 0 : softirq;
    const busyMs = (user + nice + system + interrupts) * MS_PER_TICK;
    times.set(Number(cpu), { busyMs, stealMs: steal * MS_PER_TICK });
  }
  return times.size === 0 ? null : times;
}

/**
 * @param {string | null} text    /proc/self/stat
 * @returns {number | null} CPU time of the process and of all its children that have ended
 */
export function familyTimeOf(text) {
  if (text === null) return null;
  const ticks = statFields(text).slice(11, 15); // utime, stime, cutime, cstime: fields 14 to 17 of man 5 proc
  return ticks.reduce((sum, own) => sum + Number(own), 0) * MS_PER_TICK;
}

/** @param {string | null} text    /proc/pressure/cpu @returns {number | null} */
export function pressureTimeOf(text) {
  const us = /^some .*\btotal=(\d+)/m.exec(text ?? '')?.[1];
  return us === undefined ? null : Number(us) / 1_000;
}

/**
 * @param {Map<number, CpuTimes> | null} from
 * @param {Map<number, CpuTimes> | null} to
 * @param {number[] | null} cpus      null: all
 * @returns {(CpuTimes & { cpus: number }) | null} the sum over these CPUs, and how many they are
 */
export function usedBetween(from, to, cpus) {
  if (from === null || to === null) return null;
  const used = { busyMs: 0, stealMs: 0, cpus: 0 };
  for (const [cpu, end] of to) {
    const start = from.get(cpu);
    if (start === undefined || cpus?.includes(cpu) === false) continue;
    used.busyMs += end.busyMs - start.busyMs;
    // Some kernels let this counter fall when a virtual machine moves to another host.
    used.stealMs += Math.max(0, end.stealMs - start.stealMs);
    used.cpus += 1;
  }
  return used.cpus === 0 ? null : used;
}
