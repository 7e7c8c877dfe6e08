// The life of a channel, the same for all classes of channels. How messages are sent and received is left to each class, so that V8
// sees one class on that path.

import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { MIB } from '../format/units.js';

/** @import { Sink } from './stream-channel.js' */

export const CLOSE_DEADLINE_MS = 1_000; // after that the other end has stopped reading, and waiting longer helps nobody

export class BaseChannel {
  /** @param {{ peer?: string, maxMessageBytes?: number }} [limits]   peer: the other end, for error messages */
  constructor({ peer = 'the other end', maxMessageBytes = Number.POSITIVE_INFINITY } = {}) {
    this.peer = peer;
    this.maxMessageBytes = maxMessageBytes;
    this.isOpen = true;
    /** @type {Error | undefined} */
    this.reason = undefined;
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    /** @type {(() => void)[]} */
    this.awaitingRoom = [];
    /** @type {Promise<void> | undefined} */
    this.leaving = undefined;
    this.tellClosed = () => {};
    /** @type {Promise<void>} */
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
  }

  /** @param {number} bytes    of a message @param {string} [more]   said of a message that was not read to its end */
  misfit(bytes, more = '') {
    const what = `${this.peer} sent a message of ${bytes} bytes${more}`;
    return new BenchError('PROTOCOL', `${what}; 1 to ${this.maxMessageBytes} are allowed here`);
  }

  /** @returns {Promise<void>} when this end may send again */
  untilRoom() {
    return new Promise((resolve) => this.awaitingRoom.push(resolve));
  }

  letGoOn() {
    for (const resolve of this.awaitingRoom.splice(0)) resolve();
  }

  close() {
    this.leaving ??= this.leave();
    return this.leaving;
  }

  /** Each class knows how to hang up. */
  async leave() {}

  /** @param {() => void} cut   of a conversation that the other end does not end */
  async closedInTime(cut) {
    await withDeadline(this.closed, CLOSE_DEADLINE_MS, cut);
    await this.closed;
  }

  /** Nothing is held any more. Its owner is told once. */
  settle() {
    this.isOpen = false;
    this.letGoOn();
    const { onClose } = this;
    this.onClose = () => {};
    this.onMessage = () => {};
    onClose(this.reason);
    this.tellClosed();
  }
}

// What may be under way, unread, before `send` asks to wait, where nothing else bounds it: sockets would hold kilobytes, a
// broker, a port or a folder everything.

export const WINDOW_BYTES = 16 * MIB;
/** Of each message beside its own length, so that many tiny ones count for the memory that they take. */
export const MESSAGE_OVERHEAD_BYTES = 64;

// When a stream that asked to wait takes more.

/** @param {Pick<Sink, 'once' | 'off'>} stream    that needs to drain @returns {Promise<void>} also when it is closed */
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
