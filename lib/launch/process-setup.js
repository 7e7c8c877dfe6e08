// Start of every process of a launch: it sets flags of V8, prefaults memory, polls busily if required, and ends with its parent.

import { isMainThread } from 'node:worker_threads';
import { optimiseAfterFewerCalls } from '../children/tier-up.js';
import { withDeadline } from '../children/with-deadline.js';

/** @import { LaunchSpec } from './launch-spec.js' */

/**
 * Without prefaulted memory, an adaptive warm-up would take tens of thousands of operations to touch that memory, while operations get
 * cheaper. See docs/method.md.
 * @param {Pick<LaunchSpec, 'tierUp' | 'timing'>} spec
 */
export function prepareEngine({ tierUp, timing }) {
  optimiseAfterFewerCalls(tierUp);
  if (timing.warmupMs === null) fillYoungGeneration();
}

/**
 * Keeps the event loop busy, so that no message has to wake the process and only the cost of the mechanism remains. Takes a whole core.
 * @returns a function that ends the polling, so that the process can sleep and exit
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

// V8 fills its young generation before it collects garbage, and the first write to each page costs the system most of a microsecond.
const ARRAY_LENGTH = 8_000; // 64 kB, since V8 allocates arrays of 128 kB and more in another space
const BYTES_PER_ITEM = 8;
const MOST_BYTES = 64 * 1_048_576; // twice the initial size of the young generation (2 × 16 MB); garbage does not make it grow

let isFilled = false; // once in each process and thread

/** Prefaults the young generation in about 30 ms, since garbage of connecting would otherwise look like memory of connections. */
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
 * Ends this process when its parent ends: by the end of the fork channel, and by a maximum lifetime. If the kernel supports pdeathsig,
 * which is set at the fork, even a blocked process ends with its parent.
 * @param {object} settings
 * @param {number} settings.lifeMs   an older process ends itself
 * @param {() => Promise<unknown> | undefined} [settings.cleanUp]   may take one second
 * @returns a function that cancels this, to be called before this process exits
 */
export function endWithParent({ lifeMs, cleanUp }) {
  // A thread ends with its process, whose main thread runs this code.
  if (!isMainThread) return () => {};
  const end = async () => {
    await withDeadline(cleanUp?.(), CLEAN_UP_DEADLINE_MS, () => {});
    // No process is left to read an exit code, and an open handle must not keep this one alive.
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

/** Kills this process if it has not exited by then, since a thread may hang in a system call. @param {number} ms */
export function endWithin(ms) {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms).unref();
}
