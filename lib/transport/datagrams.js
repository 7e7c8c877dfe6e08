// How a worker and the master find each other over UDP: the worker asks at the listening socket, with the launch's token;
// the master answers from a socket that it opens for this worker alone. The two connect to each other, so that the kernel
// keeps everybody else out, and data goes as it is.

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { BenchError } from '../errors.js';
import { formatCount } from '../format/numbers.js';
import { bindAddressOf, connectOptions, hostAndPort, LOOPBACK } from './admission.js';
import { beginsLikeControlFrame, joinMaster, publishedTo, receiveWorkers } from './message-channel.js';
import { assertGiven, bufferWishes } from './socket-buffers.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */
/** @import { MessageChannel, Outlet } from './message-channel.js' */
/** @import { Socket } from 'node:dgram' */

/** @typedef {{ host: string, port: number }} Peer */

const BETWEEN = ' '; // an address, and the group of what goes to all

/** @param {import('node:dgram').RemoteInfo} sender @returns {string} as placeOf reads it */
const addressOf = ({ address, port }) => hostAndPort(address, port);

/** What a worker has over each line: it may talk over several channels at once. @type {WeakMap<object, Set<MessageChannel>>} */
const channelsOfLines = new WeakMap();

/** @param {HostContext} host @returns {Promise<import('../types/transports.js').Listener>} */
export async function listenForDatagrams(host) {
  const token = Buffer.from(host.token);
  const listening = await openDatagramSocket(host);
  listening.on('error', (error) => host.onError(error));
  /** @type {Map<string, () => void>} address of a worker → tells it once more that it is in */
  const admitted = new Map();
  const workers = receiveWorkers(host, async (channel, workerId, /** @type {string} */ address) => {
    const peer = /** @type {Peer} */ (connectOptions(address));
    let joinedNote = '';
    admitted.set(address, () => {
      if (joinedNote !== '') outlet.say(joinedNote);
    });
    const socket = await openDatagramSocket(host);
    const refused = channel.breakOff.bind(channel);
    const outlet = new DatagramSendQueue((note) => socket.send(note), socket, refused);
    watch(channel, socket);
    socket.on('message', (bytes, from) => {
      // It may have come before the socket was connected.
      if (from.port !== peer.port) return host.onRejected(`wrote to the socket of ${workerId}`);
      outlet.quiet();
      if (beginsLikeControlFrame(bytes, token)) workers.hear(bytes, address);
      else channel.deliver(bytes);
    });
    await connectDatagramSocket(socket, peer);
    return {
      send: (wire) => outlet.send(wire),
      sendNote(note) {
        // A worker asks until it hears that it is in: this end need not repeat it.
        if (joinedNote !== '') return outlet.sendNote(note);
        joinedNote = note;
        outlet.say(note);
      },
      async release() {
        admitted.delete(address);
        await outlet.release();
      },
    };
  });
  listening.on('message', (bytes, sender) => {
    const from = addressOf(sender);
    const tellAgain = admitted.get(from);
    if (tellAgain === undefined) workers.hear(bytes, from);
    else tellAgain();
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

/** @param {GuestContext} guest @returns {Promise<import('../types/transports.js').Channel>} */
export function joinByDatagrams(guest) {
  const token = Buffer.from(guest.token);
  const [address, multicast] = guest.address.split(BETWEEN);
  const listener = /** @type {Peer} */ (connectOptions(address));
  return joinMaster(guest, async (channel, hear) => {
    const own = await addressTowards(listener);
    const socket = await openDatagramSocket(guest, { address: own });
    let masterPort = 0;
    let isConnected = false;
    const refused = channel.breakOff.bind(channel);
    const say = (/** @type {string} */ note) => {
      if (isConnected) socket.send(note);
      else socket.send(note, listener.port, listener.host);
    };
    const outlet = new DatagramSendQueue(say, socket, refused);
    watch(channel, socket);
    const meet = async (/** @type {number} */ port) => {
      masterPort = port;
      await connectDatagramSocket(socket, { host: listener.host, port });
      isConnected = true;
    };
    socket.on('message', (bytes, { port }) => {
      if (beginsLikeControlFrame(bytes, token)) {
        outlet.quiet();
        // The first word of the master comes from the socket that it opened for us.
        if (masterPort === 0) meet(port).then(() => hear(bytes), refused);
        else if (isConnected) hear(bytes);
      } else if (port === masterPort) {
        channel.deliver(bytes);
      }
    });
    endWithLine(channel, guest.line);
    if (multicast === undefined) return outlet;
    const deliver = (/** @type {Buffer} */ bytes) => channel.deliver(bytes);
    const group = { ...JSON.parse(multicast), own };
    const leave = await joinMulticast(guest, group, deliver, refused);
    const release = () => {
      leave();
      return outlet.release();
    };
    return { send: (wire) => outlet.send(wire), sendNote: (note) => outlet.sendNote(note), release };
  });
}

/** @param {MessageChannel} channel    which no datagram tells that the master is gone @param {GuestContext['line']} line */
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
  channel.windowBytes = Number.POSITIVE_INFINITY; // the system drops what is not read: nobody can wait for it
  // The system tells a process that writes to a closed port.
  socket.on('error', (error) => {
    channel.breakOff(new BenchError('TRANSPORT', `lost ${channel.peer}: ${error.message}`));
  });
}

// What goes to all workers at once over UDP: one datagram to a group that each of them has joined, on the interface of the
// address that the master listens at.

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
  const outlet = new DatagramSendQueue(() => {}, socket, host.onError.bind(host));
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
async function joinMulticast(guest, { group, port, from, own }, deliver, failed) {
  const socket = await openInGroup({ group, port }, guest, own);
  socket.on('error', failed);
  socket.on('message', (bytes, sender) => {
    if (sender.port === from.port && sender.address === from.address) deliver(bytes);
  });
  socket.addMembership(group, own);
  return () => socket.close();
}

// UDP sockets of one address of this machine, with the buffers that a cell asks for.

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
    const fail = (/** @type {Error} */ error) => {
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
function connectDatagramSocket(socket, { host, port }) {
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

// The way to one peer over UDP. A message is sent once, and what becomes of it nobody knows. A note is repeated until
// something comes back.

// 65,535 less the headers of IPv4 (20) and UDP (8), RFC 768; macOS sets a lower limit: sysctl net.inet.udp.maxdgram
export const GREATEST_DATAGRAM_BYTES = process.platform === 'darwin' ? 9_216 : 65_507;
const UTF8_BYTES_PER_UNIT = 3; // at most
const REPEAT_MS = 100;

/** @implements {Outlet} */
export class DatagramSendQueue {
  /**
   * @param {(note: string) => void} say    once
   * @param {Socket} socket                 connected before the first message
   * @param {(reason: BenchError) => void} refused   PROTOCOL: no datagram holds a message. The socket would drop it without a word
   */
  constructor(say, socket, refused) {
    this.say = say;
    this.socket = socket;
    this.refused = refused;
    /** @type {NodeJS.Timeout | undefined} */
    this.repeating = undefined;
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    const mayBeTooLong = wire.length * UTF8_BYTES_PER_UNIT > GREATEST_DATAGRAM_BYTES;
    const misfit = mayBeTooLong ? sizeError(wire) : null;
    if (misfit === null) this.socket.send(wire);
    else this.refused(misfit);
  }

  /** @param {string} note   repeated until `quiet` */
  sendNote(note) {
    this.quiet();
    this.say(note);
    this.repeating = setInterval(() => this.say(note), REPEAT_MS);
  }

  /** Something came from the peer. */
  quiet() {
    if (this.repeating === undefined) return;
    clearInterval(this.repeating);
    this.repeating = undefined;
  }

  /** @returns {Promise<void>} */
  release() {
    this.quiet();
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** @param {string | Uint8Array} wire @returns {BenchError | null} null: a datagram holds it */
function sizeError(wire) {
  const bytes = typeof wire === 'string' ? Buffer.byteLength(wire) : wire.length;
  if (bytes <= GREATEST_DATAGRAM_BYTES) return null;
  const [given, greatest] = [bytes, GREATEST_DATAGRAM_BYTES].map(formatCount);
  return new BenchError(
    'PROTOCOL',
    `a message of ${given} bytes exceeds the greatest datagram (${greatest} bytes): choose a smaller --payload`,
  );
}
