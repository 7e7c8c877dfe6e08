// Renews the presence key of an agent every second, on a thread with a separate connection: while a launch with many workers starts, the
// event loop and the connection of the agent may be busy for more than 10 s.

import { parentPort, workerData } from 'node:worker_threads';
import { makeRedis, RENEW_MS, renewPresence } from './control-redis.js';

const { url, key, presence } = workerData;
const client = await makeRedis(url);
client.on('error', () => {}); // the client reconnects
client.connect().catch(() => {});

setInterval(async () => {
  if (client.status !== 'ready') return;
  const isOwn = await renewPresence(client, key, presence).catch(() => true);
  if (!isOwn) parentPort?.postMessage('lost');
}, RENEW_MS);
