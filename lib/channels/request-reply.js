// The two ends of a transport that carries requests in one direction and responses in the other (HTTP, gRPC, REQ and REP), and the
// presence: a stream beside them that shows whether the other end is alive.

import { withDeadline } from '../children/with-deadline.js';
import { decodeText } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { bindAddressOf, connectOptions } from './addresses.js';
import { isSameToken } from './admission.js';
import { BaseChannel, CLOSE_DEADLINE_MS, MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './base-channel.js';
import { connectTo, listenOn, socketPath } from './sockets.js';
import { withRollback } from './with-rollback.js';

/** @import { Channel, EndContext, GuestContext, HostContext } from '../types/index.js' */

/**
 * Created by the transport. `send` does not throw: failures are reported by `fail`.
 * @typedef {object} RequestSender
 * @property {(wire: string | Uint8Array) => void} send    passes the response to `deliver`
 * @property {() => void | Promise<void>} release          frees all resources
 */

/** @implements {Channel} */
export class RequestChannel extends BaseChannel {
  /** @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes'>} end */
  constructor(end) {
    super({ peer: 'the master', maxMessageBytes: end.maxMessageBytes });
    this.isText = end.wireKind === 'text';
    this.windowBytes = Math.max(WINDOW_BYTES, 2 * end.maxMessageBytes);
    this.openBytes = 0;
    /** @type {RequestSender} */
    this.requestSender = { send() {}, release() {} };
    /** @type {(() => void)[]} */
    this.awaitingResponses = [];
    /** @type {Promise<void> | undefined} */
    this.finished = undefined;
    /** Disconnects. @type {() => Promise<void>} */
    this.hangUp = async () => {};
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    if (!this.isOpen) return false;
    this.openBytes += wire.length + MESSAGE_OVERHEAD_BYTES;
    this.requestSender.send(wire);
    return this.openBytes < this.windowBytes;
  }

  async drained() {
    if (!this.isOpen || this.openBytes < this.windowBytes) return;
    await this.waitForRoom();
  }

  /** Called by the transport with a response. @param {Buffer} bytes @param {string | Uint8Array} request */
  deliver(bytes, request) {
    this.openBytes -= request.length + MESSAGE_OVERHEAD_BYTES;
    if (this.waitingForRoom.length > 0 && this.openBytes < this.windowBytes) this.resumeSenders();
    if (this.isOpen) {
      if (bytes.length === 0 || bytes.length > this.maxMessageBytes)
        this.breakOff(this.sizeError(bytes.length));
      else this.onMessage(this.isText ? decodeText(bytes) : bytes);
    }
    if (this.openBytes === 0) for (const resolve of this.awaitingResponses.splice(0)) resolve();
  }

  /** Breaks off the channel because a request has failed. Does nothing after the channel has closed. @param {Error} error */
  fail(error) {
    if (!this.isOpen) return;
    this.breakOff(new BenchError('TRANSPORT', `a request failed: ${error.message}`, { cause: error }));
  }

  /** @param {Error} reason */
  breakOff(reason) {
    this.reason ??= reason;
    this.isOpen = false; // no further request is sent, and no response delivered
    this.resumeSenders();
    this.leaving ??= this.hangUp();
  }

  /** Waits for open responses up to a deadline. @override */
  async leave() {
    if (this.isOpen && this.openBytes > 0) {
      const answered = new Promise((resolve) => {
        this.awaitingResponses.push(() => resolve(undefined));
      });
      await withDeadline(answered, CLOSE_DEADLINE_MS, () => {});
    }
    await this.hangUp();
    await this.finish();
  }

  /**
   * Releases the connection for requests and closes the channel. Called when either end has closed the presence.
   * @returns {Promise<void>} resolves when everything is released
   */
  finish() {
    this.finished ??= this.letGo();
    return this.finished;
  }

  async letGo() {
    this.isOpen = false;
    this.resumeSenders();
    for (const resolve of this.awaitingResponses.splice(0)) resolve();
    await this.requestSender.release();
    this.settle();
  }
}

/**
 * The master's end. The core must respond in the order of the requests, since each response goes to the oldest open one.
 * @template Reply      handle for the response to one request: a response object, a call, or a connection
 * @implements {Channel}
 */
export class ResponseChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes'>} end
   * @param {string} workerId
   * @param {(reply: Reply, wire: string | Uint8Array) => void} respond    does not throw; drops a response to a disconnected peer
   */
  constructor(end, workerId, respond) {
    super({ peer: workerId, maxMessageBytes: end.maxMessageBytes });
    this.isText = end.wireKind === 'text';
    this.respond = respond;
    /** @type {Reply[]} */
    this.openReplies = [];
    /** Disconnects. @type {() => Promise<void>} */
    this.hangUp = async () => {};
  }

  /**
   * Called by the transport with a request.
   * @param {Buffer} bytes
   * @param {Reply} reply
   * @returns {boolean} false if the request is refused and gets no response
   */
  receive(bytes, reply) {
    if (!this.isOpen) return false;
    if (bytes.length === 0 || bytes.length > this.maxMessageBytes) {
      this.breakOff(this.sizeError(bytes.length));
      return false;
    }
    this.openReplies.push(reply);
    this.onMessage(this.isText ? decodeText(bytes) : bytes);
    return true;
  }

  /** Responds to the oldest open request. @param {string | Uint8Array} wire */
  send(wire) {
    if (!this.isOpen) return false;
    const reply = this.openReplies.shift();
    if (reply === undefined) {
      throw new BenchError(
        'PROTOCOL',
        `the master has no open request of ${this.peer} to respond to, and it cannot send on its own`,
      );
    }
    this.respond(reply, wire);
    return true;
  }

  async drained() {} // never waits, since the number of open requests is limited

  /** @param {Error} reason */
  breakOff(reason) {
    this.reason ??= reason;
    this.close();
  }

  /** @override */
  close() {
    return this.hangUp();
  }

  /** Closes the channel. Called when either end has closed the presence. */
  finish() {
    if (!this.isOpen) return;
    this.openReplies = [];
    this.settle();
  }
}

