// A Channel over byte streams of node:net: framing, flushing, backpressure and hanging up, the same for all stream
// transports. Who may connect is decided before, in handshake.js.

import { BaseChannel, waitForDrain } from './base-channel.js';
import { carryMessages, FrameError, HEADER_BYTES, makeFrameReader, wireFraming } from './framing.js';

/** @import { Channel, Codec, EndContext } from '../types/index.js' */
/** @import { Socket } from 'node:net' */
/**
 * What the sending side needs of a stream; a Socket is one.
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

/** @implements {Channel} */
export class StreamChannel extends BaseChannel {
  /**
   * @param {Socket} source
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   * @param {Sink} [sink]     where a conversation has a stream for each direction; the same socket otherwise
   */
  constructor(source, end, sink = source) {
    super();
    this.source = source;
    this.sink = sink;
    this.isLead = end.settings.flush === 'lead';
    this.isTick = this.isLead || end.settings.flush === 'tick';
    this.out = end.settings.flush === 'split' ? new SplitWriter(sink) : sink;
    this.writer = new FrameWriter();
    this.isFlushScheduled = false;
    this.reader = makeFrameReader(end, (wire) => this.onMessage(wire));
    this.flush = this.flush.bind(this);
    this.openStreams = 0;
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

  /** @param {Pick<Codec, 'encode' | 'inPlace'>} codec */
  carry(codec) {
    return carryMessages(codec, this.writer, this.reader);
  }

  /** @param {any} wire   or a message, once it carries those */
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
    if (this.sink.writableNeedDrain && this.isOpen) await waitForDrain(this.sink);
  }

  /** @override */
  async leave() {
    if (!this.isOpen) return;
    this.flush();
    this.sink.end();
    await this.closedInTime(() => this.destroy());
  }

  destroy() {
    this.source.destroy();
    this.sink.destroy();
  }

  finish() {
    this.reader.stop();
    this.settle();
  }
}

// Writes frames one behind the other into a slab, so that sending costs no Buffer per message. The owner takes what is
// there with `take()`, and calls `recycle()` when nobody reads the slab any more.
// Room for some hundred small frames of one turn; larger frames get a buffer of their own.
const SLAB_BYTES = 65_536;

export class FrameWriter {
  constructor() {
    this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.startByte = 0;
    this.endByte = 0;
    this.lastView = this.slab.subarray(0, 0);
    this.framing = wireFraming;
  }

  /** @param {number} bytes of the next frame, at most; */
  hasRoom(bytes) {
    return SLAB_BYTES - this.endByte >= bytes;
  }

  /** A fresh slab: the old one may still be on its way to the kernel. */
  renew() {
    this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.startByte = 0;
    this.endByte = 0;
    this.lastView = this.slab.subarray(0, 0);
  }

  /** Starts again at the front of the slab. Only when all that was taken has been copied by the kernel. */
  recycle() {
    this.startByte = 0;
    this.endByte = 0;
  }

  /** @param {any} sent   the caller made sure that its frame has room, at its bound */
  append(sent) {
    this.endByte += this.framing.write(this.slab, this.endByte, sent);
  }

  /** @returns {Buffer} all frames appended since the last call, as a view of the slab */
  take() {
    const { startByte, endByte, lastView } = this;
    this.startByte = endByte;
    // Messages of one cell have one size: at the front of the slab the view of the last one fits again.
    if (startByte === 0 && endByte === lastView.length) return lastView;
    const view = this.slab.subarray(startByte, endByte);
    if (startByte === 0) this.lastView = view;
    return view;
  }
}

// Head and body of each frame in a write of their own: what a program does that sends a length, and then what it is the
// length of.
const KEPT_BYTES = 65_536; // frames of one slab; a view of a larger one would keep it from being freed
/** @type {Buffer} */
const NOTHING = Buffer.alloc(0);

export class SplitWriter {
  /** @param {{ write: (bytes: Buffer) => boolean }} sink */
  constructor(sink) {
    this.sink = sink;
    this.lastFrame = NOTHING;
    this.lastHead = NOTHING;
    this.lastBody = NOTHING;
    // With a backlog, Node would gather heads and bodies into one writev. It does without where there is none to call.
    /** @type {any} */ (sink)._writev = null;
  }

  /** @param {Buffer} frame   one, and often the very view of the last time */
  write(frame) {
    const { sink } = this;
    if (frame === this.lastFrame) {
      sink.write(this.lastHead);
      return sink.write(this.lastBody);
    }
    const head = frame.subarray(0, HEADER_BYTES);
    const body = frame.subarray(HEADER_BYTES);
    if (frame.length <= KEPT_BYTES) {
      this.lastFrame = frame;
      this.lastHead = head;
      this.lastBody = body;
    }
    sink.write(head);
    return sink.write(body);
  }
}
