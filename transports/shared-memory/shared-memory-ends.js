// The two ends of memory that is mapped: the master makes it, workers open it.

import { RingLayout } from '../../lib/transport/ring/ring.js';
import { RingEnd } from '../../lib/transport/ring/ring-end.js';
import { connectTo, listenOn, socketPath } from '../../lib/transport/sockets.js';
import { withRollback } from '../../lib/transport/with-rollback.js';
import { createMemory, futexWaiting, loadCpuYielder, openMemory } from './mapped-memory.js';

/** @import { GuestContext, HostContext } from '../../lib/types/index.js' */

/** @typedef {import('../../lib/types/transports.js').Listener} Listener */

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listen(host) {
  const path = socketPath(host, 'master.sock');
  const layout = new RingLayout(host.workers, Number(host.settings.ringBytes));
  const { memory, path: memoryPath, forget } = await createMemory(layout.bytes, host);
  return withRollback(forget, async () => {
    const master = await mappedRingEnd(host, layout, memory, 'master');
    const joined = new Set();
    const { close } = await listenOn({ path }, host, {}, (workerId, socket) => {
      const worker = layout.indexOf(workerId);
      if (worker < 0 || joined.has(worker)) return null;
      joined.add(worker);
      return ringOverSocket(socket, master.open(worker));
    });
    const address = JSON.stringify({ path, memoryPath, workers: host.workers });
    return { address, close: () => close().finally(forget) };
  });
}

/** @param {GuestContext} guest */
export async function connect(guest) {
  const { path, memoryPath, workers } = JSON.parse(guest.address);
  const layout = new RingLayout(workers, Number(guest.settings.ringBytes));
  const self = layout.indexOf(guest.workerId);
  const own = await mappedRingEnd(guest, layout, await openMemory(memoryPath, layout.bytes), self);
  return connectTo({ path }, guest, {}, (socket) => ringOverSocket(socket, own.open(self)));
}

// A process' end of the rings in mapped memory, with what only the system can do for it.

/**
 * @param {import('../../lib/types/transports.js').EndContext} end
 * @param {import('../../lib/transport/ring/ring.js').RingLayout} layout
 * @param {ArrayBuffer} memory
 * @param {number | 'master'} self
 */
async function mappedRingEnd(end, layout, memory, self) {
  const waiting = end.settings.wake === 'futex' ? await futexWaiting(layout.bells(memory)) : null;
  return new RingEnd(end, { layout, memory, self, waiting, yieldCpu: await loadCpuYielder() });
}

// Ties a ring channel to the socket over which its ends found each other: it tells when one has left, and unless there is
// another bell, a byte on it wakes an end that sleeps.

const DOORBELL = Buffer.of(1);

/**
 * @param {import('node:net').Socket} socket
 * @param {ReturnType<import('../../lib/transport/ring/ring-end.js').RingEnd['open']>} opened
 */
function ringOverSocket(socket, { channel, bell, leave }) {
  /** @type {Error | undefined} */
  let reason;
  socket.on('data', channel.wake);
  socket.on('error', (error) => {
    reason ??= error;
  });
  socket.on('close', () => {
    leave();
    channel.finish(reason);
  });
  const doorbell = { ring: () => void (socket.writable && socket.write(DOORBELL)), sleep() {} };
  channel.start({ ...(bell ?? doorbell), hangUp: () => void socket.end(), cut: () => void socket.destroy() });
  return channel;
}
