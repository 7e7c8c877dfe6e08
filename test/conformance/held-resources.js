// The resources of a process: open files and sockets if the system reports them, timers and requests of Node.

import { readdirSync } from 'node:fs';

/** @typedef {Record<string, number>} Holding   how many of each kind */

/** @returns {Holding} of this process */
export function heldResources() {
  /** @type {Holding} */
  const held = {};
  for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1;
  try {
    held.descriptors = readdirSync('/proc/self/fd').length;
  } catch {
    // Only Linux reports them without tools.
  }
  return held;
}

/**
 * @param {Holding} before
 * @param {Holding} now
 * @returns {string[]} '3 more of Timeout'
 */
export function heldSince(before, now) {
  return Object.entries(now)
    .map(([kind, count]) => ({ kind, more: count - (before[kind] ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} more of ${kind}`);
}
