// A Channel over byte streams of node:net: framing, flushing, backpressure and disconnecting, the same for all stream transports.
// Except for stdio, handshake.js authenticates the peer first.

import { BaseChannel, waitForDrain } from './base-channel.js';
import { carryMessages, FrameError, HEADER_BYTES, makeFrameReader, wireFraming } from './framing.js';

/** @import { Channel, Codec, EndContext } from '../types/index.js' */
/** @import { Socket } from 'node:net' */
/**
 * The part of a Socket that the sending side needs.
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
   * @param {Sink} [sink]     set if each direction has a separate stream
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
    source.on('data', (chunk) => this.read(chunk));
    source.on('end', () => this.endReading());
    this.watch(source);
    if (sink !== source) this.watch(sink);
  }

  /** @param {Sink} stream */
  watch(stream) {
    this.openStreams += 1;
    stream.on('error', (error) => {
      this.reason ??= error;
    });
    stream.on('close', () => {
      this.openStreams -= 1;
      // A channel needs both directions, so the end of one stream closes the other.
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

  endReading() {
    this.reason ??= this.reader.cutOff();
    this.reader.stop();
  }

  /** @param {Pick<Codec, 'encode' | 'inPlace'>} codec */
  carry(codec) {
    return carryMessages(codec, this.writer, this.reader);
  }

  /** @param {any} wire   a wire, or a message after `carry` */
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

  /** @param {number} bytes   upper bound of the next frame @returns {boolean} false if it exceeds a slab */
  makeRoom(bytes) {
    this.flush(); // earlier frames first
    if (!this.writer.hasRoom(bytes)) this.writer.renew();
    return this.writer.hasRoom(bytes);
  }

  /** @returns {boolean} false if the sender has to wait for `drained` */
  flush() {
    const { sink, writer } = this;
    this.isFlushScheduled = false;
    if (writer.endByte === writer.startByte) return !sink.writableNeedDrain;
    const goesOn = this.out.write(writer.take());
    // The kernel has copied everything during the call.
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

const SLAB_BYTES = 65_536; // room for hundreds of small frames; a frame that may exceed it gets a separate buffer

/** Writes frames into a slab, instead of allocating memory for each. */
export class FrameWriter {
  constructor() {
    this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.startByte = 0;
    this.endByte = 0;
    this.lastView = this.slab.subarray(0, 0);
    this.framing = wireFraming;
  }

  /** @param {number} bytes   upper bound of the next frame */
  hasRoom(bytes) {
    return SLAB_BYTES - this.endByte >= bytes;
  }

  /** Allocates a slab: the kernel may not have copied the old one yet. */
  renew() {
    this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.startByte = 0;
    this.endByte = 0;
    this.lastView = this.slab.subarray(0, 0);
  }

  /** Starts at the front of the slab again; called only after the kernel has copied everything. */
  recycle() {
    this.startByte = 0;
    this.endByte = 0;
  }

  /** @param {any} sent   the caller must have checked with `hasRoom` that the largest possible frame of it fits */
  append(sent) {
    this.endByte += this.framing.write(this.slab, this.endByte, sent);
  }

  /** @returns {Buffer} all frames appended since the last call, as a view of the slab */
  take() {
    const { startByte, endByte, lastView } = this;
    this.startByte = endByte;
    // Most cells have messages of one size, so the last view at the front of the slab usually fits again.
    if (startByte === 0 && endByte === lastView.length) return lastView;
    const view = this.slab.subarray(startByte, endByte);
    if (startByte === 0) this.lastView = view;
    return view;
  }
}

const KEPT_BYTES = 65_536; // longest frame whose views are kept: a kept view keeps the memory of its frame alive
/** @type {Buffer} */
const NOTHING = Buffer.alloc(0);

/** Writes head and body of each frame separately, like programs that send a length and then the message. */
export class SplitWriter {
  /** @param {{ write: (bytes: Buffer) => boolean }} sink */
  constructor(sink) {
    this.sink = sink;
    this.lastFrame = NOTHING;
    this.lastHead = NOTHING;
    this.lastBody = NOTHING;
    // With a backlog, Node would join heads and bodies in one writev().
    /** @type {any} */ (sink)._writev = null;
  }

  /** @param {Buffer} frame   often the same view as the last time */
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
