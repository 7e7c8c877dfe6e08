// Removes the queues of launches from Redis. A list exists as long as it has elements, a stream until it is deleted, and neither expires
// by default, so there are three removers, in this order:
// 1. Each end of a connection removes the queue that it reads when it closes its channel (`leaveQueues`), and sets an expiry on
//    the other queue, in case the other end has died.
// 2. The master removes all queues of the launch whose names are known when it closes its listener (`removeKeys`).
// 3. A separate process (`startRedisCleanup`, for a Redis that outlives the run) does the same if the master dies first or leaves keys,
//    and finds further keys by their pattern. This file is also the entry point of that process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment, withStreams } from '../../children/launcher.js';
import { withDeadline } from '../../children/with-deadline.js';
import { openRedis } from './redis-client.js';

/** @import { Redis } from 'ioredis' */

const REMOVE_DEADLINE_MS = 1_000; // limits the wait for a Redis that hangs
const UNREAD_S = 3; // expiry of a queue; the other end, if alive, has read it by then
const SCAN_COUNT = 1_000; // keys per SCAN, which blocks a shared Redis for about a millisecond
const GRACE_MS = 1_000; // processes that are being killed at the same time may still write
const ENTRY_PATH = fileURLToPath(import.meta.url);
/** Last character on stdin if nothing is left to remove. */
const DISMISSED = '\n';

/**
 * Removes the queue that this end has read, and sets an expiry on the other one, which remains if the other end has died.
 * @param {Redis} client
 * @param {{ read: string[], written: string[] }} keys
 */
export async function leaveQueues(client, { read, written }) {
  for (const key of written) client.expire(key, UNREAD_S).catch(() => {});
  await removeKeys(client, read);
}

/** @param {Redis} client @param {string[]} keys @returns {Promise<boolean>} true if Redis has removed them in time */
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
 * @param {string} pattern   matches further keys, whose names are not known in advance
 * @returns {{ dismiss: (isClean: boolean) => Promise<void> }}   without `isClean`, the process removes the keys in
 *     the background; safe to call twice
 */
export function startRedisCleanup(url, keys, pattern) {
  const cleanup = withStreams(
    spawn(process.execPath, [ENTRY_PATH], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: childEnvironment(),
      // A separate process group, so that Ctrl-C does not reach the cleanup.
      detached: process.platform !== 'win32',
      windowsHide: true,
    }),
  );
  const ended = Promise.race([once(cleanup, 'exit'), once(cleanup, 'error')]);
  ended.catch(() => {});
  cleanup.stdin.on('error', () => {}); // EPIPE if the process is gone, which needs no handling
  // stdin carries the URL, which may contain a password, since all users can read the arguments of a process.
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

/** Removes the keys once stdin has ended without DISMISSED: the kernel closes it even if the master gets SIGKILL. */
async function cleanUpAfterMaster() {
  // Ignores signals that end a run, since this process has to remove the keys afterwards.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
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
