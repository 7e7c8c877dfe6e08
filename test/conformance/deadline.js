// Deadlines of the suite, whose errors name what was awaited.

import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

const TICKS = 20;
const TURNS_MS = 60; // several time slices of a thread, for each other thread on its CPU

/** @returns {number} the number of runnable threads: now, on Linux, or in the last minute, whichever is greater */
function wantingCpu() {
  const [lastMinute] = loadavg();
  try {
    const [, now] = /(\d+)\/\d+/.exec(readFileSync('/proc/loadavg', 'latin1')) ?? [];
    return Math.max(lastMinute, Number(now));
  } catch {
    return lastMinute;
  }
}

/**
 * @param {number} ms    enough on an idle machine
 * @returns {number} enough under the current load; a whole number
 */
export function patiently(ms) {
  return Math.ceil(ms * Math.max(1, wantingCpu() / availableParallelism()));
}

/**
 * Extends a window under load by less than patiently(), because the load itself slows other tests.
 * @param {number} ms    enough on an idle machine
 * @returns {number} enough for several time slices of each process on this one; a whole number
 */
export function longEnoughMs(ms) {
  return Math.ceil(ms + TURNS_MS * Math.max(0, wantingCpu() / availableParallelism() - 1));
}

/**
 * Calls `onOver` once, unless stopped, `patiently(deadlineMs)` after the start or the last `restart`. It counts ticks instead of
 * time, so that time in which this process is busy or gets no CPU does not count.
 * @param {number} deadlineMs
 * @param {() => void} onOver
 */
export function startDeadline(deadlineMs, onOver) {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks < TICKS || ticks < patiently(TICKS)) return;
    clearInterval(timer);
    onOver();
  }, deadlineMs / TICKS);
  return {
    restart() {
      ticks = 0;
    },
    stop: () => clearInterval(timer),
    /** Permits the process to end. */
    unref: () => timer.unref(),
  };
}

/**
 * @template T
 * @param {number} deadlineMs
 * @param {string} what       completes the sentence '... did not happen within'
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export function within(deadlineMs, what, promise) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${what} did not happen within ${deadlineMs} ms`));
    const deadline = startDeadline(deadlineMs, late);
    promise.then(resolve, reject).finally(() => deadline.stop());
  });
}

/**
 * @template T
 * @param {string} remedy     appended to the message of a failure
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function withRemedy(remedy, promise) {
  try {
    return await promise;
  } catch (error) {
    throw new Error(`${/** @type {Error} */ (error).message}; ${remedy}`, { cause: error });
  }
}

/**
 * Blocks this thread: nothing is read, and no timer fires.
 * @param {number} ms
 */
export function block(ms) {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
