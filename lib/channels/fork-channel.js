// Transports over the fork channel between the master and a worker that it starts: a Channel of values that Node serialises, or a
// MessagePort if the worker is a thread.

import { MessageChannel } from 'node:worker_threads';
import { BenchError } from '../errors.js';
import { BaseChannel } from './base-channel.js';

/** @import { Channel, EndContext, ForkLine, Setting } from '../types/index.js' */
/** @import { MessagePort } from 'node:worker_threads' */
/** @typedef {Pick<EndContext, 'settings' | 'maxMessageBytes'>} ForkContext */

// Control values have a key that no message has.
/** Sent by the child once it listens to the parent. */
const HELLO = { forkChannel: 'hello' };
/** Ends the Channel, not the process or the fork channel. */
const HANG_UP = { forkChannel: 'hang up' };
/** Sent by `drained` and ignored by the receiver: once it is written, all earlier messages are written too. */
const MARK = { forkChannel: 'mark' };

const MAX_IN_A_BATCH = 1_000; // messages
const MAX_BYTES_IN_A_BATCH = 2 ** 20; // limits a batch, so that backpressure reaches a sender that never pauses

/** @type {Record<string, Setting>} */
export const forkSettings = Object.freeze({
  flush: {
    summary:
      'direct: one process.send() per message; tick: all messages of one turn of the event loop in one, as an array; ' +
      'lead: the first message of a turn at once, the others of it as an array',
    default: 'direct',
    choices: ['direct', 'tick', 'lead'],
    changesRoute: true,
  },
});

/** @param {ForkLine} line @param {ForkContext} [end]   if not set, the default settings apply */
function channelOn(line, end) {
  if (end === undefined || end.settings.flush === 'direct') return new ForkChannel(line);
  return new BatchingForkChannel(line, end);
}

/**
 * Opens the parent's end once the child has opened its own.
 * @param {ForkLine} line
 * @param {(channel: Channel) => void} onChannel   called when the child is ready
 * @param {ForkContext} [end]
 */
export function adoptFork(line, onChannel, end) {
  line.onValue = (value) => {
    if (value.forkChannel === HELLO.forkChannel) onChannel(channelOn(line, end));
  };
}

/** Opens the child's end, and sends the parent HELLO. @param {ForkLine} line @param {ForkContext} [end] @returns {Channel} */
export function joinFork(line, end) {
  const channel = channelOn(line, end);
  line.send(HELLO);
  return channel;
}

/** @implements {Channel} */
class ForkChannel extends BaseChannel {
  /** @param {ForkLine} line */
  constructor(line) {
    super();
    this.line = line;
    line.onValue = (value) => {
      const word = value.forkChannel;
      if (word === undefined) this.onMessage(value);
      else if (word === HANG_UP.forkChannel) this.finish();
    };
    line.onDisconnect = () => this.finish();
  }

  /** @param {object} value */
  send(value) {
    return this.line.send(value);
  }

  async drained() {
    if (!this.isOpen) return;
    await new Promise((resolve) => this.line.send(MARK, resolve));
  }

  /** @override */
  async leave() {
    if (!this.isOpen) return;
    await new Promise((resolve) => this.line.send(HANG_UP, resolve));
    this.finish();
  }

  finish() {
    if (!this.isOpen) return;
    this.line.onValue = () => {};
    this.line.onDisconnect = () => {};
    this.settle();
  }
}

/**
 * Sends messages in arrays of at most `most`, the last array in process.nextTick(). With flush=lead, one message is sent alone before each
 * array.
 */
class BatchingForkChannel extends ForkChannel {
  /** @param {ForkLine} line @param {ForkContext} end */
  constructor(line, { settings, maxMessageBytes }) {
    super(line);
    this.isLead = settings.flush === 'lead';
    this.isFlushScheduled = false;
    this.most = Math.min(MAX_IN_A_BATCH, Math.max(1, Math.floor(MAX_BYTES_IN_A_BATCH / maxMessageBytes)));
    /** @type {object[]} */
    this.batch = [];
    this.goesOn = true;
    this.flush = this.flush.bind(this);
    const { onValue } = line;
    line.onValue = (value) => {
      if (!Array.isArray(value)) onValue(value);
      else for (let index = 0; index < value.length && this.isOpen; index += 1) this.onMessage(value[index]);
    };
  }

  /** @override @param {object} value */
  send(value) {
    if (!this.isFlushScheduled) {
      this.isFlushScheduled = true;
      process.nextTick(this.flush);
      if (this.isLead) {
        this.goesOn = this.line.send(value);
        return this.goesOn;
      }
    }
    if (this.batch.push(value) === this.most) this.flush();
    return this.goesOn;
  }

  flush() {
    this.isFlushScheduled = false;
    if (this.batch.length === 0 || !this.isOpen) return;
    this.goesOn = this.line.send(this.batch);
    this.batch = [];
  }

  /** @override */
  async drained() {
    this.flush();
    await super.drained();
    this.goesOn = true;
  }

  /** @override */
  async leave() {
    this.flush();
    await super.leave();
  }
}

/**
 * Called in the master: sends a thread a MessagePort when it requests one.
 * @param {ForkLine} line
 * @param {Record<string, unknown>} shared          sent with the port
 * @param {(port: MessagePort) => void} onPort
 */
export function givePort(line, shared, onPort) {
  line.onValue = () => {
    line.onValue = () => {};
    const { port1, port2 } = new MessageChannel();
    line.transfer?.({ ...shared, port: port2 }, [port2]);
    onPort(port1);
  };
}

/**
 * Called in the thread. The master sends the port only on this request, since the thread does not listen earlier.
 * @param {ForkLine} line
 * @returns {Promise<{ port: MessagePort } & Record<string, any>>}
 */
export function takePort(line) {
  return new Promise((resolve, reject) => {
    line.onDisconnect = () =>
      reject(new BenchError('TRANSPORT', 'the master closed the connection before it sent a port'));
    line.onValue = resolve;
    line.send({ wants: 'a port' });
  });
}
