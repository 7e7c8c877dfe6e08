// Every wait of the suite has an end, and says what was waited for.

import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

const TICKS = 20;
const TURNS_MS = 60; // in which a thread has several turns, for each that it shares a CPU with

/** @returns {number} threads that want a CPU: now, on Linux, or within the last minute, whichever is more */
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
 * @param {number} ms    enough on a machine that does nothing else
 * @returns {number} enough on this one, where others compute, too; a whole number
 */
export function patiently(ms) {
  return Math.ceil(ms * Math.max(1, wantingCpu() / availableParallelism()));
}

/**
 * A window is under load as long as it lasts: where others compute, it takes from them what it lasts longer.
 * @param {number} ms    enough on a machine that does nothing else
 * @returns {number} enough for several turns of each process on this one; a whole number
 */
export function longEnoughMs(ms) {
  return Math.ceil(ms + TURNS_MS * Math.max(0, wantingCpu() / availableParallelism() - 1));
}

/**
 * Calls `onOver` once, unless it was stopped, when `deadlineMs`, patiently, have been spent waiting since the start or the
 * last `restart`. Counted in ticks, not by the clock: a process that is busy, or gets no CPU, has not waited meanwhile.
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
    /** It keeps no process alive. */
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
 * Nothing is read meanwhile, and no timer runs.
 * @param {number} ms
 */
export function block(ms) {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
