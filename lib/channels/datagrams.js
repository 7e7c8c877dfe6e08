// The two ends of a launch over UDP. A worker sends a `join` frame (see message-channel.js) with the token of the launch to the listening
// socket, and the master responds from a socket that it opens for this worker alone. This socket and that of the worker are connected to
// each other, so that the kernel drops datagrams of other senders, and messages need no token.

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { BenchError } from '../errors.js';
import { formatCount } from '../format/numbers.js';
import { bindAddressOf, connectOptions, hostAndPort, LOOPBACK } from './addresses.js';
import { beginsLikeControlFrame, joinMaster, publishedTo, receiveWorkers } from './message-channel.js';
import { assertSize, requestedBuffers } from './socket-buffers.js';

/** @import { Channel, EndContext, GuestContext, HostContext, Listener } from '../types/index.js' */
/** @import { MessageChannel, PeerSender } from './message-channel.js' */
/** @import { Socket } from 'node:dgram' */

/** @typedef {{ host: string, port: number }} DatagramAddress */

const BETWEEN = ' '; // separates the address from the multicast group

/** @param {import('node:dgram').RemoteInfo} sender @returns {string} an address for `connectOptions` */
const addressOf = ({ address, port }) => hostAndPort(address, port);

/** Open channels of a worker, by its fork channel. @type {WeakMap<object, Set<MessageChannel>>} */
const channelsOfLines = new WeakMap();

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listenForDatagrams(host) {
  const token = Buffer.from(host.token);
  const listening = await openDatagramSocket(host);
  listening.on('error', (error) => host.onError(error));
  /** @type {Map<string, () => void>} functions that repeat the `joined` frame, by the address of a worker */
  const admitted = new Map();
  const workers = receiveWorkers(host, async (channel, workerId, /** @type {string} */ address) => {
    const peer = /** @type {DatagramAddress} */ (connectOptions(address));
    let joinedFrame = '';
    admitted.set(address, () => {
      if (joinedFrame !== '') sender.sendOnce(joinedFrame);
    });
    const socket = await openDatagramSocket(host);
    const refused = channel.breakOff.bind(channel);
    const sender = new DatagramSendQueue((frame) => socket.send(frame), socket, refused);
    watch(channel, socket);
    socket.on('message', (bytes, from) => {
      // The kernel may have received the datagram before the socket was connected.
      if (from.port !== peer.port) return host.onRejected(`wrote to the socket of ${workerId}`);
      sender.stopRepeating();
      if (beginsLikeControlFrame(bytes, token)) workers.receiveControl(bytes, address);
      else channel.deliver(bytes);
    });
    await connectDatagramSocket(socket, peer);
    return {
      send: (wire) => sender.send(wire),
      sendControl(frame) {
        // The first frame is `joined`. The worker repeats its `join` frame until it gets `joined`, so this end sends `joined` once for each of
        // them, without a timer. Later frames are repeated by a timer.
        if (joinedFrame !== '') return sender.sendControl(frame);
        joinedFrame = frame;
        sender.sendOnce(frame);
      },
      async release() {
        admitted.delete(address);
        await sender.release();
      },
    };
  });
  listening.on('message', (bytes, sender) => {
    const from = addressOf(sender);
    const repeatJoined = admitted.get(from);
    if (repeatJoined === undefined) workers.receiveControl(bytes, from);
    else repeatJoined();
  });
  const { port } = listening.address();
  const toAll = host.isPublished ? await openMulticast(host) : null;
  /** @type {Promise<void> | undefined} */
  let closed;
  const close = async () => {
    await workers.close();
    closed ??= Promise.all([
      new Promise((resolve) => listening.close(() => resolve(undefined))),
      toAll?.close(),
    ]).then(() => {});
    await closed;
  };
  const address = hostAndPort(bindAddressOf(host), port);
  if (toAll === null) return { address, close };
  const withGroup = [address, JSON.stringify(toAll.multicast)].join(BETWEEN);
  return { address: withGroup, close, publisher: () => publishedTo(workers.channels(), toAll.publish) };
}

