// What goes to all workers at once over UDP: one datagram to a group that each of them has joined, on the interface of the
// address that the master listens at.

import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { BenchError } from '../errors.js';
import { DatagramOutlet } from './datagram-outlet.js';
import { connectDatagramSocket, openDatagramSocket } from './datagram-socket.js';
import { bindAddressOf, LOOPBACK } from './reach.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */
/** @typedef {{ group: string, port: number, from: { address: string, port: number } }} Multicast   from: the only one who may send */

const BYTE = 256;
// Windows delivers what is sent to a group to a socket that is bound to the interface; others tell groups apart by the address.
const BOUND_TO_GROUP = process.platform !== 'win32';

/** @returns {string} of those that leave no organisation: RFC 2365 */
function randomGroup() {
  return `239.${randomInt(BYTE)}.${randomInt(BYTE)}.${1 + randomInt(BYTE - 2)}`;
}

/**
 * @param {{ group: string, port: number }} place   port 0: a free one
 * @param {HostContext | GuestContext} end
 * @param {string} own     address of this end
 */
function openInGroup({ group, port }, end, own) {
  return openDatagramSocket(end, { address: BOUND_TO_GROUP ? group : own, port, reuseAddr: true });
}

/**
 * @param {HostContext} host
 * @returns {Promise<{ multicast: Multicast, publish: (wire: string | Uint8Array) => void, close: () => Promise<void> }>}
 */
export async function openMulticast(host) {
  const group = randomGroup();
  const own = bindAddressOf(host);
  if (isIPv6(own)) {
    const next = 'give the agents IPv4 addresses with --bind, or leave out way=native';
    throw new BenchError('TRANSPORT', `udp publishes to groups of IPv4 only, and ${own} is IPv6: ${next}`);
  }
  const probe = await openInGroup({ group, port: 0 }, host, own);
  const { port } = probe.address();
  probe.close();
  const socket = await openDatagramSocket(host);
  socket.on('error', (error) => host.onError(error));
  socket.setMulticastInterface(own);
  socket.setMulticastLoopback(true);
  socket.setMulticastTTL(own === LOOPBACK ? 0 : 1); // it stays on this host, or on its link
  await connectDatagramSocket(socket, { host: group, port });
  const outlet = new DatagramOutlet(() => {}, socket, host.onError.bind(host));
  return {
    multicast: { group, port, from: { address: own, port: socket.address().port } },
    publish: (wire) => outlet.send(wire),
    close: () => outlet.release(),
  };
}

/**
 * @param {GuestContext} guest
 * @param {Multicast & { own: string }} multicast   own: address of this end
 * @param {(bytes: Buffer) => void} deliver
 * @param {(error: Error) => void} failed
 * @returns {Promise<() => void>} leaves the group
 */
export async function joinMulticast(guest, { group, port, from, own }, deliver, failed) {
  const socket = await openInGroup({ group, port }, guest, own);
  socket.on('error', failed);
  socket.on('message', (bytes, sender) => {
    if (sender.port === from.port && sender.address === from.address) deliver(bytes);
  });
  socket.addMembership(group, own);
  return () => socket.close();
}
