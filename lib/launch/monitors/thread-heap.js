// Finds a thread whose heap is full and that V8 cannot stop. Node.js ends such a thread with ERR_WORKER_OUT_OF_MEMORY as soon as its
// code lets V8 interrupt it. The compiled code of some loops in Node.js 26 never does: the heap then grows beyond its limit until
// the memory of the machine is full, and the thread emits no event.

import { getHeapStatistics } from 'node:v8';
import { withDeadline } from '../../children/with-deadline.js';

/** @typedef {import('node:worker_threads').Worker & { getHeapStatistics?: () => Promise<unknown> }} Thread */

const LOOK_EVERY_MS = 1_000; // one call of some microseconds, in the master
const ANSWER_WITHIN_MS = 1_000;

/**
 * A thread is asked for its heap statistics only once the memory of this process has grown by more than the limit of one heap. It
 * answers in an interrupt, so a thread that does not answer cannot be stopped either.
 * @param {Thread} thread   just started
 * @param {() => void} onFull   once
 * @returns ends the watch
 */
export function watchThreadHeap(thread, onFull) {
  const ask = thread.getHeapStatistics?.bind(thread);
  if (ask === undefined) return () => {}; // Node.js 20, and 22 before 22.16: V8 stops every thread there
  const limitBytes = getHeapStatistics().heap_size_limit; // of a thread as well: both have the same flags
  const bytesBefore = process.memoryUsage.rss();
  let isAsking = false;
  const timer = setInterval(async () => {
    if (isAsking || process.memoryUsage.rss() - bytesBefore <= limitBytes) return;
    isAsking = true;
    const answer = ask().then(
      () => true,
      () => true, // it has ended, which its own event tells
    );
    const hasAnswered = await withDeadline(answer, ANSWER_WITHIN_MS, () => false);
    isAsking = false;
    if (hasAnswered) return;
    clearInterval(timer);
    onFull();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
