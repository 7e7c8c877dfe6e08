// What a stream channel sends on where writing blocks: each write returns when the kernel has all of it, so nothing
// waits in user space and nobody has to be told to wait.

import { EventEmitter } from 'node:events';
import { closeSync, writeSync } from 'node:fs';

/** @import { Sink } from '../../lib/transport/stream-channel.js' */

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

  /** @returns {this} */
  end() {
    return this.destroy();
  }

  /** @param {Error} [error] @returns {this} */
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