// The presence carries only the handshake with the token of the launch, and is idle afterwards. A worker that connects again has one
// for each of its connections.

const SILENT = Object.freeze({
  settings: Object.freeze({}),
  wireKind: 'text',
  maxMessageBytes: 1_024,
});

/**
 * Called in the master: accepts the presence of each worker.
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
          host.onRejected(`tried to join as ${workerId}, which has joined already`);
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
    address,
    /**
     * Reports a wrong token to `onRejected`.
     * @param {string | undefined} credentials    from `encodeCredentials`
     * @returns {ResponseChannel<Reply> | undefined} undefined for a worker that is not connected, and for a wrong token
     */
    channelOf(credentials) {
      const [token = '', workerId = ''] = credentials?.split(' ') ?? [];
      if (isSameToken(token, host.token)) return channels.get(workerId);
      host.onRejected('sent no valid token');
      return undefined;
    },
    close,
  };
}

/**
 * Called in a worker: opens its presence, then the connection for requests.
 * @param {GuestContext} guest
 * @param {string} address      from `acceptRequesters`
 * @param {(channel: RequestChannel) => RequestSender | Promise<RequestSender>} openRequestSender
 */
export async function connectRequester(guest, address, openRequestSender) {
  const channel = new RequestChannel(guest);
  const presence = await connectTo(connectOptions(address), { ...guest, ...SILENT });
  channel.hangUp = () => presence.close();
  presence.onClose = () => channel.finish();
  channel.requestSender = await withRollback(
    () => presence.close(),
    () => openRequestSender(channel),
  );
  return channel;
}

/** Sent with each connection or request. @param {Pick<GuestContext, 'token' | 'workerId'>} guest */
export function encodeCredentials({ token, workerId }) {
  return `${token} ${workerId}`;
}
