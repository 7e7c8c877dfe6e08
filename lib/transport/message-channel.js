// A Channel over what moves whole messages but can neither hang up nor push back (Redis, ZeroMQ). Leaving, and how much
// has been read, are notes beside the data, so data goes as it is. Which way
// messages travel is the transport's.

import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { isSameToken, joiningMs } from './admission.js';
import { BaseChannel, CLOSE_DEADLINE_MS, MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './base-channel.js';

/** @import { Channel, EndContext, GuestContext, HostContext } from '../types/index.js' */

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

  /** @param {string | Uint8Array} wire */
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

  /** The transport has data from the peer. @param {Buffer} bytes */
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

  /** The transport has a note from the peer. @param {Note} note */
  hear({ verb, bytes }) {
    if (verb === 'read') {
      this.unreadBytes -= bytes;
      if (this.unreadBytes < this.windowBytes) this.letGoOn();
    } else if (verb === 'bye') {
      this.stopAwaitingBye();
      this.leaving ??= this.leave(undefined, false);
    }
  }

  /** The way to the peer is lost, or it is not to be talked with any more. @param {Error} reason */
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

// What the two ends of a message channel tell each other beside the data. Every note carries the launch's token: on a
// shared broker anybody may write to us.

/** @typedef {{ workerId: string, verb: 'join' | 'joined' | 'read' | 'bye', bytes: number }} Note */

const NOTE_MAX_BYTES = 1_024;
const VERBS = ['join', 'joined', 'read', 'bye'];

/**
 * @param {string} token
 * @param {string} workerId     whose channel it is about
 * @param {Note['verb']} verb
 * @param {number} bytes        with 'read': how many more
 */
export function encodeControlFrame(token, workerId, verb, bytes) {
  return `${token} ${workerId} ${verb} ${bytes}`;
}

/**
 * Where notes and data go the same way: a note is what begins with the token, which no message knows.
 * @param {Buffer} bytes
 * @param {Buffer} token
 */
export function beginsLikeControlFrame(bytes, token) {
  return (
    bytes[0] === token[0] && // of most messages that is all there is to look at
    bytes.length > token.length &&
    bytes.length <= NOTE_MAX_BYTES &&
    token.compare(bytes, 0, token.length) === 0
  );
}

/** @param {Uint8Array} text @param {string} token @returns {Note | null} null: from an unauthenticated peer */
export function readControlFrame(text, token) {
  if (text.length > NOTE_MAX_BYTES) return null;
  const [given, workerId, verb, bytes, ...rest] = Buffer.from(text).toString('latin1').split(' ');
  const isWellFormed = rest.length === 0 && VERBS.includes(verb) && /^\d{1,15}$/.test(bytes);
  if (!isSameToken(given, token) || !isWellFormed) return null;
  return { workerId, verb: /** @type {Note['verb']} */ (verb), bytes: Number(bytes) };
}

// How a worker and the master find each other over a message system: the worker asks to join with the launch's token,
// the master answers. A peer without the token is not authenticated.

/**
 * The master's end.
 * @template From
 * @param {HostContext} host
 * @param {(channel: MessageChannel, workerId: string, from: From) => Outlet | Promise<Outlet>} openOutlet
 *     makes the way to a worker; what it sends is to be given to `channel.deliver` from then on
 */
export function receiveWorkers(host, openOutlet) {
  /** @type {Map<string, MessageChannel>} */
  const channels = new Map();
  let isClosing = false;

  /** @param {string} workerId @param {From} from */
  async function admit(workerId, from) {
    const channel = new MessageChannel(host, workerId, workerId);
    channels.set(workerId, channel);
    channel.onReleased = () => channels.delete(workerId);
    channel.outlet = await openOutlet(channel, workerId, from);
    host.onChannel(channel, workerId);
    channel.tell('joined');
  }

  return {
    /** @returns {MessageChannel[]} of those who are here */
    channels: () => [...channels.values()],
    /** @param {Uint8Array} text     a note, from anybody @param {From} from */
    hear(text, from) {
      const note = readControlFrame(text, host.token);
      if (note === null) return host.onRejected('sent a note without the token');
      const channel = channels.get(note.workerId);
      if (note.verb !== 'join') return channel?.hear(note);
      if (channel !== undefined) return host.onRejected(`wanted to join as ${note.workerId}, who is here`);
      if (!isClosing) admit(note.workerId, from).catch((error) => host.onError(error));
    },
    /** @param {Error} reason     nobody can be reached any more */
    breakOff(reason) {
      for (const channel of channels.values()) channel.breakOff(reason);
    },
    async close() {
      isClosing = true;
      await Promise.all([...channels.values()].map((channel) => channel.close()));
    },
  };
}

/**
 * A worker's end.
 * @param {GuestContext} guest
 * @param {(channel: MessageChannel, hear: (text: Uint8Array) => void) => Promise<Outlet>} openOutlet
 *     makes the way to the master: data that comes goes to `channel.deliver`, notes to `hear`
 */
export async function joinMaster(guest, openOutlet) {
  const channel = new MessageChannel(guest, guest.workerId, 'the master');
  channel.holdBack();
  /** @type {(value?: undefined) => void} */
  let succeed = () => {};
  const joined = new Promise((resolve, reject) => {
    succeed = resolve;
    channel.onClose = (reason) =>
      reject(reason ?? new BenchError('TRANSPORT', `the master rejected ${guest.workerId}`));
  });
  joined.catch(() => {}); // it may fail before anybody waits for it
  const deadlineMs = joiningMs(guest);
  const late = `the master did not let ${guest.workerId} join within ${deadlineMs} ms`;
  const deadline = setTimeout(() => channel.breakOff(new BenchError('DEADLINE', late)), deadlineMs);
  const hear = (/** @type {Uint8Array} */ text) => {
    const note = readControlFrame(text, guest.token);
    if (note === null || note.workerId !== guest.workerId) return;
    if (note.verb === 'joined') succeed();
    else channel.hear(note);
  };
  const asked = openOutlet(channel, hear).then((outlet) => {
    if (!channel.isOpen) return outlet.release(); // too late: we have given up
    channel.outlet = outlet;
    channel.tell('join');
  });
  try {
    await Promise.race([asked, joined]);
    await joined;
  } finally {
    clearTimeout(deadline);
  }
  // Beyond the tick in which the core gets the channel, its handlers are in place.
  setImmediate(() => channel.deliverEarly());
  return channel;
}

// What one send takes to several workers, over a message system: each of them says how much it has read, as of what is sent to
// it alone, so that nothing is published faster than the slowest of them reads.

/**
 * @param {MessageChannel[]} channels   of the workers
 * @param {(wire: string | Uint8Array) => void} publish   to all of them
 * @returns {Pick<Channel, 'send' | 'drained'>}
 */
export function publishedTo(channels, publish) {
  return {
    send(/** @type {string | Uint8Array} */ wire) {
      publish(wire);
      let hasRoom = true;
      for (const channel of channels) hasRoom = channel.countSent(wire) && hasRoom;
      return hasRoom;
    },
    async drained() {
      for (const channel of channels) await channel.drained();
    },
  };
}
