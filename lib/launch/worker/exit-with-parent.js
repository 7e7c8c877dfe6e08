// A process of a launch never outlives the one that started it. Where the kernel can see to that (pdeathsig, set at
// the fork) even a blocked process ends; these are the other means: the end of the fork channel, and a life span.

import { isMainThread } from 'node:worker_threads';
import { withDeadline } from '../../children/with-deadline.js';

const CLEAN_UP_DEADLINE_MS = 1_000;

/**
 * @param {object} settings
 * @param {number} settings.lifeMs                  a process that is older ends itself
 * @param {() => Promise<unknown> | undefined} [settings.cleanUp]   removes what would be left behind; it has one second
 * @returns {() => void} to be called when this process is about to leave in good order
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
