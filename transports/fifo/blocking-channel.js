// A stream channel whose reads block, as in a program with a thread per connection: having asked, it sleeps in read(2)
// until an answer is there, and the event loop takes no part.
//
// A process that sleeps so hears nothing else, so it only does while more has been sent than received: then something
// is owed to it, and the next read ends. Messages that are no responses are read by the event loop, which listens on a
// descriptor of its own; what one of the two has read is handed on at once, so order is kept. At the end of each slice
// of time the loop gets a turn, for timers and the control line. If the answer never comes, the read lasts as long as
// the other process: its end is the end of the pipe. Two deadlines keep this from waiting for ever: the channel's own, and
// the launch's.

import { EventEmitter } from 'node:events';
import { closeSync, readSync, writeSync } from 'node:fs';
import { StreamChannel } from '../../lib/transport/stream-channel.js';

/** @import { Sink } from '../../lib/transport/stream-channel.js' */

const CHUNK_BYTES = 65_536; // the capacity of a pipe: pipe(7)
const SLICE_MS = 10; // orders come tens of milliseconds ahead: START_MARGIN_MS and WINDOW_MARGIN_MS of launch/controller/controller.js

export class BlockingChannel extends StreamChannel {
  /**
   * @param {import('node:net').Socket} source   of the event loop
   * @param {import('../../lib/types/transports.js').EndContext} end
   * @param {import('../../lib/transport/stream-channel.js').Sink} sink
   * @param {number} readerFd                    of the same pipe, opened without O_NONBLOCK; closed with the channel
   */
  constructor(source, end, sink, readerFd) {
    super(source, end, sink);
    this.readerFd = readerFd;
    this.chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    /** Messages sent less messages received; below zero where the other end speaks unasked. */
    this.owed = 0;
    this.isLeaving = false;
    this.isReadDue = false;
    this.sliceEndMs = 0;
    this.reader.onFrame = (wire) => {
      this.owed -= 1;
      this.onMessage(wire);
    };
    this.readAtOnce = this.readAtOnce.bind(this);
    this.readSoon = this.readSoon.bind(this);
    this.readInNextSlice = this.readInNextSlice.bind(this);
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    const goesOn = super.send(wire);
    this.owed += 1;
    this.awaitAnswer();
    return goesOn;
  }

  awaitAnswer() {
    if (this.isReadDue || this.owed <= 0) return;
    this.isReadDue = true;
    // Behind all that follows from the last answers: the loops that they let go on ask first.
    queueMicrotask(this.readSoon);
  }

  readSoon() {
    if (performance.now() < this.sliceEndMs) process.nextTick(this.readAtOnce);
    else setImmediate(this.readInNextSlice);
  }

  readInNextSlice() {
    this.sliceEndMs = performance.now() + SLICE_MS;
    this.readAtOnce();
  }

  readAtOnce() {
    this.isReadDue = false;
    if (this.owed <= 0 || this.isLeaving || !this.isOpen) return;
    this.flush(); // else the question itself might still be waiting
    let bytes = 0;
    try {
      bytes = readSync(this.readerFd, this.chunk);
    } catch (error) {
      if (/** @type {any} */ (error).code === 'EINTR') return this.awaitAnswer();
      this.reason ??= /** @type {Error} */ (error);
    }
    if (bytes === 0) {
      this.endReading();
      return this.destroy();
    }
    this.read(this.chunk.subarray(0, bytes));
    this.awaitAnswer();
  }

  close() {
    this.isLeaving = true;
    return super.close();
  }

  destroy() {
    this.isLeaving = true;
    super.destroy();
  }

  finish() {
    closeSync(this.readerFd);
    super.finish();
  }
}

// What a stream channel sends on where writing blocks: each write returns when the kernel has all of it, so nothing
// waits in user space and nobody has to be told to wait.

/** @implements {Sink} */
export class BlockingSink extends EventEmitter {
  /** @param {number} fd    opened without O_NONBLOCK; closed with the sink */
  constructor(fd) {
    super();
    this.fd = fd;
    this.isOpen = true;
    this.writableLength = 0;
    this.writableNeedDrain = false;
  }

  /** @param {Buffer} bytes */
  write(bytes) {
    try {
      for (let at = 0; this.isOpen && at < bytes.length; ) at += writeSync(this.fd, bytes, at);
    } catch (error) {
      this.destroy(/** @type {Error} */ (error)); // EPIPE: the other end has gone
    }
    return true;
  }

  end() {
    return this.destroy();
  }

  /** @param {Error} [error] */
  destroy(error) {
    if (!this.isOpen) return this;
    this.isOpen = false;
    closeSync(this.fd);
    process.nextTick(() => {
      if (error !== undefined) this.emit('error', error);
      this.emit('close');
    });
    return this;
  }
}
