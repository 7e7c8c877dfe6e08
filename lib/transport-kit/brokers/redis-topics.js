// Publishing to and hearing from topics of a Redis over one connection. Every publish must reach exactly one receiver:
// none means that the peer is gone, more that somebody listens in and that deliveries are multiplied (M-42).

import { createHash } from 'node:crypto';
import { BenchError } from '../../errors.js';
import { openRedis } from './redis-client.js';

/**
 * Topics of one worker. Who knows the address but not the token listens where nobody speaks.
 * @param {string} address     of the listener, and the topic for notes to the master
 * @param {string} token       hashed: names of topics are no secret on a shared server
 * @param {string} workerId
 */
export function topicNames(address, token, workerId) {
  const secret = createHash('sha256').update(token).digest('hex').slice(0, 32);
  const prefix = `${address}:${secret}:${workerId}`;
  return {
    toMaster: `${prefix}:to-master`,
    toWorker: `${prefix}:to-worker`,
    notesToWorker: `${prefix}:notes-to-worker`,
  };
}

/**
 * @param {string | null} url
 * @param {(reason: BenchError) => void} onLost
 */
export async function openTopics(url, onLost) {
  if (url === null) throw new BenchError('BROKER', 'there is no Redis to connect to: give --redis-url');
  const { client, close } = await openRedis(url, onLost);
  /** @type {Map<string, (bytes: Buffer) => void>} */
  const listeners = new Map();
  // The event with buffers for text as well: its length is then exact, and the text is decoded once, by the channel.
  client.on('messageBuffer', (topic, bytes) => listeners.get(topic.toString('latin1'))?.(bytes));
  return {
    close,
    /**
     * @param {string} topic    ASCII
     * @param {(bytes: Buffer) => void} onBytes
     */
    async subscribe(topic, onBytes) {
      listeners.set(topic, onBytes);
      try {
        await client.subscribe(topic);
      } catch (error) {
        await close(); // an open connection would keep the process from ending
        throw new BenchError(
          'BROKER',
          `Redis did not let us subscribe: ${/** @type {Error} */ (error).message}`,
        );
      }
    },
    /** @param {string} topic */
    unsubscribe(topic) {
      listeners.delete(topic);
      // It fails only with the connection, and with that the subscription is gone as well.
      client.unsubscribe(topic).catch(() => {});
    },
    /**
     * @param {string} topic
     * @param {(reason: BenchError) => void} refused
     * @returns {(wire: string | Uint8Array) => void}
     */
    publisher(topic, refused) {
      const counted = (/** @type {number} */ receivers) => {
        if (receivers !== 1) refused(miscounted(receivers));
      };
      const failed = (/** @type {Error} */ error) => {
        // Of a lost connection `onLost` tells, with the cause.
        if (client.status === 'ready') {
          refused(new BenchError('BROKER', `Redis did not publish a message: ${error.message}`));
        }
      };
      return (wire) => void client.publish(topic, asArgument(wire)).then(counted, failed);
    },
  };
}

/**
 * @param {string | Uint8Array} wire
 * @returns {string | Buffer}     what ioredis takes: it would print any other Uint8Array as text
 */
function asArgument(wire) {
  if (typeof wire === 'string' || Buffer.isBuffer(wire)) return wire;
  return Buffer.from(wire.buffer, wire.byteOffset, wire.byteLength);
}

/** @param {number} receivers */
function miscounted(receivers) {
  const why = receivers === 0 ? 'the other end is gone' : 'another client of this Redis listens in';
  return new BenchError('TRANSPORT', `a message reached ${receivers} receivers instead of 1: ${why}`);
}
