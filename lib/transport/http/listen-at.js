// Where a server of questions listens, how it is found there, and how it ends.

import { once } from 'node:events';
import { bindAddressOf } from '../reach.js';
import { readAddress, socketPath } from '../sockets.js';

/** @import { HostContext, Listener } from '../../types/index.js' */
/** @import { Server } from 'node:net' */

/**
 * @param {HostContext} host
 * @param {Server} server
 * @returns {Promise<string>} where: 'ip:port', or the path of a unix socket
 */
export async function listenAt(host, server) {
  const place =
    host.settings.net === 'unix'
      ? { path: socketPath(host, 'questions.sock') }
      : { host: bindAddressOf(host), port: 0 };
  server.listen(place);
  await once(server, 'listening');
  return readAddress(server, place);
}

/** @param {Server} server @param {() => void} hangUp    ends the connections that it still has */
export async function endServer(server, hangUp) {
  const closed = server.listening ? once(server, 'close') : undefined;
  server.close();
  hangUp();
  await closed;
}

/**
 * @param {HostContext} host
 * @param {Server} server                 of questions
 * @param {object} parts
 * @param {{ place: string, close: () => Promise<void> }} parts.requesters
 * @param {() => void} parts.hangUp       ends the connections that it still has
 * @param {Record<string, unknown>} [parts.more]   of the address
 * @returns {Promise<Listener>}
 */
export async function listenForRequests(host, server, { requesters, hangUp, more = {} }) {
  const at = await listenAt(host, server);
  server.on('error', (error) => host.onError(error));
  const close = async () => {
    await requesters.close();
    await endServer(server, hangUp);
  };
  return { address: JSON.stringify({ presence: requesters.place, at, ...more }), close };
}
