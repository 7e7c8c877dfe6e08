// One AMQP channel of an end: it reads a queue, and publishes to the queue of the other end.

import { withDeadline } from '../../lib/children/with-deadline.js';
import { asBuffer } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';
import { findGuarantee } from './rabbitmq-guarantees.js';

/** @import { ConfirmChannel, ConsumeMessage } from 'amqplib' */
/** @import { Settings } from '../../lib/types/index.js' */
/** @typedef {(bytes: Buffer, replyTo: string) => void} OnMessage */

/** A pseudo-queue for responses: https://www.rabbitmq.com/docs/direct-reply-to */
export const DIRECT_REPLY = 'amq.rabbitmq.reply-to';
const CONTROL = 'control'; // `type` of control frames, which share a queue with messages to keep the order
const UNUSED_MS = 30_000; // the broker removes a durable queue that is unused for longer, for example after a lost connection
const RELEASE_DEADLINE_MS = 1_000; // a confirm usually takes about ten milliseconds

/**
 * A publisher does not wait for confirms, and a round trip is complete when the response arrives, whether its messages have been
 * confirmed or not. `release` waits for open confirms. A nack, or a message that is returned because its queue is gone, ends the
 * channel. Durable messages that are read at once may never reach the disk: the broker also confirms messages that the consumer has
 * acknowledged before they were written. Consumers acknowledge each message after handling it.
 * Source: https://www.rabbitmq.com/docs/confirms#when-publishes-are-confirmed
 * @param {import('./rabbitmq-connection.js').OpenedRabbitmq} opened
 * @param {Settings} settings
 * @param {(reason: Error) => void} refused   not called for a lost connection, which `onLost` reports
 */
export async function openMail({ model, connection }, settings, refused) {
  const { isConfirmed, isDurable } = findGuarantee(settings);
  const channel = /** @type {ConfirmChannel} */ (
    await (isConfirmed ? model.createConfirmChannel() : model.createChannel())
  );
  let isOpen = true;
  // Runs before the listener of amqplib, which calls the callbacks of all open confirms.
  channel.prependListener('close', () => {
    isOpen = false;
  });
  channel.on('error', (error) => refused(connection.failure('a channel was closed by', error)));
  channel.on('return', ({ fields }) => refused(unroutable(fields)));
  if (isConfirmed) await channel.prefetch(Number(settings.prefetch));
  /** @param {unknown} error */
  const confirmed = (error) => {
    if (error !== null && isOpen) refused(new BenchError('BROKER', 'RabbitMQ refused a message (nack)'));
  };
  /** @type {string[]} */
  const declared = [];

  async function settle() {
    if (isConfirmed) await channel.waitForConfirms();
    for (const queue of declared) await channel.deleteQueue(queue);
    isOpen = false;
    await channel.close();
  }

  /** @param {string} queue @param {boolean} isKept */
  const make = async (queue, isKept) =>
    declared.push((await channel.assertQueue(queue, queueOptions(settings, isKept))).queue);

  /** @param {string} queue @param {(bytes: Buffer) => void} onData @param {OnMessage} onControl */
  async function consume(queue, onData, onControl) {
    /** @param {ConsumeMessage | null} message */
    const handle = (message) => {
      if (message === null) return refused(new BenchError('BROKER', `RabbitMQ has lost the queue ${queue}`));
      const { content, properties } = message;
      if (properties.type === CONTROL) onControl(content, properties.replyTo);
      else onData(content);
      if (isConfirmed && isOpen) channel.ack(message);
    };
    await channel.consume(queue, handle, { noAck: !isConfirmed });
  }

  return {
    /**
     * @param {string} queue        DIRECT_REPLY, or the name of a queue that is created
     * @param {(bytes: Buffer) => void} onData
     * @param {OnMessage} onControl
     */
    async receive(queue, onData, onControl) {
      if (queue !== DIRECT_REPLY) await make(queue, isDurable);
      await consume(queue, onData, onControl);
    },
    /** @param {string} queue      created for other readers; `release` removes it, or it expires */
    offer: (queue) => make(queue, true),
    /** @param {string} queue      created by the other end @param {(bytes: Buffer) => void} onData */
    take: (queue, onData) => consume(queue, onData, () => {}),
    /** @param {string} queue      read by the other end @param {{ replyTo?: string }} properties   added to each message */
    publisher(queue, properties) {
      // RabbitMQ returns a mandatory message if no queue receives it, and DIRECT_REPLY is not a queue.
      const isQueue = !queue.startsWith(DIRECT_REPLY);
      const data = { ...properties, persistent: isDurable, mandatory: isConfirmed };
      const control = { ...properties, persistent: isDurable, mandatory: isQueue, type: CONTROL };
      return {
        /** @param {string | Uint8Array} wire */
        send(wire) {
          if (isOpen) channel.publish('', queue, asBuffer(wire), data, confirmed);
        },
        /** @param {string} frame */
        sendControl(frame) {
          if (isOpen) channel.publish('', queue, Buffer.from(frame), control, confirmed);
        },
      };
    },
    /** Never rejects: queues that cannot be removed end with the connection, or expire. */
    async release() {
      if (isOpen)
        await withDeadline(
          settle().catch(() => {}),
          RELEASE_DEADLINE_MS,
          () => {},
        );
      isOpen = false;
    },
  };
}

/** @param {Settings} settings @param {boolean} isDurable */
function queueOptions({ queue }, isDurable) {
  if (!isDurable) return { durable: false, exclusive: true };
  return { durable: true, expires: UNUSED_MS, arguments: { 'x-queue-type': queue } };
}

/** @param {any} fields   fields of basic.return, which the types lack */
function unroutable({ replyText }) {
  return new BenchError('TRANSPORT', `RabbitMQ returned a message (${replyText}): the other end is gone`);
}
