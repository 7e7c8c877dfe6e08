// The two ends of a SharedArrayBuffer: the master creates it and sends it to each thread with a port.

import { givePort, takePort } from '../../lib/channels/fork-channel.js';
import { RingLayout } from '../../lib/channels/ring/ring.js';
import { RingEnd } from '../../lib/channels/ring/ring-end.js';

/** @import { Channel, EndContext, GuestContext, HostContext, Listener } from '../../lib/types/index.js' */
/** @import { WordWaiting } from '../../lib/channels/ring/ring-end.js' */
/** @import { MessagePort } from 'node:worker_threads' */

/** @type {Record<string, (words: Int32Array) => WordWaiting | null>} */
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
    async close() {}, // the port closes when the thread ends
  };
}

/** @param {GuestContext} guest @returns {Promise<Channel>} */
export async function connect(guest) {
  const { memory, port } = await takePort(guest.line);
  const self = Number(guest.workerId.slice(1));
  return ringOverPort(port, ringEnd(guest, self, Number(guest.address), memory).open(self));
}

/**
 * @param {EndContext} end
 * @param {number | 'master'} self
 * @param {number} workers
 * @param {SharedArrayBuffer} [memory]   allocated by default
 */
function ringEnd(end, self, workers, memory) {
  const layout = new RingLayout(workers, Number(end.settings.ringBytes));
  const shared = memory ?? new SharedArrayBuffer(layout.bytes);
  const waiting = WAITING[String(end.settings.wake)](layout.doorbells(shared));
  return new RingEnd(end, { layout, memory: shared, self, waiting });
}

const MAX_BLOCK_MS = 1; // limits the delay of timers and of control messages

/** Does not block the event loop. @param {Int32Array} words @returns {WordWaiting} */
function waitingAsync(words) {
  return {
    wait(word, seen, whenOver) {
      // ES2024, in Node since 16; the types lack it.
      const { async, value } = /** @type {any} */ (Atomics).waitAsync(words, word, seen);
      if (async) value.then(whenOver);
      else setImmediate(whenOver);
    },
    wake: (word) => void Atomics.notify(words, word),
  };
}

/** Blocks the thread repeatedly, each time for at most MAX_BLOCK_MS. @param {Int32Array} words @returns {WordWaiting} */
function waitingBlocked(words) {
  return {
    wait(word, seen, whenOver) {
      setImmediate(() => {
        Atomics.wait(words, word, seen, MAX_BLOCK_MS);
        whenOver();
      });
    },
    wake: (word) => void Atomics.notify(words, word),
  };
}

const NEVER_ASLEEP = { notify() {}, sleep() {} };

/**
 * Connects a ring channel to a MessagePort, which carries no messages but closes when a thread disconnects.
 * @param {MessagePort} port
 * @param {ReturnType<import('../../lib/channels/ring/ring-end.js').RingEnd['open']>} opened
 */
function ringOverPort(port, { channel, notifier, leave }) {
  port.on('message', () => {}); // the listener keeps the thread alive while it only waits for memory
  port.on('close', () => {
    leave();
    channel.finish();
  });
  const close = () => port.close();
  channel.start({ ...(notifier ?? NEVER_ASLEEP), hangUp: close, cut: close });
  return channel;
}
