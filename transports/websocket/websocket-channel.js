// A Channel over a WebSocket of the package ws: messages are whole already, so no framing is added. Who may
// connect is decided before, in websockets.js.

import { decodeText } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';
import { BaseChannel } from '../../lib/transport/base-channel.js';
import { waitForDrain } from '../../lib/transport/wait-for-drain.js';

/** @import { Channel, EndContext } from '../../lib/types/index.js' */

const GOODBYE = 1_000; // status codes of RFC 6455, section 7.4.1
const NO_STATUS = 1_005;

/** @implements {Channel} */
export class WebSocketChannel extends BaseChannel {
  /**
   * @param {import('ws').WebSocket} webSocket            open
   * @param {import('node:net').Socket} socket            below it, for what it still has to write
   * @param {Pick<EndContext, 'wireKind' | 'maxMessageBytes'>} end
   */
  constructor(webSocket, socket, end) {
    super();
    this.webSocket = webSocket;
    this.socket = socket;
    this.isText = end.wireKind === 'text';
    this.isLeaving = false;
    webSocket.on('message', (data, isBinary) => this.receive(/** @type {Buffer} */ (data), isBinary));
    webSocket.on('error', (error) => {
      this.reason ??= error;
    });
    webSocket.on('close', (code) => this.finish(code));
  }

  /** @param {Buffer} bytes @param {boolean} isBinary */
  receive(bytes, isBinary) {
    if (!this.isOpen) return;
    if (isBinary === this.isText || bytes.length === 0) return this.refuse(bytes.length, isBinary);
    this.onMessage(this.isText ? decodeText(bytes) : bytes);
  }

  /** @param {number} bytes @param {boolean} isBinary */
  refuse(bytes, isBinary) {
    const what = `a ${isBinary ? 'binary' : 'text'} message of ${bytes} bytes came`;
    const wanted = this.isText ? 'text' : 'binary';
    this.reason ??= new BenchError('PROTOCOL', `${what}; only ${wanted} ones that are not empty are allowed`);
    this.webSocket.terminate();
  }

  /** @param {string | Uint8Array} wire @returns {boolean} */
  send(wire) {
    this.webSocket.send(wire);
    return !this.socket.writableNeedDrain;
  }

  async drained() {
    if (this.socket.writableNeedDrain && this.isOpen) await waitForDrain(this.socket);
  }

  /** @override */
  async leave() {
    if (!this.isOpen) return;
    this.isLeaving = true;
    this.webSocket.close(GOODBYE);
    await this.closedInTime(() => this.webSocket.terminate());
  }

  /** @param {number} code */
  finish(code) {
    if (!this.isLeaving && code !== GOODBYE && code !== NO_STATUS) {
      const what = `the other end closed the WebSocket with status ${code}`;
      this.reason ??= new BenchError('TRANSPORT', `${what} (RFC 6455, section 7.4.1)`);
    }
    this.settle();
  }
}
