// Ties a ring channel to a MessagePort between its threads, over which nothing goes: it tells when one has left.

/** @import { RingChannel } from '../../lib/transport/ring/ring-channel.js' */
/** @import { MessagePort } from 'node:worker_threads' */

const ASLEEP = { ring() {}, sleep() {} }; // an end that never sleeps needs no bell

/**
 * @param {MessagePort} port
 * @param {ReturnType<import('../../lib/transport/ring/ring-end.js').RingEnd['open']>} opened
 * @returns {RingChannel}
 */
export function ringOverPort(port, { channel, bell, leave }) {
  port.on('message', () => {}); // keeps a thread that waits for memory alone from ending
  port.on('close', () => {
    leave();
    channel.finish();
  });
  const close = () => port.close();
  channel.start({ ...(bell ?? ASLEEP), hangUp: close, cut: close });
  return channel;
}
