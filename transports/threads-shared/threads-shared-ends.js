// The two ends of a SharedArrayBuffer: the master makes it, and gives each thread a port with it.

import { RingEnd } from '../../lib/transport/ring/ring-end.js';
import { RingLayout } from '../../lib/transport/ring/ring-layout.js';
import { givePort, takePort } from '../../lib/transport/thread-port.js';
import { waitingAsync, waitingBlocked } from './atomics-waiting.js';
import { ringOverPort } from './ring-over-port.js';

/** @import { Channel, GuestContext, HostContext } from '../../lib/types/index.js' */
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
