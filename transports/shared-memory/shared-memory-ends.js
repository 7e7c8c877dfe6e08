// The two ends of memory that is mapped: the master makes it, workers open it.

import { RingLayout } from '../../lib/transport/ring/ring-layout.js';
import { connectTo, listenOn, socketPath } from '../../lib/transport/sockets.js';
import { withRollback } from '../../lib/transport/with-rollback.js';
import { createMemory, openMemory } from './mapped-memory.js';
import { mappedRingEnd } from './mapped-ring-end.js';
import { ringOverSocket } from './ring-over-socket.js';

/** @import { Channel, GuestContext, HostContext } from '../../lib/types/index.js' */
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

/** @param {GuestContext} guest @returns {Promise<Channel>} */
export async function connect(guest) {
  const { path, memoryPath, workers } = JSON.parse(guest.address);
  const layout = new RingLayout(workers, Number(guest.settings.ringBytes));
  const self = layout.indexOf(guest.workerId);
  const own = await mappedRingEnd(guest, layout, await openMemory(memoryPath, layout.bytes), self);
  return connectTo({ path }, guest, {}, (socket) => ringOverSocket(socket, own.open(self)));
}
