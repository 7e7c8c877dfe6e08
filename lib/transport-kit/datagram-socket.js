// UDP sockets of this machine, with the buffers that a cell asks for.

import { createSocket } from 'node:dgram';
import { assertGiven, bufferWishes } from './socket-buffers.js';

/** @import { Socket } from 'node:dgram' */

export const LOOPBACK = '127.0.0.1';

/**
 * @param {Pick<import('../types/transports.js').EndContext, 'settings'>} end
 * @param {{ address?: string, port?: number, reuseAddr?: boolean }} [place]
 * @returns {Promise<Socket>} bound to that place; left out: a port of the loopback interface that the system picked
 * @throws {import('../errors.js').BenchError} TRANSPORT: the system gives other buffers
 */
export async function openDatagramSocket(
  { settings },
  { address = LOOPBACK, port = 0, reuseAddr = false } = {},
) {
  const socket = createSocket({ type: 'udp4', reuseAddr });
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address, port }, () => {
      socket.off('error', reject);
      resolve(undefined);
    });
  });
  try {
    for (const wish of bufferWishes(settings)) {
      if (wish.option === 'rcvbuf') {
        socket.setRecvBufferSize(wish.bytes);
        assertGiven(wish, socket.getRecvBufferSize());
      } else {
        socket.setSendBufferSize(wish.bytes);
        assertGiven(wish, socket.getSendBufferSize());
      }
    }
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}

/**
 * From now on the kernel keeps everybody else out.
 * @param {Socket} socket
 * @param {number} port     of the peer
 * @param {string} [address]
 * @returns {Promise<void>}
 */
export function connectDatagramSocket(socket, port, address = LOOPBACK) {
  return new Promise((resolve, reject) => {
    const done = (/** @type {Error | undefined} */ error) => (error ? reject(error) : resolve());
    socket.connect(port, address, /** @type {any} */ (done)); // the types know of no error
  });
}
