// Listening and connecting for WebSockets: who may upgrade a connection is decided by the token in the request, before
// the upgrade; everybody else is a stranger.

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { BenchError } from '../../lib/errors.js';
import { CLOSE_DEADLINE_MS } from '../../lib/transport/base-channel.js';
import { ConnectionGuard } from '../../lib/transport/http/connection-guard.js';
import { endServer, listenAt } from '../../lib/transport/http/listen-at.js';
import { joiningMs } from '../../lib/transport/joining-time.js';
import { encodeCredentials } from '../../lib/transport/liveness.js';
import { connectOptions } from '../../lib/transport/reach.js';
import { isSameToken } from '../../lib/transport/token.js';
import { WebSocketChannel } from './websocket-channel.js';

/** @import { GuestContext, HostContext } from '../../lib/types/index.js' */
/** @import { Socket } from 'node:net' */

/** @param {import('../../lib/types/transports.js').EndContext} end */
const optionsOf = ({ maxMessageBytes }) => ({
  maxPayload: maxMessageBytes,
  perMessageDeflate: false, // on one machine it costs more time than it saves
  closeTimeout: CLOSE_DEADLINE_MS,
});

/** @param {HostContext} host @returns {Promise<import('../../lib/types/transports.js').Listener>} */
export async function listenForWebSockets(host) {
  const { WebSocketServer } = await import('ws');
  const server = createServer();
  const guard = new ConnectionGuard(host);
  const upgrades = new WebSocketServer({ noServer: true, ...optionsOf(host) });
  server.on('connection', (socket) => guard.watch(socket));
  server.on('clientError', (_error, socket) =>
    guard.turnAway(/** @type {Socket} */ (socket), 'spoke no HTTP'),
  );
  server.on('request', ({ socket }) => guard.turnAway(socket, 'did not ask for a WebSocket'));
  server.on('upgrade', (request, stream, head) => {
    const socket = /** @type {Socket} */ (stream);
    const [token = '', workerId] = request.headers.authorization?.split(' ') ?? [];
    if (workerId === undefined || !isSameToken(token, host.token)) {
      return guard.turnAway(socket, 'did not know the token');
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
      // At once: what came with the welcome would be gone a turn later. It is read once the core has its handlers.
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
