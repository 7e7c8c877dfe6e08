// A worker's own end of the line to its master, however it was started: see start-worker.js. To be opened before
// anything of others is loaded.

import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { ThreadControlChannel } from './thread-control-channel.js';

/** Argument of a process whose stdin and stdout belong to the transport. */
export const STDIO_IS_TAKEN = 'stdio-is-taken';

/** @returns {import('./fork-control-channel.js').ForkPort} */
export function openOwnControlChannel() {
  if (!isMainThread) {
    parentPort?.postMessage({ systemThreadId: systemThreadId() });
    return new ThreadControlChannel(workerData.line);
  }
  // A console.log between two frames would end the conversation.
  if (process.argv.includes(STDIO_IS_TAKEN)) {
    Object.defineProperty(process, 'stdout', { get: () => process.stderr, configurable: true });
  }
  return process;
}

/** @returns {number | null} by which the system knows the calling thread; null: it is not Linux */
function systemThreadId() {
  if (process.platform !== 'linux') return null;
  // Synchronous calls of node:fs run on the thread that makes them.
  return Number(basename(readlinkSync('/proc/thread-self')));
}
