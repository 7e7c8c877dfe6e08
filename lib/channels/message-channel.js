// A Channel over systems that move whole messages but have neither disconnection nor backpressure, such as Redis and ZeroMQ. Both are
// implemented by control frames beside the data, which report that an end disconnects and how much it has read. Data is sent unchanged.

import { Deferred } from '../children/deferred.js';
import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { isSameToken, joiningMs } from './admission.js';
import { BaseChannel, CLOSE_DEADLINE_MS, MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './base-channel.js';

/** @import { Channel, EndContext, GuestContext, HostContext } from '../types/index.js' */

/**
 * Created by the transport for one peer. Control frames and data arrive in the order in which they were sent. None of these functions throws,
 * even if the peer is gone: a failure is reported by `breakOff`.
 * @typedef {object} PeerSender
 * @property {(wire: string | Uint8Array) => void} send
 * @property {(frame: string) => void} sendControl
 * @property {() => void | Promise<void>} release     frees everything held for this peer
 */

/** A receiver sends at most one `read` frame per this number of bytes. The traffic gauge of a broker counts these frames too. */
export const BYTES_PER_CONTROL_FRAME = WINDOW_BYTES / 2;

/** @implements {Channel} */
export class MessageChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes' | 'token'>} end
   * @param {string} workerId
   * @param {string} peer      names the other end in error messages
   */
  constructor(end, workerId, peer) {
    super({ peer, maxMessageBytes: end.maxMessageBytes });
    this.token = end.token;
    this.workerId = workerId;
    this.isText = end.wireKind === 'text';
    this.windowBytes = Math.max(WINDOW_BYTES, 2 * end.maxMessageBytes);
    this.unreadBytes = 0;
    this.unreportedBytes = 0;
    /** @type {any[] | null} messages that `holdBack` keeps; null if messages are delivered at once */
    this.early = null;
    /** @type {PeerSender} */
    this.sender = { send() {}, sendControl() {}, release() {} };
    this.stopAwaitingBye = () => {};
    this.onReleased = () => {};
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    if (!this.isOpen) return false;
    this.sender.send(wire);
    return this.countSent(wire);
  }

  /**
   * @param {string | Uint8Array} wire   sent to the peer, by this channel or by a publisher
   * @returns {boolean} false if the caller must wait for `drained()`
   */
  countSent(wire) {
    this.unreadBytes += wire.length + MESSAGE_OVERHEAD_BYTES;
    return this.unreadBytes < this.windowBytes;
  }

  async drained() {
    if (!this.isOpen || this.unreadBytes < this.windowBytes) return;
    await this.waitForRoom();
  }

  /** Called by the transport with data from the peer. @param {Buffer} bytes */
  deliver(bytes) {
    if (!this.isOpen) return;
    if (bytes.length === 0 || bytes.length > this.maxMessageBytes) {
      this.breakOff(this.sizeError(bytes.length));
      return;
    }
    const wire = this.isText ? decodeText(bytes) : bytes;
    // Both ends count the `length` of a wire, which is the number of UTF-16 code units for a text.
    this.unreportedBytes += wire.length + MESSAGE_OVERHEAD_BYTES;
    if (this.early !== null) this.early.push(wire);
    else this.onMessage(wire);
    if (this.unreportedBytes >= this.windowBytes / 2 && this.isOpen) this.report();
  }

  report() {
    this.sendControl('read', this.unreportedBytes);
    this.unreportedBytes = 0;
  }

  /** @param {ControlFrame['verb']} verb @param {number} [bytes] */
  sendControl(verb, bytes = 0) {
    this.sender.sendControl(encodeControlFrame(this.token, this.workerId, verb, bytes));
  }

  /** Holds received messages back until `deliverEarly`. */
  holdBack() {
    this.early = [];
  }

  deliverEarly() {
    const wires = this.early ?? [];
    this.early = null;
    for (const wire of wires) if (this.isOpen) this.onMessage(wire);
  }

  /** Called by the transport with a control frame from the peer. @param {ControlFrame} frame */
  receiveControl({ verb, bytes }) {
    if (verb === 'read') {
      this.unreadBytes -= bytes;
      if (this.unreadBytes < this.windowBytes) this.resumeSenders();
    } else if (verb === 'bye') {
      this.stopAwaitingBye();
      this.leaving ??= this.leave(undefined, false);
    }
  }

  /** Closes the channel after a failure, without waiting for the peer. @param {Error} reason */
  breakOff(reason) {
    this.stopAwaitingBye();
    this.leaving ??= this.leave(reason, false);
  }

  /**
   * @override
   * @param {Error} [reason]
   * @param {boolean} [awaitsBye]    waits for the peer's `bye`, which confirms that it has received everything
   */
  async leave(reason = undefined, awaitsBye = true) {
    this.isOpen = false;
    this.resumeSenders();
    const answered = awaitsBye ? this.answerToBye() : undefined;
    this.sendControl('bye');
    await answered;
    await this.sender.release();
    this.onReleased();
    this.reason = reason;
    this.settle();
  }

  /** @returns {Promise<void>} also resolves at the deadline */
  answerToBye() {
    const answered = new Promise((resolve) => {
      this.stopAwaitingBye = () => resolve(undefined);
    });
    return withDeadline(answered, CLOSE_DEADLINE_MS, () => {});
  }
}

// Control frames. Each contains the token of the launch, since any client of a shared broker can write to the topics.