/** @param {GuestContext} guest @returns {Promise<Channel>} */
export function joinByDatagrams(guest) {
  const token = Buffer.from(guest.token);
  const [address, multicast] = guest.address.split(BETWEEN);
  const listener = /** @type {DatagramAddress} */ (connectOptions(address));
  return joinMaster(guest, async (channel, receiveControl) => {
    const own = await addressTowards(listener);
    const socket = await openDatagramSocket(guest, { address: own });
    let masterPort = 0;
    let isConnected = false;
    const refused = channel.breakOff.bind(channel);
    /** @param {string} frame */
    const sendOnce = (frame) => {
      if (isConnected) socket.send(frame);
      else socket.send(frame, listener.port, listener.host);
    };
    const sender = new DatagramSendQueue(sendOnce, socket, refused);
    watch(channel, socket);
    /** @param {number} port */
    const meet = async (port) => {
      masterPort = port;
      await connectDatagramSocket(socket, { host: listener.host, port });
      isConnected = true;
    };
    socket.on('message', (bytes, { port }) => {
      if (beginsLikeControlFrame(bytes, token)) {
        sender.stopRepeating();
        // The master sends its first frame from the socket that it opened for this worker.
        if (masterPort === 0) meet(port).then(() => receiveControl(bytes), refused);
        else if (isConnected) receiveControl(bytes);
      } else if (port === masterPort) {
        channel.deliver(bytes);
      }
    });
    endWithLine(channel, guest.line);
    if (multicast === undefined) return sender;
    /** @param {Buffer} bytes */
    const deliver = (bytes) => channel.deliver(bytes);
    const group = { ...JSON.parse(multicast), own };
    const leave = await joinMulticast(guest, group, deliver, refused);
    const release = () => {
      leave();
      return sender.release();
    };
    return { send: (wire) => sender.send(wire), sendControl: (frame) => sender.sendControl(frame), release };
  });
}

/**
 * Breaks off the channel when the fork channel closes, since no datagram shows that the master has ended.
 * @param {MessageChannel} channel
 * @param {GuestContext['line']} line
 */
function endWithLine(channel, line) {
  const channels = channelsOfLines.get(line) ?? new Set();
  channelsOfLines.set(line, channels);
  channels.add(channel);
  line.onDisconnect = () => {
    for (const each of channels) each.breakOff(new BenchError('TRANSPORT', 'the master is gone'));
  };
  channel.onReleased = () => channels.delete(channel);
}

/** @param {MessageChannel} channel @param {Socket} socket */
function watch(channel, socket) {
  channel.windowBytes = Number.POSITIVE_INFINITY; // a dropped datagram is never reported as read, so a window would fill up for good
  // The kernel reports a write to a closed port as an error.
  socket.on('error', (error) => {
    channel.breakOff(new BenchError('TRANSPORT', `lost ${channel.peer}: ${error.message}`));
  });
}

// Publishing sends one datagram to a multicast group that all workers have joined. It uses the interface of the address at which the
// master listens. Every process on the host or the link can join the group and read the messages, since multicast has no authentication.

/** @typedef {{ group: string, port: number, from: { address: string, port: number } }} Multicast   `from` is the master's socket */

const BYTE = 256;
// On Windows a socket cannot be bound to a group; elsewhere a socket bound to the address of an interface gets no multicast.
const BOUND_TO_GROUP = process.platform !== 'win32';

/** @returns {string} an administratively scoped group (RFC 2365) */
function randomGroup() {
  return `239.${randomInt(BYTE)}.${randomInt(BYTE)}.${1 + randomInt(BYTE - 2)}`;
}

/**
 * @param {{ group: string, port: number }} multicast   port 0 selects a free port
 * @param {HostContext | GuestContext} end
 * @param {string} address
 */
function openInGroup({ group, port }, end, address) {
  return openDatagramSocket(end, { address: BOUND_TO_GROUP ? group : address, port, reuseAddr: true });
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
  socket.setMulticastTTL(own === LOOPBACK ? 0 : 1); // limits datagrams to this host, or to its link
  await connectDatagramSocket(socket, { host: group, port });
  const sender = new DatagramSendQueue(() => {}, socket, host.onError.bind(host));
  return {
    multicast: { group, port, from: { address: own, port: socket.address().port } },
    publish: (wire) => sender.send(wire),
    close: () => sender.release(),
  };
}

/**
 * @param {GuestContext} guest
 * @param {Multicast & { own: string }} multicast   `own` is the address of this end
 * @param {(bytes: Buffer) => void} deliver
 * @param {(error: Error) => void} failed
 * @returns {Promise<() => void>} leaves the group
 */
async function joinMulticast(guest, { group, port, from, own }, deliver, failed) {
  const socket = await openInGroup({ group, port }, guest, own);
  socket.on('error', failed);
  socket.on('message', (bytes, sender) => {
    if (sender.port === from.port && sender.address === from.address) deliver(bytes);
  });
  socket.addMembership(group, own);
  return () => socket.close();
}

