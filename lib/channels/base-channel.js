// The life cycle that all classes of channels share. Each class has its own methods for sending and receiving, so that V8 optimises them
// for one class.

import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { MIB } from '../format/units.js';

/** @import { Sink } from './stream-channel.js' */

export const CLOSE_DEADLINE_MS = 1_000; // if the other end takes longer, it has stopped reading

export class BaseChannel {
  /** @param {{ peer?: string, maxMessageBytes?: number }} [limits]   `peer` names the other end in error messages */
  constructor({ peer = 'the other end', maxMessageBytes = Number.POSITIVE_INFINITY } = {}) {
    this.peer = peer;
    this.maxMessageBytes = maxMessageBytes;
    this.isOpen = true;
    /** The error that closes the channel, if one does. @type {Error | undefined} */
    this.reason = undefined;
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    /** @type {(() => void)[]} */
    this.waitingForRoom = [];
    /** @type {Promise<void> | undefined} */
    this.leaving = undefined;
    this.resolveClosed = () => {};
    /** @type {Promise<void>} */
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
  }

  /** @param {number} bytes @param {string} [more]   follows the number, such as ' or more' */
  sizeError(bytes, more = '') {
    const what = `${this.peer} sent a message of ${bytes} bytes${more}`;
    return new BenchError('PROTOCOL', `${what}; 1 to ${this.maxMessageBytes} are allowed here`);
  }

  /** @returns {Promise<void>} */
  waitForRoom() {
    return new Promise((resolve) => this.waitingForRoom.push(resolve));
  }

  resumeSenders() {
    for (const resolve of this.waitingForRoom.splice(0)) resolve();
  }

  close() {
    this.leaving ??= this.leave();
    return this.leaving;
  }

  /** Disconnects. Classes override this method or `close`. */
  async leave() {}

  /** Waits until the channel is closed. @param {() => void} cut   disconnects; called if the other end does not close within CLOSE_DEADLINE_MS */
  async closedInTime(cut) {
    await withDeadline(this.closed, CLOSE_DEADLINE_MS, cut);
    await this.closed;
  }

  /** Called when everything is released; calls `onClose` once. */
  settle() {
    this.isOpen = false;
    this.resumeSenders();
    const { onClose } = this;
    this.onClose = () => {};
    this.onMessage = () => {};
    onClose(this.reason);
    this.resolveClosed();
  }
}

/** Least number of unread bytes at which `send` returns false on systems without backpressure: a broker, a MessagePort or a folder. */
export const WINDOW_BYTES = 16 * MIB;
/** Added to the length of each message, so that many tiny messages count for the memory that they take. */
export const MESSAGE_OVERHEAD_BYTES = 64;

/** @param {Pick<Sink, 'once' | 'off'>} stream @returns {Promise<void>} resolves on `drain` or `close` */
export function waitForDrain(stream) {
  return new Promise((resolve) => {
    const settle = () => {
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.once('drain', settle);
    stream.once('close', settle);
  });
}
