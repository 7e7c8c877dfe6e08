// Publishing to and hearing from topics of a Redis over one connection. Every publish must reach exactly those who listen:
// fewer means that the peer is gone, more that somebody listens in and that deliveries are multiplied (M-42).

import { textOrBuffer } from '../../codecs/wire-bytes.js';
import { BenchError } from '../../errors.js';
import { isFurther } from '../admission.js';
import { openRedis } from './redis-client.js';

/**
 * @param {string} url
 * @param {(reason: Error) => void} onLost
 * @param {object} [end]
 * @param {string} [end.workerId]   absent: the master
 * @returns {Promise<import('./over-topics.js').Topics & { client: import('ioredis').Redis }>}   the connection itself may do
 *     anything but wait
 */
export async function openTopics(url, onLost, { workerId = '' } = {}) {
  const { client, close } = await openRedis(url, onLost, isFurther(workerId));
  /** @type {Map<string, (bytes: Buffer) => void>} */
  const listeners = new Map();
  // The event with buffers for text as well: its length is then exact, and the text is decoded once, by the channel.
  client.on('messageBuffer', (topic, bytes) => {
    // Where replies came out of order, these may be anything.
    if (Buffer.isBuffer(topic) && Buffer.isBuffer(bytes)) listeners.get(topic.toString('latin1'))?.(bytes);
  });
  return {
    client,
    close,
    async subscribe(topic, onBytes) {
      listeners.set(topic, onBytes);
      try {
        await client.subscribe(topic);
      } catch (error) {
        throw new BenchError(
          'BROKER',
          `Redis did not let us subscribe: ${/** @type {Error} */ (error).message}`,
        );
      }
    },
    unsubscribe(topic) {
      listeners.delete(topic);
      // It fails only with the connection, and with that the subscription is gone as well.
      client.unsubscribe(topic).catch(() => {});
    },
    publisher(topic, refused, listeners = 1) {
      const counted = (/** @type {number} */ receivers) => {
        if (receivers !== listeners) refused(miscounted(receivers, listeners));
      };
      const failed = (/** @type {Error} */ error) => {
        // `onLost` reports a lost connection, with its cause.
        if (client.status === 'ready') {
          refused(new BenchError('BROKER', `Redis did not publish a message: ${error.message}`));
        }
      };
      // Of any other view of bytes ioredis would send the text.
      return (wire) => void client.publish(topic, textOrBuffer(wire)).then(counted, failed);
    },
  };
}

/** @param {number} receivers @param {number} listeners */
function miscounted(receivers, listeners) {
  const why = receivers < listeners ? 'the other end is gone' : 'another client of this Redis listens in';
  return new BenchError(
    'TRANSPORT',
    `a message reached ${receivers} receivers instead of ${listeners}: ${why}`,
  );
}
