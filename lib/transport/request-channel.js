// A worker's end where a transport only carries questions one way and their answers the other.

import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { BaseChannel, CLOSE_DEADLINE_MS } from './base-channel.js';
import { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './window-bytes.js';

/** @import { Channel, EndContext } from '../types/index.js' */

/**
 * The way to the master, made by the transport. `ask` does not throw: what fails is told by `breakOff`.
 * @typedef {object} Asking
 * @property {(wire: string | Uint8Array) => void} ask    its answer is given to `deliver`
 * @property {() => void | Promise<void>} release         nothing is held afterwards
 */

/** @implements {Channel} */
export class RequestChannel extends BaseChannel {
  /** @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes'>} end */
  constructor(end) {
    super({ peer: 'the master', maxMessageBytes: end.maxMessageBytes });
    this.isText = end.wireKind === 'text';
    this.windowBytes = Math.max(WINDOW_BYTES, 2 * end.maxMessageBytes);
    this.unansweredBytes = 0;
    /** @type {Asking} */
    this.asking = { ask() {}, release() {} };
    /** @type {(() => void)[]} */
    this.awaitingAnswers = [];
    /** @type {Promise<void> | undefined} */
    this.finished = undefined;
    /** Hangs up; set by the transport. @type {() => Promise<void>} */
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
    await this.untilRoom();
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
      if (bytes.length === 0 || bytes.length > this.maxMessageBytes)
        this.breakOff(this.misfit(bytes.length, ' or more'));
      else this.onMessage(this.isText ? decodeText(bytes) : bytes);
    }
    if (this.unansweredBytes === 0) for (const resolve of this.awaitingAnswers.splice(0)) resolve();
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
    this.leaving ??= this.hangUp();
  }

  /** Questions that were asked before are still answered, unless that takes too long. @override */
  async leave() {
    if (this.isOpen && this.unansweredBytes > 0) {
      const answered = new Promise((resolve) => {
        this.awaitingAnswers.push(() => resolve(undefined));
      });
      await withDeadline(answered, CLOSE_DEADLINE_MS, () => {});
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
    this.settle();
  }
}
