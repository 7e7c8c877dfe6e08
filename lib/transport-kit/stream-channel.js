// A Channel over a byte stream of node:net: framing, flushing, backpressure and hanging up, the same for all stream
// transports. Who may connect is decided before, in sockets.js.

import { FrameReader, FrameWriter, frameBytesBound, frameOf } from './framing.js';

/** @typedef {import('../types.js').Channel} Channel */
/** @typedef {import('../types.js').EndContext} EndContext */
/** @typedef {import('../types.js').Setting} Setting */
/** @typedef {import('node:net').Socket} Socket */

const CLOSE_DEADLINE_MS = 1_000; // after that the other end has stopped reading, and waiting longer helps nobody

/** @type {Record<string, Setting>} */
export const streamSettings = Object.freeze({
  flush: {
    summary: 'direct: one write per message; tick: all messages of one turn of the event loop in one write',
    default: 'direct',
    choices: ['direct', 'tick'],
  },
});

/** @implements {Channel} */
export class StreamChannel {
  /**
   * @param {Socket} socket
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   */
  constructor(socket, end) {
    this.socket = socket;
    this.isTick = end.settings.flush === 'tick';
    this.writer = new FrameWriter();
    this.isFlushScheduled = false;
    this.isClosed = false;
    /** @type {Error | undefined} */
    this.reason = undefined;
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    this.reader = new FrameReader({
      kind: end.wireKind,
      maxBodyBytes: end.maxMessageBytes,
      onFrame: (wire) => this.onMessage(wire),
    });
    this.flush = this.flush.bind(this);
    socket.on('data', (chunk) => this.read(/** @type {Buffer} */ (chunk)));
    socket.on('end', () => this.reader.stop());
    socket.on('error', (error) => {
      this.reason ??= error;
    });
    socket.on('close', () => this.finish());
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    try {
      this.reader.push(chunk);
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'PROTOCOL') throw error;
      this.reason = /** @type {Error} */ (error);
      this.reader.stop();
      this.socket.destroy();
    }
  }

  /**
   * @param {string | Uint8Array} wire
   * @returns {boolean}
   */
  send(wire) {
    const { writer } = this;
    const boundBytes = frameBytesBound(wire);
    if (!writer.hasRoom(boundBytes) && !this.makeRoom(boundBytes)) return this.socket.write(frameOf(wire));
    if (typeof wire === 'string') writer.appendText(wire);
    else writer.appendBytes(wire);
    if (!this.isTick) return this.flush();
    if (!this.isFlushScheduled) {
      this.isFlushScheduled = true;
      process.nextTick(this.flush);
    }
    return !this.socket.writableNeedDrain;
  }

  /**
   * @param {number} bytes
   * @returns {boolean} false: such a frame fits no slab
   */
  makeRoom(bytes) {
    this.flush(); // what waits in the slab comes first
    if (!this.writer.hasRoom(bytes)) this.writer.renew();
    return this.writer.hasRoom(bytes);
  }

  /** @returns {boolean} as send() */
  flush() {
    const { socket, writer } = this;
    this.isFlushScheduled = false;
    if (writer.endByte === writer.startByte) return !socket.writableNeedDrain;
    const goesOn = socket.write(writer.take());
    // Nothing waits in user space: the kernel took a copy of all of it during the call.
    if (socket.writableLength === 0) writer.recycle();
    return goesOn;
  }

  async drained() {
    this.flush();
    const { socket } = this;
    if (!socket.writableNeedDrain || this.isClosed) return;
    await new Promise((resolve) => {
      const settle = () => {
        socket.off('drain', settle);
        socket.off('close', settle);
        resolve(undefined);
      };
      socket.once('drain', settle);
      socket.once('close', settle);
    });
  }

  async close() {
    if (this.isClosed) return;
    const { socket } = this;
    this.flush();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const deadline = setTimeout(() => socket.destroy(), CLOSE_DEADLINE_MS);
    socket.end();
    await closed;
    clearTimeout(deadline);
  }

  finish() {
    if (this.isClosed) return;
    this.isClosed = true;
    this.reader.stop();
    this.onClose(this.reason);
    this.onClose = () => {};
    this.onMessage = () => {};
  }
}
