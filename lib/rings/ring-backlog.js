// Frames that found no room in a ring, in the order in which they have to go.

/** @import { RingWriter } from './ring.js' */

export class RingBacklog {
  /** @param {RingWriter} ring */
  constructor(ring) {
    this.ring = ring;
    /** @type {Buffer[]} */
    this.frames = [];
    this.firstWritten = 0; // bytes of the first one that lie in the ring already
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  isEmpty() {
    return this.frames.length === 0;
  }

  /** @param {Buffer} frame */
  add(frame) {
    this.frames.push(frame);
    this.pump();
  }

  /** Writes what there is room for. */
  pump() {
    const { frames } = this;
    while (frames.length > 0) {
      this.firstWritten += this.ring.write(frames[0], this.firstWritten);
      if (this.firstWritten < frames[0].length) return;
      frames.shift();
      this.firstWritten = 0;
    }
    this.release();
  }

  /** @returns {Promise<void>} resolves when it is empty, or given up */
  gone() {
    if (this.isEmpty()) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Nobody waits any longer. */
  release() {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
