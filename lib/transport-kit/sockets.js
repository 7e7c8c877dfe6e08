// Listening and connecting for stream transports. Whoever connects must send the launch's token in the first frame;
// everybody else is a stranger: bounded in bytes and time, counted, and turned away without harm.

import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { FrameReader, frameOf } from './framing.js';
import { StreamChannel } from './stream-channel.js';
import { isSameToken } from './token.js';

/** @typedef {import('../types.js').HostContext} HostContext */
/** @typedef {import('../types.js').GuestContext} GuestContext */
/** @typedef {import('node:net').Socket} Socket */
/** @typedef {{ path: string } | { host: string, port: number }} Place */
/** @typedef {{ noDelay?: boolean }} SocketOptions */

const HELLO_DEADLINE_MS = 2_000; // NATS gives as long for its AUTH (server/const.go: AUTH_TIMEOUT)
const HELLO_MAX_BYTES = 1_024;
const CONNECT_DEADLINE_MS = 5_000;
const WELCOME = 'welcome';
// sun_path is 108 bytes on Linux and 104 elsewhere, with its NUL; Node 20 cuts longer paths off without a word.
const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * @param {Pick<HostContext, 'scratchDir' | 'launchId' | 'token'>} host
 * @param {string} name
 * @returns {string} where a unix socket of this launch goes: a path, or a pipe name on Windows
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
 * @param {Place} place       port 0: the system picks a free one
 * @param {HostContext} host
 * @param {SocketOptions} [socketOptions]
 * @returns {Promise<{ port: number | null, close: () => Promise<void> }>}
 */
export async function listenOn(place, host, socketOptions = {}) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer({ ...socketOptions, allowHalfOpen: false });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    greet(socket, host);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => resolve(undefined));
  });
  server.on('error', (error) => host.onError(error));
  const bound = server.address();
  return {
    port: bound !== null && typeof bound === 'object' ? bound.port : null,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * @param {Socket} socket
 * @param {HostContext} host
 */
function greet(socket, host) {
  let isDecided = false;
  const turnAway = (/** @type {string} */ why) => {
    if (isDecided) return;
    isDecided = true;
    clearTimeout(deadline);
    socket.destroy();
    host.onStranger(why);
  };
  const deadline = setTimeout(() => turnAway('said nothing in time'), HELLO_DEADLINE_MS);
  const onData = (/** @type {Buffer} */ chunk) => {
    try {
      hello.push(chunk);
    } catch {
      turnAway('sent something that is no frame');
    }
  };
  const onError = () => turnAway('broke the connection');
  const onClose = () => turnAway('left without a word');
  const hello = new FrameReader({
    kind: 'text',
    maxBodyBytes: HELLO_MAX_BYTES,
    onFrame(/** @type {string} */ text) {
      const [token, workerId, ...rest] = text.split(' ');
      if (rest.length > 0 || workerId === undefined || !isSameToken(token, host.token)) {
        return turnAway('did not know the token');
      }
      if (isDecided) return;
      isDecided = true;
      clearTimeout(deadline);
      hello.stop();
      socket.off('data', onData).off('error', onError).off('close', onClose);
      socket.write(frameOf(WELCOME));
      host.onChannel(new StreamChannel(socket, host), workerId);
    },
  });
  socket.on('data', onData).on('error', onError).on('close', onClose);
}

/**
 * @param {Place} place
 * @param {GuestContext} guest
 * @param {SocketOptions} [socketOptions]
 * @returns {Promise<StreamChannel>} when the master has welcomed us
 */
export function connectTo(place, guest, socketOptions = {}) {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...place, ...socketOptions });
    const fail = (/** @type {string} */ why, /** @type {unknown} */ cause) => {
      clearTimeout(deadline);
      socket.destroy();
      reject(
        new BenchError('TRANSPORT', `${guest.workerId} could not connect to the master: ${why}`, { cause }),
      );
    };
    const onError = (/** @type {Error} */ error) => fail(error.message, error);
    const onClose = () => fail('it hung up before its welcome', undefined);
    const deadline = setTimeout(
      () => fail(`no welcome within ${CONNECT_DEADLINE_MS} ms`, undefined),
      CONNECT_DEADLINE_MS,
    );
    const welcome = frameOf(WELCOME);
    let received = Buffer.alloc(0);
    const onData = (/** @type {Buffer} */ chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < welcome.length) return;
      if (!received.subarray(0, welcome.length).equals(welcome)) {
        return fail('it answered something else than a welcome', undefined);
      }
      socket.pause();
      socket.off('data', onData).off('error', onError).off('close', onClose);
      clearTimeout(deadline);
      // What came behind the welcome goes back into the stream, to be read once the core has its handlers in place.
      if (received.length > welcome.length) socket.unshift(received.subarray(welcome.length));
      resolve(new StreamChannel(socket, guest));
      socket.pause(); // the channel's listener has made it flow
      setImmediate(() => socket.resume());
    };
    socket.on('error', onError).on('close', onClose).on('data', onData);
    socket.on('connect', () => socket.write(frameOf(`${guest.token} ${guest.workerId}`)));
  });
}
