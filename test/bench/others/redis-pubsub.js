// PUBLISH and SUBSCRIBE of ioredis over the unix socket of a Redis of its own. Each end has one connection, which RESP3 permits.

import { join } from 'node:path';
import { Redis } from 'ioredis';
import { endWithParent, isRequester, makeLoops, pin, plan, serveSlices, startRequester } from './load.js';
import { startRedis } from './redis-server.js';

const path = join(plan.folder, 'redis.sock');

if (isRequester) {
  pin('requester');
  endWithParent();
  const redis = new Redis({ path });
  const loops = makeLoops((message) => redis.publish('requests', JSON.stringify(message)));
  redis.on('message', (_, text) => loops.onResponse(JSON.parse(text)));
  await redis.subscribe('responses');
  serveSlices(loops, [process.ppid, process.pid, Number(plan.address)]);
} else {
  pin('responder');
  const server = await startRedis(plan);
  const redis = new Redis({ path });
  redis.on('message', (_, text) => redis.publish('responses', JSON.stringify(JSON.parse(text))));
  await redis.subscribe('requests');
  startRequester(String(server.pid));
}
