// The two ends of a transport that carries questions one way and their answers the other (HTTP, gRPC, REQ and REP), and the
// stream beside them that tells whether the other end is there.

import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { bindAddressOf, connectOptions, isSameToken } from './admission.js';
import { BaseChannel, CLOSE_DEADLINE_MS, MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './base-channel.js';
import { connectTo, listenOn, socketPath } from './sockets.js';
import { withRollback } from './with-rollback.js';

/** @import { Channel, EndContext, GuestContext, HostContext } from '../types/index.js' */

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

  /** @param {string | Uint8Array} wire */
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

  /** The transport has an answer. @param {Buffer} bytes @param {string | Uint8Array} question    that it answers */
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

  /** The other end is gone, or we have hung up. @returns {Promise<void>} when nothing is held any more */
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

// The master's end where a transport only carries questions one way and their answers the other (HTTP, gRPC unary,
// REQ/REP). Answers go out in the order in which the questions were heard; the core answers each before it hears the next.

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

  /** Answers the oldest question. @param {string | Uint8Array} wire */
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

// How the two ends of a question-and-answer transport find each other, and notice that the other one is gone: a stream
// beside it that carries nothing but the handshake with the launch's token. It sleeps while questions are asked. A worker
// that connects again has one for each of its connections.

const SILENT = Object.freeze({
  settings: Object.freeze({}),
  wireKind: /** @type {const} */ ('text'),
  maxMessageBytes: 1_024,
});

/**
 * In the master.
 * @template Reply
 * @param {HostContext} host
 * @param {(reply: Reply, wire: string | Uint8Array) => void} respond
 */
export async function acceptRequesters(host, respond) {
  /** @type {Map<string, ResponseChannel<Reply>>} */
  const channels = new Map();
  const { address, close } = await listenOn(
    host.settings.net === 'tcp'
      ? { host: bindAddressOf(host), port: 0 }
      : { path: socketPath(host, 'presence.sock') },
    {
      ...host,
      ...SILENT,
      onChannel(presence, workerId) {
        if (channels.has(workerId)) {
          host.onRejected(`wanted to join as ${workerId}, who is here`);
          presence.close();
          return;
        }
        /** @type {ResponseChannel<Reply>} */
        const channel = new ResponseChannel(host, workerId, respond);
        channel.hangUp = () => presence.close();
        presence.onClose = () => {
          channels.delete(workerId);
          channel.finish();
        };
        channels.set(workerId, channel);
        host.onChannel(channel, workerId);
      },
    },
  );
  return {
    place: address,
    /**
     * @param {string | undefined} credentials    as `encodeCredentials` gives them
     * @returns {ResponseChannel<Reply> | undefined} of a worker that is here; of an unauthenticated peer none, and that is counted
     */
    channelOf(credentials) {
      const [token = '', workerId = ''] = credentials?.split(' ') ?? [];
      if (isSameToken(token, host.token)) return channels.get(workerId);
      host.onRejected('did not know the token');
      return undefined;
    },
    close,
  };
}

/**
 * In a worker.
 * @param {GuestContext} guest
 * @param {string} place      of `acceptRequesters`
 * @param {(channel: RequestChannel) => Asking | Promise<Asking>} openAsking
 */
export async function connectRequester(guest, place, openAsking) {
  const channel = new RequestChannel(guest);
  const presence = await connectTo(connectOptions(place), { ...guest, ...SILENT });
  channel.hangUp = () => presence.close();
  presence.onClose = () => channel.finish();
  channel.asking = await withRollback(
    () => presence.close(),
    () => openAsking(channel),
  );
  return channel;
}

/** Every connection, or question, has to show this. @param {Pick<GuestContext, 'token' | 'workerId'>} guest */
export function encodeCredentials({ token, workerId }) {
  return `${token} ${workerId}`;
}
