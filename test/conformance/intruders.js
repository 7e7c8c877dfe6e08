// Unauthenticated peers of a socket, and what they send.

import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { within, withRemedy } from './deadline.js';

/** @typedef {{ path: string } | { host: string, port: number }} SocketAddress */

const TRICKLE_MS = 1_000;
// The handshake has 2 s, plus a margin for a busy machine.
const TURNED_AWAY_MS = 4_000;

/** @type {Record<string, Buffer>} */
const OPENINGS = {
  'plain garbage': Buffer.from('GARBAGE\n'),
  'an HTTP request': Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  // The first bytes of a ClientHello: handshake record of TLS 1.0 with 512 bytes to come, RFC 8446 section 5.1
  'a TLS hello': Buffer.from('16030102000100', 'hex'),
  'a length of 4 GiB': Buffer.from('ffffffff', 'hex'),
  'a length of 2 GiB': Buffer.from('7fffffff', 'hex'),
  'a length of 0': Buffer.alloc(4),
  'every byte there is': Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  'a megabyte of nothing': Buffer.alloc(1_048_576),
};

/**
 * @param {string} address     of the listener
 * @param {string} scratchDir
 * @returns {Promise<SocketAddress[]>} where anybody may connect: sockets in the scratch folder, pipes and ports of the address
 */
export async function listSocketAddresses(address, scratchDir) {
  const entries = await readdir(scratchDir, { withFileTypes: true });
  /** @type {SocketAddress[]} */
  const socketAddresses = entries
    .filter((entry) => entry.isSocket())
    .map((entry) => ({ path: join(scratchDir, entry.name) }));
  if (address.startsWith('\\\\.\\pipe\\')) socketAddresses.push({ path: address });
  for (const [, host, port] of address.matchAll(/(\d+\.\d+\.\d+\.\d+):(\d+)/g)) {
    socketAddresses.push({ host, port: Number(port) });
  }
  return socketAddresses;
}

/**
 * @param {SocketAddress} socketAddress
 * @returns {Promise<boolean>}
 */
export function canConnect(socketAddress) {
  return new Promise((resolve) => {
    const socket = connect(socketAddress);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/**
 * Connects unauthenticated peers that send noise at once, and one that closes at once.
 * @param {SocketAddress} socketAddress
 * @returns {Promise<() => void>} resolves when all is said; sends away those who are still there
 */
export async function knockLoudly(socketAddress) {
  const hasty = openSocket(socketAddress);
  hasty.once('connect', () => ('port' in socketAddress ? hasty.resetAndDestroy() : hasty.destroy()));
  const sockets = [hasty, ...Object.values(OPENINGS).map(() => openSocket(socketAddress))];
  const saying = Object.values(OPENINGS).map((opening, index) => {
    const socket = sockets[index + 1];
    // It may be rejected before it has sent everything.
    return Promise.race([new Promise((resolve) => socket.write(opening, resolve)), closeOf(socket)]);
  });
  await within(TURNED_AWAY_MS, 'saying something to the listener', Promise.all([...saying, closeOf(hasty)]));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/**
 * Connects unauthenticated peers that send nothing, or only a few bytes.
 * @param {SocketAddress} socketAddress
 * @returns {Promise<void>} resolves when they have been turned away, rejects when one is still there
 */
export async function connectSilently(socketAddress) {
  const silent = openSocket(socketAddress);
  const slow = openSocket(socketAddress);
  // The start of a length or of a ZMTP greeting, which may still become valid.
  const trickle = setInterval(() => slow.write(Buffer.of(0xff)), TRICKLE_MS);
  try {
    const rejected = Promise.all([
      within(TURNED_AWAY_MS, 'the rejection of an unauthenticated peer that sends nothing', closeOf(silent)),
      within(
        TURNED_AWAY_MS,
        'the rejection of an unauthenticated peer that sends a byte a second',
        closeOf(slow),
      ),
    ]);
    await withRemedy('close a connection from which no token has come within 2 s', rejected);
  } finally {
    clearInterval(trickle);
    silent.destroy();
    slow.destroy();
  }
}

/** @param {SocketAddress} socketAddress */
function openSocket(socketAddress) {
  // It may be reset.
  return connect(socketAddress)
    .on('error', () => {})
    .resume();
}

/** @param {import('node:net').Socket} socket */
function closeOf(socket) {
  return new Promise((resolve) => socket.once('close', resolve));
}
