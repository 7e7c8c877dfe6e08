// The connections of a worker beside its first one: so many are made at once, and no more, each within a deadline.

import { connectingPerWorker } from '../cell/connections.js';
import { BenchError } from '../errors.js';

/** @import { Cell } from '../types/plans.js' */
/** @import { Channel } from '../types/transports.js' */

const CONNECTION_DEADLINE_MS = 10_000; // one takes about a millisecond, and waits for those that are made with it

/** @param {string} workerId @param {number} place   from 1 @returns {string} 'w0c1': of a connection beside the first one */
export function furtherId(workerId, place) {
  return `${workerId}c${place}`;
}

/**
 * @template T
 * @param {T[]} all
 * @param {Pick<Cell, 'workers'>} cell
 * @param {(one: T) => Promise<unknown>} act
 */
async function fewAtOnce(all, cell, act) {
  const left = all.values(); // of which each of the loops takes the next one
  const takeAll = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: connectingPerWorker(cell) }, takeAll));
}

/**
 * @param {Pick<Cell, 'workers' | 'connections'>} cell
 * @param {string} workerId
 * @param {(id: string) => Promise<Channel>} connect   makes one more
 * @param {(channel: Channel, id: string) => void} take   its handlers are in place when it returns
 * @returns {Promise<Channel[]>} all but the first one of this worker
 */
export async function connectFurther(cell, workerId, connect, take) {
  /** @type {Channel[]} */
  const channels = [];
  const { connections = 1 } = cell;
  const ids = Array.from({ length: connections - 1 }, (_, index) => furtherId(workerId, index + 1));
  await fewAtOnce(ids, cell, async (id) => {
    const channel = await inTime(connect(id), id);
    take(channel, id);
    channels.push(channel);
  });
  return channels;
}

/** @param {Channel[]} channels @param {Pick<Cell, 'workers'>} cell */
export async function closeAll(channels, cell) {
  await fewAtOnce(channels, cell, (channel) => channel.close());
}

/**
 * @template T
 * @param {Promise<T>} made
 * @param {string} id
 * @returns {Promise<T>}
 */
async function inTime(made, id) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    const message = `${id} did not connect within ${CONNECTION_DEADLINE_MS} ms: ask for fewer --connections`;
    timer = setTimeout(() => reject(new BenchError('DEADLINE', message)), CONNECTION_DEADLINE_MS);
  });
  try {
    return await Promise.race([made, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
