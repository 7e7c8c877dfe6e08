// Measures the network round trip between two agents with a few bytes over TCP, before a launch starts its workers. Tables show it beside
// the names of the hosts. The port rejects connections without the token of the launch.

import { connectOptions } from '../channels/addresses.js';
import { connectTo, listenOn } from '../channels/sockets.js';
import { StreamChannel } from '../channels/stream-channel.js';
import { BenchError } from '../errors.js';
import { US_PER_MS } from '../format/units.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */

const PROBES = 25;
const CONTEXT = Object.freeze({
  settings: Object.freeze({}),
  wireKind: /** @type {const} */ ('text'),
  maxMessageBytes: 16,
});

/**
 * @param {string} bindAddress
 * @param {string} token
 * @returns {Promise<{ address: string, close: () => Promise<void> }>} an echo server
 * @throws {BenchError} HOST if this host cannot listen there
 */
export async function openProbe(bindAddress, token) {
  const context = /** @type {HostContext} */ (
    /** @type {unknown} */ ({ ...CONTEXT, token, onChannel() {}, onRejected() {}, onError() {} })
  );
  const echo = (/** @type {string} */ _id, /** @type {import('node:net').Socket} */ socket) => {
    const channel = new StreamChannel(socket, context);
    channel.onMessage = (wire) => void channel.send(wire);
    return channel;
  };
  return listenOn({ host: bindAddress, port: 0 }, context, { noDelay: true }, echo).catch((cause) => {
    const next = 'start its agent with --bind and an address of its host';
    throw new BenchError('HOST', `cannot listen on ${bindAddress}: ${cause.message}; ${next}`, { cause });
  });
}

/**
 * @param {string} address   address of the echo server
 * @param {string} token
 * @param {AbortSignal} signal
 * @returns {Promise<number>} µs of the fastest round trip, since slower ones may include other waits
 * @throws {BenchError} TRANSPORT if the host of the master cannot be reached or closes the connection, or if `signal` aborts
 */
export async function probeRoundTripUs(address, token, signal) {
  const guest = /** @type {GuestContext} */ (
    /** @type {unknown} */ ({ ...CONTEXT, token, workerId: 'agent', address })
  );
  const channel = await connectTo(connectOptions(address), guest, { noDelay: true });
  const cut = new Promise((_, reject) => {
    const fail = () =>
      reject(new BenchError('TRANSPORT', 'the host of the master closed the connection before the launch'));
    channel.onClose = fail;
    signal.addEventListener('abort', fail);
  });
  cut.catch(() => {}); // `cut` may reject after the last round trip
  let fastestMs = Infinity;
  try {
    for (let probe = 0; probe < PROBES; probe += 1) {
      const sentMs = performance.now();
      const returned = new Promise((resolve) => {
        channel.onMessage = resolve;
      });
      channel.send('probe');
      await Promise.race([returned, cut]);
      fastestMs = Math.min(fastestMs, performance.now() - sentMs);
    }
  } finally {
    await channel.close();
  }
  return US_PER_MS * fastestMs;
}
