// What BullMQ needs for the orders to one agent.

import { withDeadline } from '../children/with-deadline.js';
import { PREFIX, queueOf, WORKER_OPTIONS } from './control-redis.js';

/** @import { Redis } from 'ioredis' */
const LEAVE_DEADLINE_MS = 1_000;

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

/**
 * BullMQ connects anew for ever where a server does not come back, and closes nothing meanwhile.
 * @param {Redis} client
 * @returns {Redis[]} it, and all that will be made of it: for who ends them
 */
export function trackConnections(client) {
  const all = [client];
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (options) => {
    const copy = duplicate(options);
    all.push(copy);
    return copy;
  };
  return all;
}

/** @param {Promise<unknown>} leaving   that never ends, where the server is gone @param {Redis[]} connections */
export async function leftInTime(leaving, connections) {
  await withDeadline(leaving, LEAVE_DEADLINE_MS, () => {});
  for (const connection of connections) connection.disconnect();
}
