// The two ends of a WebSocket. The token in the request authenticates a peer before the upgrade.

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { connectOptions } from '../../lib/channels/addresses.js';
import { isSameToken, joiningMs } from '../../lib/channels/admission.js';
import { BaseChannel, CLOSE_DEADLINE_MS, waitForDrain } from '../../lib/channels/base-channel.js';
import { ConnectionGuard, endServer, listenAt } from '../../lib/channels/http/request-server.js';
import { encodeCredentials } from '../../lib/channels/request-reply.js';
import { decodeText } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';

/** @import { Channel, EndContext, GuestContext, HostContext, Listener } from '../../lib/types/index.js' */
/** @import { Socket } from 'node:net' */

/** @param {EndContext} end */
const optionsOf = ({ maxMessageBytes }) => ({
  maxPayload: maxMessageBytes,
  perMessageDeflate: false, // on one machine compression costs more time than it saves
  closeTimeout: CLOSE_DEADLINE_MS,
});

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listenForWebSockets(host) {
  const { WebSocketServer } = await import('ws');
  const server = createServer();
  const guard = new ConnectionGuard(host);
  const upgrades = new WebSocketServer({ noServer: true, ...optionsOf(host) });
  server.on('connection', (socket) => guard.watch(socket));
  server.on('clientError', (_error, socket) => guard.reject(/** @type {Socket} */ (socket), 'spoke no HTTP'));
  server.on('request', ({ socket }) => guard.reject(socket, 'did not request a WebSocket'));
  server.on('upgrade', (request, stream, head) => {
    const socket = /** @type {Socket} */ (stream);
    const [token = '', workerId] = request.headers.authorization?.split(' ') ?? [];
    if (workerId === undefined || !isSameToken(token, host.token)) {
      return guard.reject(socket, 'sent no valid token');
    }
    guard.trust(socket);
    upgrades.handleUpgrade(request, socket, head, (webSocket) =>
      host.onChannel(new WebSocketChannel(webSocket, socket, host), workerId),
    );
  });
  const address = await listenAt(host, server);
  server.on('error', (error) => host.onError(error));
  const close = () =>
    endServer(server, () => {
      server.closeAllConnections();
      guard.close();
      for (const webSocket of upgrades.clients) webSocket.terminate();
    });
  return { address, close };
}

/** @param {GuestContext} guest @returns {Promise<WebSocketChannel>} */
export async function connectWebSocket(guest) {
  const { WebSocket } = await import('ws');
  const socket = connect(connectOptions(guest.address));
  const webSocket = new WebSocket('ws://localhost/', {
    ...optionsOf(guest),
    createConnection: () => socket,
    headers: { authorization: encodeCredentials(guest) },
    handshakeTimeout: joiningMs(guest),
  });
  return new Promise((resolve, reject) => {
    webSocket.on('open', () => {
      // The channel is created in this tick: otherwise messages that arrived with the upgrade would be lost. They are read once the core
      // has set its handlers.
      resolve(new WebSocketChannel(webSocket, socket, guest));
      webSocket.pause();
      setImmediate(() => webSocket.resume());
    });
    webSocket.on('error', (cause) => {
      const what = `${guest.workerId} could not connect to the master`;
      reject(new BenchError('TRANSPORT', `${what}: ${cause.message}`, { cause }));
    });
  });
}

const GOODBYE = 1_000; // status codes of RFC 6455, section 7.4.1
const NO_STATUS = 1_005;

/** A Channel over a WebSocket of the package ws, which needs no framing. @implements {Channel} */
class WebSocketChannel extends BaseChannel {
  /**
   * @param {import('ws').WebSocket} webSocket            must be open
   * @param {import('node:net').Socket} socket            the underlying socket, for backpressure
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
    const what = `a ${isBinary ? 'binary' : 'text'} message of ${bytes} bytes arrived`;
    const wanted = this.isText ? 'text' : 'binary';
    this.reason ??= new BenchError('PROTOCOL', `${what}; only ${wanted} ones that are not empty are allowed`);
    this.webSocket.terminate();
  }

  /** @param {string | Uint8Array} wire */
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
