// One end of the line between a master and a worker that is a thread of it, as openForkControlChannel wants it: like an end of a
// fork channel. It is a MessagePort of its own, since that of `new Worker` cannot be closed by the master.

import { EventEmitter } from 'node:events';

/** @import { MessagePort } from 'node:worker_threads' */

export class ThreadControlChannel extends EventEmitter {
  /** @param {MessagePort} port */
  constructor(port) {
    super();
    this.port = port;
    this.connected = true;
    port.on('message', (value) => this.emit('message', value));
    port.on('close', () => {
      this.connected = false;
      this.emit('disconnect');
    });
  }

  /** @param {any} value @param {(error: Error | null) => void} [callback] @returns {boolean} */
  send(value, callback) {
    this.port.postMessage(value);
    // It is with the other thread already: nothing is left to wait for.
    if (callback !== undefined) process.nextTick(callback, null);
    return true;
  }

  /** @param {object} value @param {readonly any[]} transfer */
  transfer(value, transfer) {
    this.port.postMessage(value, transfer);
  }

  /** Messages that were sent before still arrive. */
  disconnect() {
    this.connected = false;
    this.port.close();
  }
}
