// Ties a ring channel to the socket over which its ends found each other: it tells when one has left, and unless there is
// another bell, a byte on it wakes an end that sleeps.

/** @import { RingChannel } from '../../lib/transport/ring/ring-channel.js' */

const DOORBELL = Buffer.of(1);

/**
 * @param {import('node:net').Socket} socket
 * @param {ReturnType<import('../../lib/transport/ring/ring-end.js').RingEnd['open']>} opened
 * @returns {RingChannel}
 */
export function ringOverSocket(socket, { channel, bell, leave }) {
  /** @type {Error | undefined} */
  let reason;
  socket.on('data', channel.wake);
  socket.on('error', (error) => {
    reason ??= error;
  });
  socket.on('close', () => {
    leave();
    channel.finish(reason);
  });
  const doorbell = { ring: () => void (socket.writable && socket.write(DOORBELL)), sleep() {} };
  channel.start({ ...(bell ?? doorbell), hangUp: () => void socket.end(), cut: () => void socket.destroy() });
  return channel;
}
