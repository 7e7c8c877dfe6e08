// A Channel over byte streams of node:net: framing, flushing, backpressure and hanging up, the same for all stream
// transports. Who may connect is decided before, in greeting.js.

import { drainOf } from './drain-of.js';
import { FrameWriter } from './frame-writer.js';
import { FrameError } from './framing.js';
import { carryMessages, frameReaderOf, inPlaceSetting } from './framings.js';
import { SplitWriter } from './split-writer.js';

/** @import { Channel, Codec, EndContext, Setting } from '../types/index.js' */
/** @import { Socket } from 'node:net' */
/**
 * What is asked of the stream on which is sent; a Socket is one.
 * @typedef {object} Sink
 * @property {(bytes: Buffer) => boolean} write
 * @property {() => unknown} end
 * @property {() => unknown} destroy
 * @property {(event: string, listener: (...parts: any[]) => void) => any} on
 * @property {(event: string, listener: (...parts: any[]) => void) => any} once
 * @property {(event: string, listener: (...parts: any[]) => void) => any} off
 * @property {number} writableLength
 * @property {boolean} writableNeedDrain
 */

const CLOSE_DEADLINE_MS = 1_000; // after that the other end has stopped reading, and waiting longer helps nobody

/** @type {Record<string, Setting>} */
export const streamSettings = Object.freeze({
  flush: {
    summary:
      'direct: one write per message; tick: all messages of one turn of the event loop in one write; ' +
      'lead: the first message of a turn at once, the others of it in one write; split: head and body of each message in a write of their own',
    default: 'direct',
    choices: ['direct', 'tick', 'lead', 'split'],
    changesTheWay: true,
  },
  inPlace: inPlaceSetting,
});

/** @implements {Channel} */
export class StreamChannel {
  /**
   * @param {Socket} source
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   * @param {Sink} [sink]     where a conversation has a stream for each direction; the same socket otherwise
   */
  constructor(source, end, sink = source) {
    this.source = source;
    this.sink = sink;
    this.isLead = end.settings.flush === 'lead';
    this.isTick = this.isLead || end.settings.flush === 'tick';
    this.out = end.settings.flush === 'split' ? new SplitWriter(sink) : sink;
    this.writer = new FrameWriter();
    this.isFlushScheduled = false;
    this.isClosed = false;
    /** @type {Error | undefined} */
    this.reason = undefined;
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    this.reader = frameReaderOf(end, (wire) => this.onMessage(wire));
    this.flush = this.flush.bind(this);
    this.openStreams = 0;
    this.tellClosed = () => {};
    /** @type {Promise<void>} */
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    source.on('data', (chunk) => this.read(/** @type {Buffer} */ (chunk)));
    source.on('end', () => this.endReading());
    this.watch(source);
    if (sink !== source) this.watch(sink);
  }

  /** @param {Sink} stream */
  watch(stream) {
    this.openStreams += 1;
    stream.on('error', (/** @type {Error} */ error) => {
      this.reason ??= error;
    });
    stream.on('close', () => {
      this.openStreams -= 1;
      // Half a conversation is none: what the other end does not read any more need not be written, and so on.
      if (this.openStreams > 0) this.destroy();
      else this.finish();
    });
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    try {
      this.reader.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.reason = error;
      this.reader.stop();
      this.destroy();
    }
  }

  /** The other end writes nothing more. */
  endReading() {
    this.reason ??= this.reader.cutOff();
    this.reader.stop();
  }

  /** @param {Pick<Codec, 'encode' | 'inPlace'>} codec @returns {boolean} */
  carry(codec) {
    return carryMessages(codec, this.writer, this.reader);
  }

  /** @param {any} wire   or a message, once it carries those @returns {boolean} */
  send(wire) {
    const { writer } = this;
    const boundBytes = writer.framing.bound(wire);
    if (!writer.hasRoom(boundBytes) && !this.makeRoom(boundBytes))
      return this.out.write(writer.framing.whole(wire));
    writer.append(wire);
    if (!this.isTick) return this.flush();
    if (!this.isFlushScheduled) {
      if (this.isLead) this.flush();
      this.isFlushScheduled = true;
      process.nextTick(this.flush);
    }
    return !this.sink.writableNeedDrain;
  }

  /** @param {number} bytes @returns {boolean} false: such a frame fits no slab */
  makeRoom(bytes) {
    this.flush(); // what waits in the slab comes first
    if (!this.writer.hasRoom(bytes)) this.writer.renew();
    return this.writer.hasRoom(bytes);
  }

  /** @returns {boolean} as send() */
  flush() {
    const { sink, writer } = this;
    this.isFlushScheduled = false;
    if (writer.endByte === writer.startByte) return !sink.writableNeedDrain;
    const goesOn = this.out.write(writer.take());
    // Nothing waits in user space: the kernel took a copy of all of it during the call.
    if (sink.writableLength === 0) writer.recycle();
    return goesOn;
  }

  async drained() {
    this.flush();
    if (this.sink.writableNeedDrain && !this.isClosed) await drainOf(this.sink);
  }

  async close() {
    if (this.isClosed) return;
    this.flush();
    const deadline = setTimeout(() => this.destroy(), CLOSE_DEADLINE_MS);
    this.sink.end();
    await this.closed;
    clearTimeout(deadline);
  }

  destroy() {
    this.source.destroy();
    this.sink.destroy();
  }

  finish() {
    this.isClosed = true;
    this.reader.stop();
    this.onClose(this.reason);
    this.onClose = () => {};
    this.onMessage = () => {};
    this.tellClosed();
  }
}
