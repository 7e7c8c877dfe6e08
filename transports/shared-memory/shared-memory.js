// Memory that both processes have mapped, with a ring each way for each worker. A unix socket tells who may join and who
// has left, and wakes an end that sleeps.

import { whyNotLoadable } from '../../lib/machine/package-check.js';
import { RingLayout } from '../../lib/rings/ring-layout.js';
import { ringSettings, ringTraitsOf } from '../../lib/rings/ring-settings.js';
import { orUndo } from '../../lib/transport-kit/or-undo.js';
import { connectTo, listenOn, socketPath } from '../../lib/transport-kit/sockets.js';
import { streamTraits } from '../../lib/transport-kit/stream-traits.js';
import { createMemory, openMemory } from './mapped-memory.js';
import { mappedRingEnd } from './mapped-ring-end.js';
import { ringOverSocket } from './ring-over-socket.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'shared-memory',
  summary: 'memory that both processes map, a ring each way',
  traits: {
    ...streamTraits,
    class: 'memory',
    reach: 'host',
    mechanism: 'memory',
    platforms: ['linux', 'darwin'],
    packages: ['koffi'],
    sources: [
      'https://koffi.dev/pointers#external-buffers-views',
      'https://man7.org/linux/man-pages/man2/memfd_create.2.html',
      'https://man7.org/linux/man-pages/man2/futex.2.html',
    ],
  },
  traitsOf: ringTraitsOf,
  look: { hue: 'pink', marker: 'diamond', ownsHue: true },
  carries: ['text', 'bytes'],
  settings: {
    wake: {
      summary:
        'what an end does while it waits; doorbell: it sleeps until a byte comes on a unix socket; futex: it sleeps until ' +
        'a word changes, in a thread of the pool; spin: it looks again and again, at a whole core',
      default: 'doorbell',
      choices: ['doorbell', 'spin', ...(process.platform === 'linux' ? ['futex'] : [])],
      changesTheWay: true,
    },
    ...ringSettings,
  },
  whyUnavailable: () => whyNotLoadable('koffi'),
  async listen(host) {
    const path = socketPath(host, 'master.sock');
    const layout = new RingLayout(host.workers, Number(host.settings.ringBytes));
    const { memory, path: memoryPath, forget } = await createMemory(layout.bytes, host);
    return orUndo(forget, async () => {
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
  },
  async connect(guest) {
    const { path, memoryPath, workers } = JSON.parse(guest.address);
    const layout = new RingLayout(workers, Number(guest.settings.ringBytes));
    const self = layout.indexOf(guest.workerId);
    const own = await mappedRingEnd(guest, layout, await openMemory(memoryPath, layout.bytes), self);
    return connectTo({ path }, guest, {}, (socket) => ringOverSocket(socket, own.open(self)));
  },
};
