// Removes what launches leave in queues of a Redis. Lists and streams come and go with their elements and have no time to live,
// so there are three removers, in this order:
// 1. Each end of a conversation removes the queue that it reads when it closes its channel (`leaveQueues`), and lets the other
//    one expire, in case the other end has died.
// 2. The master removes all queues of the launch that it knows when it closes its listener (`removeKeys`).
// 3. A process of its own (`startRedisCleanup`, beside a Redis that outlives the run) does that if the master dies first, and
//    looks for further keys by their pattern. This file is also the entry point of that process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment, withStreams } from '../../children/launcher.js';
import { withDeadline } from '../../children/with-deadline.js';
import { openRedis } from './redis-client.js';

/** @import { Redis } from 'ioredis' */

const REMOVE_DEADLINE_MS = 1_000; // a Redis that hangs is not waited for
const UNREAD_S = 3; // what the other end has not read by then, it never will
const SCAN_COUNT = 1_000; // keys per SCAN, of all users: a millisecond of a Redis that others use
const GRACE_MS = 1_000; // for processes that are being killed too, and may still write
const ENTRY_PATH = fileURLToPath(import.meta.url);
/** Follows the order if nothing is left to remove. */
const DISMISSED = '\n';

/**
 * Removes the queue that this end has read. If the other end has died, no process removes the one that it read.
 * @param {Redis} client
 * @param {{ read: string[], written: string[] }} keys   of the two queues of a conversation
 */
export async function leaveQueues(client, { read, written }) {
  for (const key of written) client.expire(key, UNREAD_S).catch(() => {});
  await removeKeys(client, read);
}

/** @param {Redis} client @param {string[]} keys @returns {Promise<boolean>} whether the Redis has answered */
export function removeKeys(client, keys) {
  const removed = client.unlink(...keys).then(
    () => true,
    () => false,
  );
  return withDeadline(removed, REMOVE_DEADLINE_MS, () => false);
}

/**
 * @param {string} url
 * @param {string[]} keys
 * @param {string} pattern   of further keys, whose names are not known in advance
 * @returns {{ dismiss: (isClean: boolean) => Promise<void> }}   unless all is clean, the process does its work in the
 *     background; safe to call twice
 */
export function startRedisCleanup(url, keys, pattern) {
  const cleanup = withStreams(
    spawn(process.execPath, [ENTRY_PATH], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: childEnvironment(),
      // A process group of its own, since Ctrl-C is for the runner.
      detached: process.platform !== 'win32',
      windowsHide: true,
    }),
  );
  const ended = Promise.race([once(cleanup, 'exit'), once(cleanup, 'error')]);
  ended.catch(() => {});
  cleanup.stdin.on('error', () => {}); // EPIPE: the process is gone, and nothing can be done about that
  // Not as an argument: the URL may contain a password, and all users can read arguments.
  cleanup.stdin.write(JSON.stringify({ url, keys, pattern }));
  return {
    async dismiss(isClean) {
      if (cleanup.stdin.writableEnded) return;
      cleanup.stdin.end(isClean ? DISMISSED : '');
      if (isClean) await ended;
      else cleanup.unref();
    },
  };
}

/** Sleeps until stdin ends: the system closes it, whatever the master dies of. */
async function cleanUpAfterMaster() {
  // A terminal sends its signals to all processes; this one ends with its stdin.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});
  const order = await text(process.stdin);
  if (order.endsWith(DISMISSED)) return;
  const { url, keys, pattern } = JSON.parse(order);
  await sleep(GRACE_MS);
  const { client, close } = await openRedis(url, () => {});
  try {
    await client.unlink(...keys);
    for await (const found of client.scanStream({ match: pattern, count: SCAN_COUNT })) {
      if (found.length > 0) await client.unlink(...found);
    }
  } finally {
    await close();
  }
}

if (process.argv[1] === ENTRY_PATH) cleanUpAfterMaster();
