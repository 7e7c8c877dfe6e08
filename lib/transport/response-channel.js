// The master's end where a transport only carries questions one way and their answers the other (HTTP, gRPC unary,
// REQ/REP). Answers go out in the order in which the questions were heard; the core answers each before it hears the next.

import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { BaseChannel } from './base-channel.js';

/** @import { Channel, EndContext } from '../types/index.js' */

/**
 * @template Reply      what the transport needs to answer one question: a response, a call, a connection
 * @implements {Channel}
 */
export class ResponseChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes'>} end
   * @param {string} workerId
   * @param {(reply: Reply, wire: string | Uint8Array) => void} respond    never throws; a reply to a peer that has left is dropped
   */
  constructor(end, workerId, respond) {
    super({ peer: workerId, maxMessageBytes: end.maxMessageBytes });
    this.isText = end.wireKind === 'text';
    this.respond = respond;
    /** @type {Reply[]} */
    this.unanswered = [];
    /** Hangs up; set by the transport. @type {() => Promise<void>} */
    this.hangUp = async () => {};
  }

  /**
   * The transport has a question.
   * @param {Buffer} bytes
   * @param {Reply} reply
   * @returns {boolean} false: it is refused, and nobody will answer
   */
  hear(bytes, reply) {
    if (!this.isOpen) return false;
    if (bytes.length === 0 || bytes.length > this.maxMessageBytes) {
      this.breakOff(this.misfit(bytes.length, ' or more'));
      return false;
    }
    this.unanswered.push(reply);
    this.onMessage(this.isText ? decodeText(bytes) : bytes);
    return true;
  }

  /**
   * Answers the oldest question.
   * @param {string | Uint8Array} wire
   * @returns {boolean}
   */
  send(wire) {
    if (!this.isOpen) return false;
    const reply = this.unanswered.shift();
    if (reply === undefined) {
      throw new BenchError(
        'PROTOCOL',
        `the master has no open request of ${this.peer} to respond to, and it cannot send on its own`,
      );
    }
    this.respond(reply, wire);
    return true;
  }

  async drained() {} // how much waits is bounded by what was asked

  /** @param {Error} reason */
  breakOff(reason) {
    this.reason ??= reason;
    this.close();
  }

  /** @override */
  close() {
    return this.hangUp();
  }

  /** The other end is gone, or we have hung up. */
  finish() {
    if (!this.isOpen) return;
    this.unanswered = [];
    this.settle();
  }
}
