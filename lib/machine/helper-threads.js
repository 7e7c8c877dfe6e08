// The threads that Node starts beside the one that runs JavaScript: V8's compiler and collector, libuv's pool. They are not
// pinned with it: on the CPU of the measured thread their work would stand in the way of messages, and make tails.

import { readdirSync } from 'node:fs';

/**
 * To be asked before anything of others is loaded: threads that a transport starts later do its work, and are no helpers.
 * @returns {number[]} by which the system knows them; none where it does not tell
 */
export function helperThreads() {
  if (process.platform !== 'linux') return [];
  // The main thread has the id of its process.
  return readdirSync('/proc/self/task')
    .map(Number)
    .filter((thread) => thread !== process.pid);
}
