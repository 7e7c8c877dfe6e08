// Common parts of all ZeroMQ sockets: options, binding, reading, and handling failed sends.

import { rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { bindAddressOf, hostAndPort } from '../../lib/channels/addresses.js';
import { MAX_CONTROL_BYTES } from '../../lib/channels/message-channel.js';
import { socketPath } from '../../lib/channels/sockets.js';
import { BenchError } from '../../lib/errors.js';

/** @import { MessageChannel } from '../../lib/channels/message-channel.js' */
/** @import { EndContext, HostContext } from '../../lib/types/transports.js' */
/** @import { Dealer, Pull, Router, Subscriber, XPublisher } from 'zeromq' */
/** @typedef {Router | Dealer | Pull | Subscriber | XPublisher} Readable */

const LINGER_MS = 500; // time to send the last message; without a limit, a socket keeps its process alive
const HANDSHAKE_MS = 2_000; // as on other transports; libzmq would wait 30 s
// A multiple of the maximum size, so that the channel can refuse a message with a reason; the library would disconnect silently.
const SLACK = 2;
const IPV6_URL = /tcp:\/\/\[/;

/**
 * There is no high-water mark, and a send does not wait (its timeout is 0): each send succeeds or fails at once, so the library's rule of
 * one pending send at a time (EBUSY) never applies. The window of the message channel limits unread bytes.
 * @param {EndContext & { bindAddress?: string, address?: string }} end
 */
export function zeromqOptions(end) {
  return {
    linger: LINGER_MS,
    sendHighWaterMark: 0,
    receiveHighWaterMark: 0,
    sendTimeout: 0,
    handshakeInterval: HANDSHAKE_MS,
    maxMessageSize: Math.max(SLACK * end.maxMessageBytes, MAX_CONTROL_BYTES),
    // A reconnect within a measured launch would hide the loss of the connection.
    reconnectInterval: -1,
    // Off for IPv4 addresses, for which libzmq would otherwise use IPv6 sockets too.
    ipv6: isIPv6(bindAddressOf(end)) || IPV6_URL.test(end.address ?? ''),
  };
}

/**
 * @param {import('zeromq').Router | import('zeromq').Reply | import('zeromq').XPublisher | import('zeromq').Push} socket
 * @param {HostContext} host
 * @param {string} [name]
 * @returns {Promise<{ address: string, remove: () => Promise<void> }>}   `remove` deletes the file of a closed socket
 */
export async function bindZeromq(socket, host, name = 'zeromq') {
  if (host.settings.net === 'ipc') {
    const path = socketPath(host, `${name}.sock`);
    await socket.bind(`ipc://${path}`);
    return { address: `ipc://${path}`, remove: () => rm(path, { force: true }) }; // libzmq does not delete the file
  }
  // Names of inproc sockets must be unique in a process, which may run several launches.
  await socket.bind(
    host.settings.net === 'tcp'
      ? `tcp://${hostAndPort(bindAddressOf(host), '*')}`
      : `inproc://${host.launchId}-${name}-${host.token}`,
  );
  return { address: String(socket.lastEndpoint), remove: async () => {} };
}

/**
 * @param {import('zeromq').Socket} socket
 * @returns {() => Promise<void>} closes the socket, and resolves when its monitor has ended; its context must exist until then
 */
export function makeCloser(socket) {
  const ended = new Promise((resolve) => socket.events.on('end', () => resolve(undefined)));
  return () => {
    socket.close();
    return ended;
  };
}

/**
 * Reads until the socket is closed or fails. Errors of `onFrames` are not caught.
 * @param {Readable} socket
 * @param {(frames: Buffer[]) => void} onFrames
 * @param {(error: Error) => void} failed   called for errors of an open socket
 */
export async function readAll(socket, onFrames, failed) {
  const messages = socket[Symbol.asyncIterator]();
  for (;;) {
    let message;
    try {
      message = await messages.next();
    } catch (error) {
      if (!socket.closed) failed(/** @type {Error} */ (error));
      return;
    }
    if (message.done) return;
    onFrames(message.value);
  }
}

/** @param {MessageChannel} channel @returns {(error: Error) => void} handles failed sends and lost peers */
export function breakOffWith(channel) {
  return (error) => channel.breakOff(new BenchError('TRANSPORT', `lost ${channel.peer}: ${error.message}`));
}
