// Head and body of each frame in a write of their own: what a program does that sends a length, and then what it is the
// length of.

import { HEADER_BYTES } from './framing.js';

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

  /** @param {Buffer} frame   one, and often the very view of the last time @returns {boolean} */
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
