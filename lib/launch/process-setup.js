// What every process of a launch does at its start: flags of V8, prefaulted memory, busy polling, and an end with its parent.

import { isMainThread } from 'node:worker_threads';
import { optimiseAfterFewerCalls } from '../children/tier-up.js';
import { withDeadline } from '../children/with-deadline.js';

/** @import { LaunchSpec } from './launch-spec.js' */

/**
 * Without prefaulted memory, an adaptive warm-up would need the garbage of some ten thousand operations, which get cheaper meanwhile. See
 * docs/method.md.
 * @param {Pick<LaunchSpec, 'tierUp' | 'timing'>} spec
 */
export function prepareEngine({ tierUp, timing }) {
  optimiseAfterFewerCalls(tierUp);
  if (timing.warmupMs === null) fillYoungGeneration();
}

/**
 * Keeps the event loop busy, so that no message has to wake the process. It takes a whole core, and leaves the cost of the mechanism itself.
 * @returns lets the process sleep again, and end by itself
 */
export function busyPollLoop() {
  let isBusy = true;
  const iterate = () => {
    if (isBusy) setImmediate(iterate);
  };
  iterate();
  return () => {
    isBusy = false;
  };
}

// V8 fills its young generation before it collects garbage, and each page of it costs the system most of a microsecond when it is first
// written to.
const ARRAY_LENGTH = 8_000; // 64 kB: V8 puts arrays of 128 kB and more elsewhere
const BYTES_PER_ITEM = 8;
const MOST_BYTES = 64 * 1_048_576; // both halves of 16 MB, twice over, which is its size at the start; garbage does not make it grow

let isFilled = false; // once in each process and thread

/** Prefaults the young generation in some 30 ms: else the garbage of connecting would look like memory of connections. */
export function fillYoungGeneration() {
  if (isFilled) return null;
  isFilled = true;
  /** @type {unknown} */
  let kept;
  for (let bytes = 0; bytes < MOST_BYTES; bytes += ARRAY_LENGTH * BYTES_PER_ITEM) {
    kept = new Array(ARRAY_LENGTH).fill(bytes);
  }
  return kept;
}

const CLEAN_UP_DEADLINE_MS = 1_000;

/**
 * Ends this process when its parent ends. Where the kernel supports it (pdeathsig, set at the fork), even a blocked process ends with its
 * parent; the other means are the end of the fork channel, and a life span.
 * @param {object} settings
 * @param {number} settings.lifeMs                  an older process ends itself
 * @param {() => Promise<unknown> | undefined} [settings.cleanUp]   within one second
 * @returns cancels it, before this process leaves by itself
 */
export function endWithParent({ lifeMs, cleanUp }) {
  // A thread ends with its process, whose main thread does all this.
  if (!isMainThread) return () => {};
  const end = async () => {
    await withDeadline(cleanUp?.(), CLEAN_UP_DEADLINE_MS, () => {});
    // No process is left to read an exit code, and an open handle must not keep this one.
    process.kill(process.pid, 'SIGKILL');
  };
  process.on('disconnect', end);
  const life = setTimeout(end, lifeMs);
  life.unref();
  return () => {
    process.off('disconnect', end);
    clearTimeout(life);
  };
}

/** For a process that is done, but whose threads may hang in a system call: they can only end with it. @param {number} ms */
export function endWithin(ms) {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms).unref();
}
