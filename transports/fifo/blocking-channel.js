// A stream channel whose reads block, as in a program with a thread per connection: after a request it sleeps in read(2) until the
// response arrives, without the event loop.
//
// A blocked process can do nothing else, so it blocks only while it has sent more messages than it has received: a response, which ends
// the read, is then due. The event loop reads other messages from a separate descriptor; both readers deliver messages immediately, so
// that order is kept. At the end of each time slice the event loop runs, for timers and the control channel. If a response does not arrive,
// the read ends with the other process, or at the deadlines of the channel and the launch.

import { EventEmitter } from 'node:events';
import { closeSync, readSync, writeSync } from 'node:fs';
import { StreamChannel } from '../../lib/channels/stream-channel.js';

/** @import { Sink } from '../../lib/channels/stream-channel.js' */

const CHUNK_BYTES = 65_536; // the capacity of a pipe: pipe(7)
// After this time of blocking reads, the event loop runs once. It is short enough for commands of the master, which arrive tens of
// milliseconds before they take effect: START_MARGIN_MS and UNDER_LOAD_MARGIN_MS of launch/controller/controller.js.
const SLICE_MS = 10;

export class BlockingChannel extends StreamChannel {
  /**
   * @param {import('node:net').Socket} source   read by the event loop
   * @param {import('../../lib/types/transports.js').EndContext} end
   * @param {Sink} sink
   * @param {number} readerFd                    opened on the same pipe without O_NONBLOCK; closed with the channel
   */
  constructor(source, end, sink, readerFd) {
    super(source, end, sink);
    this.readerFd = readerFd;
    this.chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    /** Number of sent minus received messages; negative if the other end sends without a request. */
    this.openRequests = 0;
    this.isLeaving = false;
    this.isReadDue = false;
    this.sliceEndMs = 0;
    this.reader.onFrame = (wire) => {
      this.openRequests -= 1;
      this.onMessage(wire);
    };
    this.readAtOnce = this.readAtOnce.bind(this);
    this.readSoon = this.readSoon.bind(this);
    this.readInNextSlice = this.readInNextSlice.bind(this);
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    const goesOn = super.send(wire);
    this.openRequests += 1;
    this.awaitResponse();
    return goesOn;
  }

  awaitResponse() {
    if (this.isReadDue || this.openRequests <= 0) return;
    this.isReadDue = true;
    // Runs after the loops that the last responses resumed have sent their requests.
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
    if (this.openRequests <= 0 || this.isLeaving || !this.isOpen) return;
    this.flush(); // the request may still be in the slab
    let bytes = 0;
    try {
      bytes = readSync(this.readerFd, this.chunk);
    } catch (error) {
      if (/** @type {any} */ (error).code === 'EINTR') return this.awaitResponse();
      this.reason ??= /** @type {Error} */ (error);
    }
    if (bytes === 0) {
      this.endReading();
      return this.destroy();
    }
    this.read(this.chunk.subarray(0, bytes));
    this.awaitResponse();
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

/** A sink whose writes block until the kernel has copied everything, so that `drained()` never waits. @implements {Sink} */
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
      this.destroy(/** @type {Error} */ (error)); // EPIPE if the other end has closed the pipe
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
