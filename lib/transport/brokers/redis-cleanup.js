// Entry point of a process that removes keys from a Redis once its stdin ends, which the system does whatever the one who
// holds the other end died of; unless it was told before that nothing is left. It sleeps until then.

import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRedis } from './redis-client.js';
import { DISMISSED } from './start-redis-cleanup.js';

const SCAN_COUNT = 1_000; // keys of everybody's in one go: a millisecond of a Redis that others use
const GRACE_MS = 1_000; // for processes that are being killed as well, and may still write

// The signals of a terminal go to all its processes; ours has its own way of being told.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});

const order = await text(process.stdin);
if (!order.endsWith(DISMISSED)) {
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
