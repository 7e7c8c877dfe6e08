// The two ends of mapped memory: the master creates the memory, and workers open it.

import { RingLayout } from '../../lib/channels/ring/ring.js';
import { RingEnd } from '../../lib/channels/ring/ring-end.js';
import { connectTo, listenOn, socketPath } from '../../lib/channels/sockets.js';
import { withRollback } from '../../lib/channels/with-rollback.js';
import { createMemory, futexWaiting, loadCpuYielder, openMemory } from './mapped-memory.js';

/** @import { EndContext, GuestContext, HostContext, Listener } from '../../lib/types/index.js' */

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

/**
 * @param {EndContext} end
 * @param {import('../../lib/channels/ring/ring.js').RingLayout} layout
 * @param {ArrayBuffer} memory
 * @param {number | 'master'} self
 */
async function mappedRingEnd(end, layout, memory, self) {
  const waiting = end.settings.wake === 'futex' ? await futexWaiting(layout.doorbells(memory)) : null;
  return new RingEnd(end, { layout, memory, self, waiting, yieldCpu: await loadCpuYielder() });
}

const DOORBELL = Buffer.of(1);

/**
 * Connects a ring channel to the socket of its handshake, which closes when an end disconnects. Without another notifier, a byte on the
 * socket wakes an end that sleeps.
 * @param {import('node:net').Socket} socket
 * @param {ReturnType<import('../../lib/channels/ring/ring-end.js').RingEnd['open']>} opened
 */
function ringOverSocket(socket, { channel, notifier, leave }) {
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
  const doorbell = { notify: () => void (socket.writable && socket.write(DOORBELL)), sleep() {} };
  channel.start({
    ...(notifier ?? doorbell),
    hangUp: () => void socket.end(),
    cut: () => void socket.destroy(),
  });
  return channel;
}
