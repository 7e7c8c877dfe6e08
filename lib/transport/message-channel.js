// A Channel over what moves whole messages but can neither hang up nor push back (Redis, ZeroMQ). Leaving, and how much
// has been read, are notes beside the data, so data goes as it is. Who may join is decided in message-joining.js; which
// way messages travel is the transport's.

import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BaseChannel, CLOSE_DEADLINE_MS } from './base-channel.js';
import { encodeControlFrame } from './control-frame.js';
import { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './window-bytes.js';

/** @import { Channel, EndContext } from '../types/index.js' */
/** @import { Note } from './control-frame.js' */

/**
 * The way to one peer, made by the transport. Notes and data arrive in the order in which they were sent, and none of
 * these functions throws, whatever has become of the peer: what cannot be sent is lost, and told by `breakOff`.
 * @typedef {object} Outlet
 * @property {(wire: string | Uint8Array) => void} send
 * @property {(note: string) => void} sendNote
 * @property {() => void | Promise<void>} release     nothing of this peer is held afterwards
 */

/** An end that reads sends a note each time, or more rarely: with large messages, what a broker counts besides them. */
export const BYTES_PER_NOTE = WINDOW_BYTES / 2;

/** @implements {Channel} */
export class MessageChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes' | 'token'>} end
   * @param {string} workerId
   * @param {string} peer      the other end, for error messages
   */
  constructor(end, workerId, peer) {
    super({ peer, maxMessageBytes: end.maxMessageBytes });
    this.token = end.token;
    this.workerId = workerId;
    this.isText = end.wireKind === 'text';
    this.windowBytes = Math.max(WINDOW_BYTES, 2 * end.maxMessageBytes);
    this.unreadBytes = 0;
    this.unreportedBytes = 0;
    /** @type {any[] | null} what came before the core had its handlers in place */
    this.early = null;
    /** @type {Outlet} */
    this.outlet = { send() {}, sendNote() {}, release() {} };
    this.stopAwaitingBye = () => {};
    this.onReleased = () => {};
  }

  /** @param {string | Uint8Array} wire @returns {boolean} */
  send(wire) {
    if (!this.isOpen) return false;
    this.outlet.send(wire);
    return this.countSent(wire);
  }

  /**
   * @param {string | Uint8Array} wire   that is on its way to the peer, by whichever way
   * @returns {boolean} false: wait for `drained()`
   */
  countSent(wire) {
    this.unreadBytes += wire.length + MESSAGE_OVERHEAD_BYTES;
    return this.unreadBytes < this.windowBytes;
  }

  async drained() {
    if (!this.isOpen || this.unreadBytes < this.windowBytes) return;
    await this.untilRoom();
  }

  /**
   * The transport has data from the peer.
   * @param {Buffer} bytes
   */
  deliver(bytes) {
    if (!this.isOpen) return;
    if (bytes.length === 0 || bytes.length > this.maxMessageBytes) {
      this.breakOff(this.misfit(bytes.length));
      return;
    }
    const wire = this.isText ? decodeText(bytes) : bytes;
    // Both ends count in the length of the wire as the core sees it: for text, characters.
    this.unreportedBytes += wire.length + MESSAGE_OVERHEAD_BYTES;
    if (this.early !== null) this.early.push(wire);
    else this.onMessage(wire);
    if (this.unreportedBytes >= this.windowBytes / 2 && this.isOpen) this.report();
  }

  report() {
    this.tell('read', this.unreportedBytes);
    this.unreportedBytes = 0;
  }

  /** @param {Note['verb']} verb @param {number} [bytes] */
  tell(verb, bytes = 0) {
    this.outlet.sendNote(encodeControlFrame(this.token, this.workerId, verb, bytes));
  }

  /** Holds back what is delivered, until `deliverEarly`. */
  holdBack() {
    this.early = [];
  }

  deliverEarly() {
    const wires = this.early ?? [];
    this.early = null;
    for (const wire of wires) if (this.isOpen) this.onMessage(wire);
  }

  /**
   * The transport has a note from the peer.
   * @param {Note} note
   */
  hear({ verb, bytes }) {
    if (verb === 'read') {
      this.unreadBytes -= bytes;
      if (this.unreadBytes < this.windowBytes) this.letGoOn();
    } else if (verb === 'bye') {
      this.stopAwaitingBye();
      this.leaving ??= this.leave(undefined, false);
    }
  }

  /**
   * The way to the peer is lost, or it is not to be talked with any more.
   * @param {Error} reason
   */
  breakOff(reason) {
    this.stopAwaitingBye();
    this.leaving ??= this.leave(reason, false);
  }

  /**
   * @override
   * @param {Error} [reason]
   * @param {boolean} [awaitsBye]    the peer's answer tells that it has everything that was sent before
   */
  async leave(reason = undefined, awaitsBye = true) {
    this.isOpen = false;
    this.letGoOn();
    const answered = awaitsBye ? this.answerToBye() : undefined;
    this.tell('bye');
    await answered;
    await this.outlet.release();
    this.onReleased();
    this.reason = reason;
    this.settle();
  }

  /** @returns {Promise<void>} resolves as well when nobody answers in time */
  answerToBye() {
    const answered = new Promise((resolve) => {
      this.stopAwaitingBye = () => resolve(undefined);
    });
    return withDeadline(answered, CLOSE_DEADLINE_MS, () => {});
  }
}
