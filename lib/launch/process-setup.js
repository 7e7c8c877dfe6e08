// What every process of a launch does to itself: flags of V8, memory that is touched in advance, busy polling, and its end.

import { isMainThread } from 'node:worker_threads';
import { optimiseAfterFewerCalls } from '../children/tier-up.js';
import { withDeadline } from '../children/with-deadline.js';

/** @import { LaunchSpec } from './launch-spec.js' */

/**
 * A launch that finds out itself when it is warm would need the garbage of some ten thousand operations, which get cheaper on
 * the way. See docs/method.md.
 * @param {Pick<LaunchSpec, 'tierUp' | 'timing'>} spec
 */
export function prepareEngine({ tierUp, timing }) {
  optimiseAfterFewerCalls(tierUp);
  if (timing.warmupMs === null) fillYoungGeneration();
}

// How a process waits without sleeping: its event loop turns all the time, so that no message has to wake it. It takes
// a whole core, and what is left is the cost of the mechanism itself.

/** @returns to be called when it may sleep again; until then the process cannot end by itself */
export function busyPollLoop() {
  let isTurning = true;
  const turn = () => {
    if (isTurning) setImmediate(turn);
  };
  turn();
  return () => {
    isTurning = false;
  };
}

// Memory that garbage takes. V8 fills its young generation before it looks for garbage, and each page of it costs the system most of
// a microsecond when it is first written to.
const ARRAY_LENGTH = 8_000; // 64 kB: from 128 kB on an array is no business of the young generation
const BYTES_PER_ITEM = 8;
const MOST_BYTES = 64 * 1_048_576; // both halves of 16 MB, twice over: it is not greater at the start, and garbage does not make it grow

let isFilled = false; // once in each process and thread

/**
 * Fills the young generation, so that the memory that it may take is taken: what connecting leaves behind there would look like
 * memory of connections. It takes some 30 ms.
 */
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

// A process of a launch never outlives the one that started it. Where the kernel can see to that (pdeathsig, set at
// the fork) even a blocked process ends; these are the other means: the end of the fork channel, and a life span.
const CLEAN_UP_DEADLINE_MS = 1_000;

/**
 * @param {object} settings
 * @param {number} settings.lifeMs                  a process that is older ends itself
 * @param {() => Promise<unknown> | undefined} [settings.cleanUp]   removes what would be left behind; it has one second
 * @returns to be called when this process is about to leave in good order
 */
export function endWithParent({ lifeMs, cleanUp }) {
  // A thread ends with its process, whose main thread sees to all this.
  if (!isMainThread) return () => {};
  const end = async () => {
    await withDeadline(cleanUp?.(), CLEAN_UP_DEADLINE_MS, () => {});
    // Nobody is left to read an exit code, and a handle that still waits must not keep this process.
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

/**
 * For a process that has nothing left to do, but whose threads may hang in a call of the system's: then they can only be
 * ended with it.
 * @param {number} ms
 */
export function endWithin(ms) {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms).unref();
}
