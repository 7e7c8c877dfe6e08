// Renews the presence key of an agent every second, on a thread with a separate connection: while a launch with many workers starts, the
// event loop and the connection of the agent may be busy for more than 10 s.

import { parentPort, workerData } from 'node:worker_threads';
import { makeRedis } from './control-redis.js';
import { keepPresence, Presence } from './presence.js';
import { Seal } from './seal.js';

const { url, secret, agent, instance, key } = workerData;
const own = new Presence(agent, instance, new Seal(key));
const client = await makeRedis(url);
client.on('error', () => {}); // the client reconnects
client.connect().catch(() => {});
keepPresence(client, own, secret, (state) => parentPort?.postMessage(state));
