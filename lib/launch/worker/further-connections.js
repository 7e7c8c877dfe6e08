// The connections of a worker beside its first one: so many are made at once, and no more, each within a deadline.

import { connectingPerWorker, furtherId } from '../../cell/connections.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';

/** @import { Cell, Channel } from '../../types/index.js' */

const CONNECTION_DEADLINE_MS = 10_000; // one takes about a millisecond, and waits for those that are made with it

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

/** @param {string} workerId @param {number} from   connections that it has @param {number} upTo @returns {string[]} of those that it lacks */
export function furtherIds(workerId, from, upTo) {
  return Array.from({ length: Math.max(0, upTo - from) }, (_, index) => furtherId(workerId, from + index));
}

/**
 * @param {string[]} ids
 * @param {Pick<Cell, 'workers'>} cell
 * @param {(id: string) => Promise<Channel>} connect
 * @param {(channel: Channel, id: string) => void} take   its handlers are in place when it returns
 */
export async function connectAll(ids, cell, connect, take) {
  await fewAtOnce(ids, cell, async (id) => {
    const channel = await withDeadline(connect(id), CONNECTION_DEADLINE_MS, () => {
      const late = `${id} did not connect within ${CONNECTION_DEADLINE_MS} ms`;
      throw new BenchError('DEADLINE', `${late}: ask for fewer --connections`);
    });
    take(channel, id);
  });
}

/** @param {Channel[]} channels @param {Pick<Cell, 'workers'>} cell */
export async function closeAll(channels, cell) {
  await fewAtOnce(channels, cell, (channel) => channel.close());
}
