// Sets up a process of a launch: busy polling if the cell requires it, and the end of the process with its parent or after a time.

import { isMainThread } from 'node:worker_threads';
import { withDeadline } from '../children/with-deadline.js';

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

const CLEAN_UP_DEADLINE_MS = 1_000;

/**
 * Ends this process when the fork channel to its parent closes, or after a maximum lifetime. If the kernel supports pdeathsig, which is set
 * at the fork, even a blocked process ends with its parent.
 * @param {object} settings
 * @param {number} settings.lifeMs   an older process ends itself
 * @param {() => Promise<unknown> | undefined} [settings.cleanUp]   may take one second; undefined if there is nothing to do
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

/** Kills this process if it has not exited within `ms`, since a thread may hang in a system call. @param {number} ms */
export function endWithin(ms) {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms).unref();
}
