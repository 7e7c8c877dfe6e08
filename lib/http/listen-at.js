// Where a server of questions listens, how it is found there, and how it ends.

import { once } from 'node:events';
import { socketPath } from '../transport-kit/sockets.js';

/** @import { HostContext, Listener } from '../types/transports.js' */
/** @import { Server } from 'node:net' */

const LOOPBACK = '127.0.0.1';

/**
 * @param {HostContext} host
 * @param {Server} server
 * @returns {Promise<string>} where: 'ip:port', or the path of a unix socket
 */
export async function listenAt(host, server) {
  const path = host.settings.net === 'unix' ? socketPath(host, 'questions.sock') : null;
  server.listen(path === null ? { host: LOOPBACK, port: 0 } : { path });
  await once(server, 'listening');
  if (path !== null) return path;
  return `${LOOPBACK}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}

/**
 * @param {string} at     as `listenAt` gave it
 * @returns {{ path: string } | { host: string, port: number }} for connect() of node:net
 */
export function placeOf(at) {
  const [, host, port] = /^([\d.]+):(\d+)$/.exec(at) ?? [];
  return host === undefined ? { path: at } : { host, port: Number(port) };
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
 * @param {{ place: string, close: () => Promise<void> }} parts.askers
 * @param {() => void} parts.hangUp       ends the connections that it still has
 * @param {Record<string, unknown>} [parts.more]   of the address
 * @returns {Promise<Listener>}
 */
export async function listenForQuestions(host, server, { askers, hangUp, more = {} }) {
  const at = await listenAt(host, server);
  server.on('error', (error) => host.onError(error));
  const close = async () => {
    await askers.close();
    await endServer(server, hangUp);
  };
  return { address: JSON.stringify({ presence: askers.place, at, ...more }), close };
}
