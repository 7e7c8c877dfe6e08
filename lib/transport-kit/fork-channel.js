// A Channel over the fork channel of two processes: whole values, serialised by Node itself.

/** @import { Channel, ForkLine } from '../types/transports.js' */

// The channel's own words have a key that no message has.
/** The child's first word: only then is somebody there to hear what the parent sends. */
const HELLO = { forkChannel: 'hello' };
/** The channel ends; the process and its line stay. */
const HANG_UP = { forkChannel: 'hang up' };
/** Goes behind everything sent before, and is dropped: once it is written, so is all of that. */
const MARK = { forkChannel: 'mark' };

/**
 * In the parent.
 * @param {ForkLine} line
 * @param {(channel: Channel) => void} onChannel   when the child is there
 */
export function adoptFork(line, onChannel) {
  line.onValue = (value) => {
    if (value.forkChannel === HELLO.forkChannel) onChannel(new ForkChannel(line));
  };
}

/**
 * In the child.
 * @param {ForkLine} line
 * @returns {Channel}
 */
export function joinFork(line) {
  const channel = new ForkChannel(line);
  line.send(HELLO);
  return channel;
}

/** @implements {Channel} */
class ForkChannel {
  /** @param {ForkLine} line */
  constructor(line) {
    this.line = line;
    this.isClosed = false;
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    line.onValue = (value) => {
      const word = value.forkChannel;
      if (word === undefined) this.onMessage(value);
      else if (word === HANG_UP.forkChannel) this.finish();
    };
    line.onDisconnect = () => this.finish();
  }

  /** @param {object} value @returns {boolean} */
  send(value) {
    return this.line.send(value);
  }

  async drained() {
    if (this.isClosed) return;
    await new Promise((resolve) => this.line.send(MARK, resolve));
  }

  async close() {
    if (this.isClosed) return;
    await new Promise((resolve) => this.line.send(HANG_UP, resolve));
    this.finish();
  }

  finish() {
    if (this.isClosed) return;
    this.isClosed = true;
    this.line.onValue = () => {};
    this.line.onDisconnect = () => {};
    this.onClose();
  }
}
