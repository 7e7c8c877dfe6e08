// How a worker and the master find each other over UDP: the worker asks at the listening socket, with the launch's token;
// the master answers from a socket that it opens for this worker alone. The two connect to each other, so that the kernel
// keeps everybody else out, and data goes as it is.

import { BenchError } from '../errors.js';
import { joinMulticast, openMulticast } from './datagram-multicast.js';
import { DatagramOutlet } from './datagram-outlet.js';
import { addressTowards, connectDatagramSocket, openDatagramSocket } from './datagram-socket.js';
import { joinMaster, receiveWorkers } from './message-joining.js';
import { beginsLikeNote } from './note.js';
import { publishedTo } from './published-to.js';
import { bindAddressOf, hostAndPort, placeOf } from './reach.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */
/** @import { MessageChannel } from './message-channel.js' */
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
    const peer = /** @type {Peer} */ (placeOf(address));
    let joinedNote = '';
    admitted.set(address, () => {
      if (joinedNote !== '') outlet.say(joinedNote);
    });
    const socket = await openDatagramSocket(host);
    const refused = channel.breakOff.bind(channel);
    const outlet = new DatagramOutlet((note) => socket.send(note), socket, refused);
    watch(channel, socket);
    socket.on('message', (bytes, from) => {
      // It may have come before the socket was connected.
      if (from.port !== peer.port) return host.onStranger(`wrote to the socket of ${workerId}`);
      outlet.quiet();
      if (beginsLikeNote(bytes, token)) workers.hear(bytes, address);
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
  const listener = /** @type {Peer} */ (placeOf(address));
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
    const outlet = new DatagramOutlet(say, socket, refused);
    watch(channel, socket);
    const meet = async (/** @type {number} */ port) => {
      masterPort = port;
      await connectDatagramSocket(socket, { host: listener.host, port });
      isConnected = true;
    };
    socket.on('message', (bytes, { port }) => {
      if (beginsLikeNote(bytes, token)) {
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

/**
 * @param {MessageChannel} channel    which no datagram tells that the master is gone
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
  channel.windowBytes = Number.POSITIVE_INFINITY; // the system drops what is not read: nobody can wait for it
  // The system tells a process that writes to a closed port.
  socket.on('error', (error) => {
    channel.breakOff(new BenchError('TRANSPORT', `lost ${channel.peer}: ${error.message}`));
  });
}