/** @typedef {{ workerId: string, verb: 'join' | 'joined' | 'read' | 'bye', bytes: number }} ControlFrame */

/** Greatest length of a control frame. */
export const MAX_CONTROL_BYTES = 1_024;
const VERBS = ['join', 'joined', 'read', 'bye'];

/**
 * @param {string} token
 * @param {string} workerId
 * @param {ControlFrame['verb']} verb
 * @param {number} bytes        with 'read': bytes read since the last such frame
 */
export function encodeControlFrame(token, workerId, verb, bytes) {
  return `${token} ${workerId} ${verb} ${bytes}`;
}

/**
 * Where control frames and data share a queue or a socket, a control frame is recognised by the token at its beginning, which no message contains.
 * @param {Buffer} bytes
 * @param {Buffer} token
 */
export function beginsLikeControlFrame(bytes, token) {
  return (
    bytes[0] === token[0] && // rejects most messages
    bytes.length > token.length &&
    bytes.length <= MAX_CONTROL_BYTES &&
    token.compare(bytes, 0, token.length) === 0
  );
}

/** @param {Uint8Array} text @param {string} token @returns {ControlFrame | null} null if it is malformed or has another token */
export function readControlFrame(text, token) {
  if (text.length > MAX_CONTROL_BYTES) return null;
  const [given, workerId, verb, bytes, ...rest] = Buffer.from(text).toString('latin1').split(' ');
  const isWellFormed = rest.length === 0 && VERBS.includes(verb) && /^\d{1,15}$/.test(bytes);
  if (!isSameToken(given, token) || !isWellFormed) return null;
  return { workerId, verb: /** @type {ControlFrame['verb']} */ (verb), bytes: Number(bytes) };
}

// Joining: the worker sends a `join` frame with the token of the launch, and the master responds with `joined`.

/**
 * Creates the master's end.
 * @template From
 * @param {HostContext} host
 * @param {(channel: MessageChannel, workerId: string, from: From) => PeerSender | Promise<PeerSender>} openSender
 *     afterwards, the transport passes data of the worker to `channel.deliver`
 */
export function receiveWorkers(host, openSender) {
  /** @type {Map<string, MessageChannel>} */
  const channels = new Map();
  let isClosing = false;

  /** @param {string} workerId @param {From} from */
  async function admit(workerId, from) {
    const channel = new MessageChannel(host, workerId, workerId);
    channels.set(workerId, channel);
    channel.onReleased = () => channels.delete(workerId);
    channel.sender = await openSender(channel, workerId, from);
    host.onChannel(channel, workerId);
    channel.sendControl('joined');
  }

  return {
    channels: () => [...channels.values()],
    /** @param {Uint8Array} text     not authenticated yet @param {From} from */
    receiveControl(text, from) {
      const frame = readControlFrame(text, host.token);
      if (frame === null) return host.onRejected('sent a control frame without the token');
      const channel = channels.get(frame.workerId);
      if (frame.verb !== 'join') return channel?.receiveControl(frame);
      if (channel !== undefined)
        return host.onRejected(`tried to join as ${frame.workerId}, which has joined already`);
      if (!isClosing) admit(frame.workerId, from).catch((error) => host.onError(error));
    },
    /** Breaks off all channels. Called when the connection to all workers is lost. @param {Error} reason */
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
 * Creates a worker's end.
 * @param {GuestContext} guest
 * @param {(channel: MessageChannel, onControl: (text: Uint8Array) => void) => Promise<PeerSender>} openSender
 *     afterwards, the transport passes data to `channel.deliver` and control frames to `onControl`
 */
export async function joinMaster(guest, openSender) {
  const channel = new MessageChannel(guest, guest.workerId, 'the master');
  channel.holdBack();
  /** @type {Deferred<void>} */
  const joined = new Deferred();
  joined.promise.catch(() => {}); // it may fail before it is awaited
  channel.onClose = (reason) =>
    joined.reject(reason ?? new BenchError('TRANSPORT', `the master rejected ${guest.workerId}`));
  const deadlineMs = joiningMs(guest);
  const late = `the master did not accept ${guest.workerId} within ${deadlineMs} ms`;
  const deadline = setTimeout(() => channel.breakOff(new BenchError('DEADLINE', late)), deadlineMs);
  /** @param {Uint8Array} text */
  const receiveControl = (text) => {
    const frame = readControlFrame(text, guest.token);
    if (frame === null || frame.workerId !== guest.workerId) return;
    if (frame.verb === 'joined') joined.resolve();
    else channel.receiveControl(frame);
  };
  const asking = openSender(channel, receiveControl).then((sender) => {
    if (!channel.isOpen) return sender.release(); // the channel has failed meanwhile, or the deadline has passed
    channel.sender = sender;
    channel.sendControl('join');
  });
  try {
    await Promise.race([asking, joined.promise]);
    await joined.promise;
  } finally {
    clearTimeout(deadline);
  }
  // The core sets its handlers in the tick in which it gets the channel.
  setImmediate(() => channel.deliverEarly());
  return channel;
}

/**
 * Each worker reports how much it has read, including published messages, so the slowest reader limits the publisher.
 * @param {MessageChannel[]} channels
 * @param {(wire: string | Uint8Array) => void} publish
 * @returns {Pick<Channel, 'send' | 'drained'>}
 */
export function publishedTo(channels, publish) {
  return {
    send(wire) {
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
