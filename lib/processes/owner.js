// Whose something is that a killed run may have left behind: a process named by its pid and by when it was started, since
// pids are given anew.

import { readFile } from 'node:fs/promises';

/** @param {string} stat   /proc/PID/stat @returns {string[]} its fields from the third on: the name before may hold anything */
export function statFields(stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * @param {number} pid
 * @returns {Promise<string>} when the process was started, in clock ticks since boot: with the pid it names one process
 *     for ever. '0' where the system does not tell
 */
export async function startTimeOf(pid) {
  try {
    return statFields(await readFile(`/proc/${pid}/stat`, 'latin1'))[19]; // field 22 of man 5 proc
  } catch {
    return '0';
  }
}

/** @param {number} pid @param {string} startTime */
export async function isAlive(pid, startTime) {
  const now = await startTimeOf(pid);
  return now === '0' ? isThere(pid) : now === startTime;
}

/** @param {number} pid @returns {boolean} some process has it */
export function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}
