// The two ends of a SharedArrayBuffer: the master makes it, and gives each thread a port with it.

import { givePort, takePort } from '../../lib/transport/fork-channel.js';
import { RingLayout } from '../../lib/transport/ring/ring.js';
import { RingEnd } from '../../lib/transport/ring/ring-end.js';

/** @import { Channel, GuestContext, HostContext } from '../../lib/types/index.js' */
/** @import { WordWaiting } from '../../lib/transport/ring/ring-end.js' */
/** @import { MessagePort } from 'node:worker_threads' */

/** @typedef {import('../../lib/types/transports.js').Listener} Listener */

/** @type {Record<string, (words: Int32Array) => import('../../lib/transport/ring/ring-end.js').WordWaiting | null>} */
const WAITING = { waitAsync: waitingAsync, wait: waitingBlocked, spin: () => null };

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listen(host) {
  const master = ringEnd(host, 'master', host.workers);
  return {
    address: String(host.workers),
    fork: { thread: true },
    adopt: (line, workerId) =>
      givePort(line, { memory: master.memory }, (port) => {
        const worker = master.layout.indexOf(workerId);
        host.onChannel(ringOverPort(port, master.open(worker)), workerId);
      }),
    async close() {}, // a port of a thread that is gone is closed already
  };
}

/** @param {GuestContext} guest @returns {Promise<Channel>} */
export async function connect(guest) {
  const { memory, port } = await takePort(guest.line);
  const self = Number(guest.workerId.slice(1));
  return ringOverPort(port, ringEnd(guest, self, Number(guest.address), memory).open(self));
}

/**
 * @param {import('../../lib/types/transports.js').EndContext} end
 * @param {number | 'master'} self
 * @param {number} workers
 * @param {SharedArrayBuffer} [memory]   absent: it is made
 */
function ringEnd(end, self, workers, memory) {
  const layout = new RingLayout(workers, Number(end.settings.ringBytes));
  const shared = memory ?? new SharedArrayBuffer(layout.bytes);
  const waiting = WAITING[String(end.settings.wake)](layout.bells(shared));
  return new RingEnd(end, { layout, memory: shared, self, waiting });
}

// Waiting for a word that threads share to change, by JavaScript's own means.

const LONGEST_BLOCK_MS = 1; // what a timer or the control line has to wait for at most

/** The event loop goes on meanwhile. @param {Int32Array} words   of a SharedArrayBuffer @returns {WordWaiting} */
function waitingAsync(words) {
  return {
    wait(word, seen, whenOver) {
      // ES2024, in Node since 16: the types that are used here do not know it.
      const { async, value } = /** @type {any} */ (Atomics).waitAsync(words, word, seen);
      if (async) value.then(whenOver);
      else setImmediate(whenOver);
    },
    wake: (word) => void Atomics.notify(words, word),
  };
}

/**
 * The thread stands still, again and again for a short while.
 * @param {Int32Array} words   of a SharedArrayBuffer
 * @returns {WordWaiting}
 */
function waitingBlocked(words) {
  return {
    wait(word, seen, whenOver) {
      setImmediate(() => {
        Atomics.wait(words, word, seen, LONGEST_BLOCK_MS);
        whenOver();
      });
    },
    wake: (word) => void Atomics.notify(words, word),
  };
}

// Ties a ring channel to a MessagePort between its threads, over which nothing goes: it tells when one has left.

const ASLEEP = { ring() {}, sleep() {} }; // an end that never sleeps needs no bell

/** @param {MessagePort} port @param {ReturnType<import('../../lib/transport/ring/ring-end.js').RingEnd['open']>} opened */
function ringOverPort(port, { channel, bell, leave }) {
  port.on('message', () => {}); // keeps a thread that waits for memory alone from ending
  port.on('close', () => {
    leave();
    channel.finish();
  });
  const close = () => port.close();
  channel.start({ ...(bell ?? ASLEEP), hangUp: close, cut: close });
  return channel;
}
