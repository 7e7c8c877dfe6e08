// UDP sockets of one address of this machine, with the buffers that a cell asks for.

import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { bindAddressOf } from './reach.js';
import { assertGiven, bufferWishes } from './socket-buffers.js';

/** @import { Socket } from 'node:dgram' */

/** @param {string} address */
const familyOf = (address) => (isIPv6(address) ? 'udp6' : 'udp4');

/**
 * @param {Pick<import('../types/transports.js').EndContext, 'settings'> & { bindAddress?: string }} end
 * @param {{ address?: string, port?: number, reuseAddr?: boolean }} [place]
 * @returns {Promise<Socket>} bound to that place; left out: where that end listens, at a port that the system picked
 * @throws {import('../errors.js').BenchError} TRANSPORT: the system gives other buffers
 */
export async function openDatagramSocket(
  end,
  { address = bindAddressOf(end), port = 0, reuseAddr = false } = {},
) {
  const socket = createSocket({ type: familyOf(address), reuseAddr });
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address, port }, () => {
      socket.off('error', reject);
      resolve(undefined);
    });
  });
  try {
    for (const wish of bufferWishes(end.settings)) {
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
 * @param {{ host: string, port: number }} peer
 * @returns {Promise<void>}
 */
export function connectDatagramSocket(socket, { host, port }) {
  return new Promise((resolve, reject) => {
    const done = (/** @type {Error | undefined} */ error) => (error ? reject(error) : resolve());
    socket.connect(port, host, /** @type {any} */ (done)); // the types know of no error
  });
}

/**
 * @param {{ host: string, port: number }} peer
 * @returns {Promise<string>} the address of this machine from which it reaches the peer: the routes of the system tell
 */
export async function addressTowards(peer) {
  const socket = createSocket(familyOf(peer.host));
  try {
    await connectDatagramSocket(socket, peer);
    return socket.address().address;
  } finally {
    socket.close();
  }
}
