// A worker's end where a transport only carries questions one way and their answers the other.

import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './window-bytes.js';

/** @import { Channel, EndContext } from '../types/index.js' */

/**
 * The way to the master, made by the transport. `ask` does not throw: what fails is told by `breakOff`.
 * @typedef {object} Asking
 * @property {(wire: string | Uint8Array) => void} ask    its answer is given to `deliver`
 * @property {() => void | Promise<void>} release         nothing is held afterwards
 */

const LAST_ANSWERS_DEADLINE_MS = 1_000;

/** @implements {Channel} */
export class RequestChannel {
  /** @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes'>} end */
  constructor(end) {
    this.isText = end.wireKind === 'text';
    this.maxMessageBytes = end.maxMessageBytes;
    this.windowBytes = Math.max(WINDOW_BYTES, 2 * end.maxMessageBytes);
    this.unansweredBytes = 0;
    this.isOpen = true;
    /** @type {Error | undefined} */
    this.reason = undefined;
    /** @type {Asking} */
    this.asking = { ask() {}, release() {} };
    /** @type {(() => void)[]} */
    this.awaitingRoom = [];
    /** @type {(() => void)[]} */
    this.awaitingAnswers = [];
    /** @type {Promise<void> | undefined} */
    this.closing = undefined;
    /** @type {Promise<void> | undefined} */
    this.finished = undefined;
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    /** Hangs up; set by whoever knows how. @type {() => Promise<void>} */
    this.hangUp = async () => {};
  }

  /** @param {string | Uint8Array} wire @returns {boolean} */
  send(wire) {
    if (!this.isOpen) return false;
    this.unansweredBytes += wire.length + MESSAGE_OVERHEAD_BYTES;
    this.asking.ask(wire);
    return this.unansweredBytes < this.windowBytes;
  }

  async drained() {
    if (!this.isOpen || this.unansweredBytes < this.windowBytes) return;
    await new Promise((resolve) => this.awaitingRoom.push(() => resolve(undefined)));
  }

  /**
   * The transport has an answer.
   * @param {Buffer} bytes
   * @param {string | Uint8Array} question    that it answers
   */
  deliver(bytes, question) {
    this.unansweredBytes -= question.length + MESSAGE_OVERHEAD_BYTES;
    if (this.awaitingRoom.length > 0 && this.unansweredBytes < this.windowBytes) this.letGoOn();
    if (this.isOpen) {
      if (bytes.length === 0 || bytes.length > this.maxMessageBytes) this.breakOff(this.misfit(bytes.length));
      else this.onMessage(this.isText ? decodeText(bytes) : bytes);
    }
    if (this.unansweredBytes === 0) for (const resolve of this.awaitingAnswers.splice(0)) resolve();
  }

  letGoOn() {
    for (const resolve of this.awaitingRoom.splice(0)) resolve();
  }

  /** @param {number} bytes    of a message, or at least so many */
  misfit(bytes) {
    const what = `the master sent a message of ${bytes} bytes or more`;
    return new BenchError('PROTOCOL', `${what}; 1 to ${this.maxMessageBytes} are allowed here`);
  }

  /**
   * The way to the master failed. Questions that fail because the channel is closing are not reported again.
   * @param {Error} error
   */
  fail(error) {
    if (!this.isOpen) return;
    this.breakOff(new BenchError('TRANSPORT', `a request failed: ${error.message}`, { cause: error }));
  }

  /** @param {Error} reason */
  breakOff(reason) {
    this.reason ??= reason;
    this.isOpen = false; // nothing is asked any more, and no answer is delivered
    this.letGoOn();
    this.closing ??= this.hangUp();
  }

  close() {
    this.closing ??= this.leave();
    return this.closing;
  }

  /** Questions that were asked before are still answered, unless that takes too long. */
  async leave() {
    if (this.isOpen && this.unansweredBytes > 0) {
      const answered = new Promise((resolve) => {
        this.awaitingAnswers.push(() => resolve(undefined));
      });
      await withDeadline(answered, LAST_ANSWERS_DEADLINE_MS, () => {});
    }
    await this.hangUp();
    await this.finish();
  }

  /**
   * The other end is gone, or we have hung up.
   * @returns {Promise<void>} when nothing is held any more
   */
  finish() {
    this.finished ??= this.letGo();
    return this.finished;
  }

  async letGo() {
    this.isOpen = false;
    this.letGoOn();
    for (const resolve of this.awaitingAnswers.splice(0)) resolve();
    await this.asking.release();
    this.onClose(this.reason);
  }
}
