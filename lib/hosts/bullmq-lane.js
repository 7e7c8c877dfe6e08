// What BullMQ needs for the orders to one agent.

import { PREFIX, queueOf, WORKER_OPTIONS } from './control-redis.js';

/** @import { Redis } from 'ioredis' */
/** @typedef {{ queue: import('bullmq').Queue, events: import('bullmq').QueueEvents, watch: import('bullmq').Worker }} Lane */

/** @param {typeof import('bullmq')} bullmq @param {string} agent @param {Redis} connection @returns {Lane} */
export function openLane({ Queue, QueueEvents, Worker }, agent, connection) {
  const name = queueOf(agent);
  const lane = {
    queue: new Queue(name, { connection, prefix: PREFIX }),
    // From the beginning: what happens before it first reads would be lost otherwise.
    events: new QueueEvents(name, { connection, prefix: PREFIX, lastEventId: '0-0' }),
    // It takes no job: somebody else than the agent has to see that one is stalled.
    watch: new Worker(name, null, { connection, ...WORKER_OPTIONS, autorun: false }),
  };
  for (const part of Object.values(lane)) ignoreErrors(part);
  return lane;
}

/** What is lost with the connection is told by the connection. @param {NodeJS.EventEmitter} part */
export function ignoreErrors(part) {
  part.on('error', () => {});
}
