// Makes the paths of sockets, and listens and connects for stream transports. handshake.js authenticates peers.

import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { SOCKET_PATH_MAX_BYTES } from '../format/socket-url.js';
import { hostAndPort } from './addresses.js';
import { acceptHandshake, sendHandshake } from './handshake.js';
import { bufferSizer } from './socket-buffers.js';
import { StreamChannel } from './stream-channel.js';

/** @import { Channel, GuestContext, HostContext } from '../types/index.js' */
/** @typedef {{ path: string } | { host: string, port: number }} SocketAddress */
/** @typedef {{ noDelay?: boolean }} SocketOptions */

/**
 * @param {Pick<HostContext, 'scratchDir' | 'launchId' | 'token'>} host
 * @param {string} name
 * @returns {string} the path of a unix socket of this launch, or the name of a pipe on Windows
 * @throws {BenchError} PATH_TOO_LONG
 */
export function socketPath(host, name) {
  if (process.platform === 'win32') return `\\\\.\\pipe\\ipc-bench-${host.launchId}-${host.token}-${name}`;
  const path = join(host.scratchDir, name);
  const bytes = Buffer.byteLength(path);
  if (bytes > SOCKET_PATH_MAX_BYTES) {
    throw new BenchError(
      'PATH_TOO_LONG',
      `the socket path ${path} has ${bytes} bytes and the system allows ${SOCKET_PATH_MAX_BYTES}: set TMPDIR to a shorter folder`,
    );
  }
  return path;
}

/**
 * @param {SocketAddress} address       port 0 selects a free port
 * @param {HostContext} host
 * @param {SocketOptions} [socketOptions]
 * @param {import('./handshake.js').MakeChannel} [makeChannel]   creates a StreamChannel by default
 * @returns {Promise<{ address: string, close: () => Promise<void> }>}   `address` is for `connectOptions`
 */
export async function listenOn(address, host, socketOptions = {}, makeChannel = undefined) {
  const sizeBuffers = await bufferSizer(host.settings);
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer({ ...socketOptions, allowHalfOpen: false });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    acceptHandshake(socket, host, socket, makeChannel);
    try {
      sizeBuffers(socket);
    } catch (error) {
      host.onError(/** @type {Error} */ (error));
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => resolve(undefined));
  });
  server.on('error', (error) => host.onError(error));
  return {
    address: readAddress(server, address),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * @param {import('node:net').Server} server   must already be listening
 * @param {SocketAddress} address
 * @returns {string} the path, or 'host:port'
 */
export function readAddress(server, address) {
  if ('path' in address) return address.path;
  return hostAndPort(address.host, /** @type {import('node:net').AddressInfo} */ (server.address()).port);
}

/**
 * @param {SocketAddress} address
 * @param {GuestContext} guest
 * @param {SocketOptions} [socketOptions]
 * @param {(socket: Socket) => Channel} [makeChannel]
 * @returns {Promise<Channel>} resolves after the welcome of the master
 */
export async function connectTo(
  address,
  guest,
  socketOptions = {},
  makeChannel = (socket) => new StreamChannel(socket, guest),
) {
  const sizeBuffers = await bufferSizer(guest.settings);
  const socket = connect({ ...address, ...socketOptions });
  return sendHandshake(socket, guest, {
    makeChannel() {
      sizeBuffers(socket);
      return makeChannel(socket);
    },
  });
}

/**
 * Wraps the writes of all sockets of this process, which slows them down.
 * @param {() => void} onWrite   called after each write; Node has then tried to pass the bytes to the kernel
 */
export function watchSocketWrites(onWrite) {
  const prototype = /** @type {any} */ (Socket.prototype);
  for (const name of ['_write', '_writev']) {
    const write = prototype[name];
    /** @param {...any} given */
    prototype[name] = function (...given) {
      write.apply(this, given);
      onWrite();
    };
  }
}
