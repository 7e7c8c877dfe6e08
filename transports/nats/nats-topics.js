// Subjects of a NATS server over one connection. Unlike Redis, NATS does not report how many subscribers receive a message.

import { isFurther } from '../../lib/channels/admission.js';
import { bufferView } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';
import { openNats } from './nats-client.js';

/** @import { Subscription } from '@nats-io/transport-node' */

const QUEUE_GROUP = 'workers'; // https://docs.nats.io/nats-concepts/core-nats/queue

/** @type {import('../../lib/channels/brokers/over-topics.js').OpenTopics} */
export async function openTopics(url, onLost, { workerId = '' }) {
  const { connection, state, close } = await openNats(url, onLost, isFurther(workerId));
  /** @type {Map<string, Subscription>} */
  const subscriptions = new Map();
  /** @type {Set<() => void>} */
  const waiting = new Set();
  connection.closed().then(() => {
    for (const settle of waiting) settle();
  });
  // flushed() also resolves when the connection ends, since the library then does not settle flush(). A Promise.race() with closed() would
  // keep each call in memory until the connection ends.
  const flushed = () =>
    new Promise((resolve) => {
      const settle = () => {
        waiting.delete(settle);
        resolve(undefined);
      };
      waiting.add(settle);
      connection.flush().then(settle, settle);
    });
  return {
    close,
    async subscribe(topic, onBytes, isShared = false) {
      const subscription = connection.subscribe(topic, {
        ...(isShared && { queue: QUEUE_GROUP }),
        callback: (error, message) => {
          if (error !== null) return;
          try {
            onBytes(bufferView(message.data));
          } catch (bug) {
            // The library would print the error and stop reading, so it is thrown in another tick.
            process.nextTick(() => {
              throw bug;
            });
          }
        },
      });
      subscriptions.set(topic, subscription);
      // The response to the flush confirms the subscription, which was sent before.
      await flushed();
      if (connection.isClosed()) throw state.failure('cannot subscribe at');
    },
    unsubscribe(topic) {
      subscriptions.get(topic)?.unsubscribe();
      subscriptions.delete(topic);
    },
    publisher(topic, refused) {
      return (wire) => {
        try {
          connection.publish(topic, wire);
        } catch (error) {
          // `onLost` reports a lost connection.
          if (connection.isClosed()) return;
          const allowed = Number(connection.info?.max_payload);
          const bytes = Buffer.byteLength(wire);
          refused(bytes > allowed ? tooLarge(bytes, allowed) : /** @type {Error} */ (error));
        }
      };
    },
  };
}

/** @param {number} bytes @param {number} allowed */
function tooLarge(bytes, allowed) {
  const [message, limit] = [bytes, allowed].map((number) => number.toLocaleString('en'));
  return new BenchError(
    'BROKER',
    `a message has ${message} bytes, and this NATS accepts ${limit} at most: raise its max_payload, or choose a smaller --payload`,
  );
}
