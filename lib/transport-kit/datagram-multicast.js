// What goes to all workers at once over UDP: one datagram to a group that each of them has joined, on the loopback interface.

import { randomInt } from 'node:crypto';
import { DatagramOutlet } from './datagram-outlet.js';
import { connectDatagramSocket, LOOPBACK, openDatagramSocket } from './datagram-socket.js';

/** @import { GuestContext, HostContext } from '../types/transports.js' */
/** @typedef {{ group: string, port: number, from: number }} Multicast   from: the port of the only one who may send */

const BYTE = 256;
// Windows delivers what is sent to a group to a socket that is bound to the interface; others tell groups apart by the address.
const BOUND_TO_GROUP = process.platform !== 'win32';

/** @returns {string} of those that leave no organisation: RFC 2365 */
function randomGroup() {
  return `239.${randomInt(BYTE)}.${randomInt(BYTE)}.${1 + randomInt(BYTE - 2)}`;
}

/** @param {string} group @param {number} port   0: a free one @param {HostContext | GuestContext} end */
function openInGroup(group, port, end) {
  return openDatagramSocket(end, { address: BOUND_TO_GROUP ? group : LOOPBACK, port, reuseAddr: true });
}

/**
 * @param {HostContext} host
 * @returns {Promise<{ multicast: Multicast, publish: (wire: string | Uint8Array) => void, close: () => Promise<void> }>}
 */
export async function openMulticast(host) {
  const group = randomGroup();
  const probe = await openInGroup(group, 0, host);
  const { port } = probe.address();
  probe.close();
  const socket = await openDatagramSocket(host);
  socket.on('error', (error) => host.onError(error));
  socket.setMulticastInterface(LOOPBACK);
  socket.setMulticastLoopback(true);
  socket.setMulticastTTL(0); // it stays on this host
  await connectDatagramSocket(socket, port, group);
  const outlet = new DatagramOutlet(() => {}, socket);
  return {
    multicast: { group, port, from: socket.address().port },
    publish: (wire) => outlet.send(wire),
    close: () => outlet.release(),
  };
}

/**
 * @param {GuestContext} guest
 * @param {Multicast} multicast
 * @param {(bytes: Buffer) => void} deliver
 * @param {(error: Error) => void} failed
 * @returns {Promise<() => void>} leaves the group
 */
export async function joinMulticast(guest, { group, port, from }, deliver, failed) {
  const socket = await openInGroup(group, port, guest);
  socket.on('error', failed);
  socket.on('message', (bytes, sender) => {
    if (sender.port === from && sender.address === LOOPBACK) deliver(bytes);
  });
  socket.addMembership(group, LOOPBACK);
  return () => socket.close();
}
