// Worker threads of the master, and postMessage over a MessageChannel per thread. With the codec v8, messages are posted as objects, since
// a port performs structured clone; with other codecs, their text or bytes are posted.

import { BaseChannel, MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from '../lib/channels/base-channel.js';
import { givePort, takePort } from '../lib/channels/fork-channel.js';
import { streamTraits } from '../lib/channels/shared-traits.js';

/** @import { Channel, EndContext, ForkLine, Setting, Transport } from '../lib/types/index.js' */
/** @import { MessagePort } from 'node:worker_threads' */

/** @typedef {Pick<EndContext, 'wireKind' | 'settings' | 'maxMessageBytes' | 'tasks'>} PortEnd */

/** @type {Record<string, Setting>} */
const portSettings = Object.freeze({
  transfer: {
    summary:
      'for bytes: true transfers the memory of a copy, or of the payload itself for task:data=bytes; false posts them as they ' +
      'are, and the whole memory of a view is cloned, for small Buffers a pool of 8 KiB',
    default: true,
  },
});

/**
 * Opens the master's end when the thread requests a port.
 * @param {ForkLine} line
 * @param {PortEnd} end
 * @param {(channel: Channel) => void} onChannel
 */
function adoptThread(line, end, onChannel) {
  givePort(line, {}, (port) => onChannel(new PortChannel(port, end)));
}

/** Requests a port from the master, and opens the thread's end. @param {ForkLine} line @param {PortEnd} end @returns {Promise<Channel>} */
async function joinFromThread(line, end) {
  const { port } = await takePort(line);
  return new PortChannel(port, end);
}

/** @implements {Channel} */
class PortChannel extends BaseChannel {
  /** @param {MessagePort} port @param {PortEnd} end */
  constructor(port, { wireKind, settings, maxMessageBytes, tasks }) {
    super({ maxMessageBytes: wireKind === 'value' ? undefined : maxMessageBytes });
    this.port = port;
    this.mostBytes = this.maxMessageBytes + MESSAGE_OVERHEAD_BYTES;
    this.transfers = wireKind === 'bytes' && settings.transfer === true;
    this.transfersPayload = wireKind === 'value' && settings.transfer === true && tasks?.isBytes === true;
    this.bytesOf = wireKind === 'value' ? bytesOfValue : bytesOfWire;
    this.unreadBytes = 0;
    this.unreportedBytes = 0;
    port.on('close', () => this.settle());
    port.on('messageerror', (error) => {
      this.reason = error;
      port.close();
    });
    port.on('message', (wire) => this.receive(wire));
  }

  /** @param {any} wire */
  send(wire) {
    if (!this.isOpen) return false;
    this.unreadBytes += this.bytesOf(wire); // before the transfer, which sets the length to 0
    if (this.transfers) {
      // Posts a copy, since a wire may be a view of memory that the codec still needs.
      const copy = new Uint8Array(wire);
      this.port.postMessage(copy, [copy.buffer]);
    } else if (this.transfersPayload) {
      this.port.postMessage(wire, [wire.payload.buffer]);
    } else this.port.postMessage(wire);
    return this.unreadBytes < WINDOW_BYTES;
  }

  /** @param {any} wire   a message, or the number of bytes that the other end has read since its last report */
  receive(wire) {
    if (typeof wire === 'number') return this.makeRoom(wire);
    const bytes = this.bytesOf(wire);
    if (bytes > this.mostBytes) return this.refuse(bytes - MESSAGE_OVERHEAD_BYTES);
    this.onMessage(wire);
    this.unreportedBytes += bytes;
    if (this.unreportedBytes < WINDOW_BYTES / 2) return;
    this.port.postMessage(this.unreportedBytes);
    this.unreportedBytes = 0;
  }

  /** @param {number} bytes */
  refuse(bytes) {
    this.reason = this.sizeError(bytes);
    this.onMessage = () => {}; // later messages are dropped
    this.port.close();
  }

  /** @param {number} bytes */
  makeRoom(bytes) {
    this.unreadBytes -= bytes;
    if (this.unreadBytes < WINDOW_BYTES) this.resumeSenders();
  }

  async drained() {
    if (!this.isOpen || this.unreadBytes < WINDOW_BYTES) return;
    await this.waitForRoom();
  }

  /** @override */
  async leave() {
    this.isOpen = false;
    this.port.close(); // posted messages still arrive
    await this.closed;
  }
}

/** @param {string | Uint8Array} wire */
function bytesOfWire(wire) {
  return wire.length + MESSAGE_OVERHEAD_BYTES;
}

/** @param {Record<string, unknown>} value   only texts and bytes at the top level are counted */
function bytesOfValue(value) {
  let bytes = MESSAGE_OVERHEAD_BYTES;
  for (const key in value) {
    const part = value[key];
    if (typeof part === 'string' || part instanceof Uint8Array) bytes += part.length;
  }
  return bytes;
}

/** @type {Transport} */
export default {
  name: 'threads-message',
  summary: 'worker threads, not processes: postMessage over a MessageChannel',
  traits: {
    ...streamTraits,
    class: 'thread',
    reach: 'host',
    usesForkHandles: true,
    guarantee: 'ordered and complete while the one process lives: its ends are threads',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/worker_threads.html#portpostmessagevalue-transferlist',
      'https://nodejs.org/docs/latest-v20.x/api/worker_threads.html#considerations-when-transferring-typedarrays-and-buffers',
    ],
  },
  look: { hue: 'pink', marker: 'circle' },
  carries: ['value', 'text', 'bytes'],
  serialises: ['v8'],
  settings: portSettings,
  async listen(host) {
    return {
      address: 'thread',
      fork: { thread: true },
      adopt: (line, workerId) => adoptThread(line, host, (channel) => host.onChannel(channel, workerId)),
      async close() {}, // the port closes when the thread ends
    };
  },
  connect: (guest) => joinFromThread(guest.line, guest),
};
