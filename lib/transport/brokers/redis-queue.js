// One queue of a Redis as its reader and its writers see it, whatever it is made of: what it is to do is a QueueKind's. The
// server's own refusals (OOM, WRONGTYPE, NOPERM and the like) become errors that say so.

import { BenchError } from '../../errors.js';
import { withRollback } from '../with-rollback.js';
import { openRedis } from './redis-client.js';

/** @import { Outlet } from '../message-channel.js' */
/** @import { Redis } from 'ioredis' */
/** @typedef {(reason: Error) => void} Refused */
/**
 * What a reader does with what it takes, in order.
 * @typedef {object} Heard
 * @property {(bytes: Buffer) => void} onData
 * @property {(bytes: Buffer) => void} onNote
 * @property {Refused} refused
 */
/**
 * @typedef {object} QueueKind
 * @property {(client: Redis, queue: string) => Promise<unknown>} prepare    before anybody writes to it
 * @property {(client: Redis, queue: string, heard: Heard) => Promise<never>} read   until the connection ends
 * @property {(client: Redis, queue: string, refused: Refused) => Pick<Outlet, 'send' | 'sendNote'>} writer
 * @property {(queue: string) => string[]} keysOf    all that a Redis may hold because of it
 */

/**
 * @param {{ kind: QueueKind, url: string, queue: string, lost: Refused }} place
 * @param {Heard} heard
 * @returns {Promise<() => Promise<void>>} stops at once, whatever is waited for
 */
export async function readQueue({ kind, url, queue, lost }, heard) {
  const { client, close } = await openRedis(url, lost, true);
  const told = (/** @type {Error} */ error) =>
    new BenchError('BROKER', `Redis does not let us read a queue: ${error.message}`);
  await withRollback(close, () => kind.prepare(client, queue)).catch((error) => {
    throw told(error);
  });
  kind.read(client, queue, heard).catch((error) => {
    if (isReply(error)) heard.refused(told(error));
    // `lost` reports a lost connection, with its cause. Anything else that is thrown is a bug.
    else if (client.status === 'ready') throw error;
  });
  return close;
}

/**
 * For the promises of what is written.
 * @param {Redis} client
 * @param {Refused} refused
 */
export function refusedWrite(client, refused) {
  return (/** @type {Error} */ error) => {
    if (client.status !== 'ready') return;
    refused(new BenchError('BROKER', `Redis did not take a message: ${error.message}`));
  };
}

/** @param {any} error @returns {boolean} the server's own words: OOM, WRONGTYPE, LOADING, NOPERM */
function isReply(error) {
  return error?.name === 'ReplyError';
}
