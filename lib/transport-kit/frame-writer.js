// Writes frames one behind the other into a slab, so that sending costs no Buffer per message. The owner takes what is
// there with `take()`, and calls `recycle()` when nobody reads the slab any more.

import { wireFraming } from './framings.js';

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

  /** @param {number} bytes of the next frame, at most; @returns {boolean} */
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