/** @param {string} address */
const familyOf = (address) => (isIPv6(address) ? 'udp6' : 'udp4');

/**
 * @param {Pick<EndContext, 'settings'> & { bindAddress?: string }} end
 * @param {{ address?: string, port?: number, reuseAddr?: boolean }} [binding]
 * @returns {Promise<Socket>} bound to `binding`, by default to a free port at the address of `end`
 * @throws {import('../errors.js').BenchError} TRANSPORT if the system sets other buffer sizes than those of the cell
 */
export async function openDatagramSocket(
  end,
  { address = bindAddressOf(end), port = 0, reuseAddr = false } = {},
) {
  const socket = createSocket({ type: familyOf(address), reuseAddr });
  await new Promise((resolve, reject) => {
    /** @param {Error} error */
    const fail = (error) => {
      socket.close();
      reject(error);
    };
    socket.once('error', fail);
    socket.bind({ address, port }, () => {
      socket.off('error', fail);
      resolve(undefined);
    });
  });
  try {
    for (const request of requestedBuffers(end.settings)) {
      if (request.option === 'rcvbuf') {
        socket.setRecvBufferSize(request.bytes);
        assertSize(request, socket.getRecvBufferSize());
      } else {
        socket.setSendBufferSize(request.bytes);
        assertSize(request, socket.getSendBufferSize());
      }
    }
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}

/**
 * Connects a socket to a peer. From then on, the kernel drops datagrams of other senders.
 * @param {Socket} socket
 * @param {{ host: string, port: number }} peer
 * @returns {Promise<void>}
 */
function connectDatagramSocket(socket, { host, port }) {
  return new Promise((resolve, reject) => {
    /** @param {Error | undefined} error */
    const done = (error) => (error ? reject(error) : resolve());
    socket.connect(port, host, /** @type {any} */ (done)); // the types lack the error
  });
}

/**
 * @param {{ host: string, port: number }} peer
 * @returns {Promise<string>} the local address that the system selects to reach the peer
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

// 65,535 minus the headers of IPv4 (20) and UDP (8), RFC 768; macOS sets a lower limit: sysctl net.inet.udp.maxdgram
export const MAX_DATAGRAM_BYTES = process.platform === 'darwin' ? 9_216 : 65_507;
const UTF8_BYTES_PER_UNIT = 3; // at most, per UTF-16 code unit
const REPEAT_MS = 100;

/** Sends a message once, and a control frame repeatedly until `stopRepeating` is called. @implements {PeerSender} */
export class DatagramSendQueue {
  /**
   * @param {(frame: string) => void} sendOnce
   * @param {Socket} socket                 connected before the first message
   * @param {(reason: BenchError) => void} refused   called with PROTOCOL for a message that does not fit into a datagram, which
   *   the socket would drop silently
   */
  constructor(sendOnce, socket, refused) {
    this.sendOnce = sendOnce;
    this.socket = socket;
    this.refused = refused;
    /** @type {NodeJS.Timeout | undefined} */
    this.repeating = undefined;
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    const mayBeTooLong = wire.length * UTF8_BYTES_PER_UNIT > MAX_DATAGRAM_BYTES;
    const error = mayBeTooLong ? tooLongError(wire) : null;
    if (error === null) this.socket.send(wire);
    else this.refused(error);
  }

  /** @param {string} frame */
  sendControl(frame) {
    this.stopRepeating();
    this.sendOnce(frame);
    this.repeating = setInterval(() => this.sendOnce(frame), REPEAT_MS);
  }

  stopRepeating() {
    if (this.repeating === undefined) return;
    clearInterval(this.repeating);
    this.repeating = undefined;
  }

  /** @returns {Promise<void>} */
  release() {
    this.stopRepeating();
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** @param {string | Uint8Array} wire @returns {BenchError | null} null if it fits into a datagram */
function tooLongError(wire) {
  const bytes = typeof wire === 'string' ? Buffer.byteLength(wire) : wire.length;
  if (bytes <= MAX_DATAGRAM_BYTES) return null;
  const [given, greatest] = [bytes, MAX_DATAGRAM_BYTES].map(formatCount);
  return new BenchError(
    'PROTOCOL',
    `a message of ${given} bytes exceeds the greatest datagram (${greatest} bytes): choose a smaller --payload`,
  );
}
