// Worker threads of the master, and a SharedArrayBuffer with a ring each way for each of them.

import { RingEnd } from '../../lib/rings/ring-end.js';
import { RingLayout } from '../../lib/rings/ring-layout.js';
import { ringSettings, ringTraitsOf } from '../../lib/rings/ring-settings.js';
import { streamTraits } from '../../lib/transport-kit/stream-traits.js';
import { givePort, takePort } from '../../lib/transport-kit/thread-line.js';
import { waitingAsync, waitingBlocked } from './atomics-waiting.js';
import { ringOverPort } from './ring-over-port.js';

/** @type {Record<string, (words: Int32Array) => import('../../lib/rings/word-bell.js').WordWaiting | null>} */
const WAITING = { waitAsync: waitingAsync, wait: waitingBlocked, spin: () => null };

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'threads-shared',
  summary: 'worker threads, not processes: a ring each way in a SharedArrayBuffer',
  traits: {
    ...streamTraits,
    class: 'thread',
    reach: 'host',
    mechanism: 'memory',
    ridesOnStart: true,
    guarantee: 'ordered and complete while the one process lives: its ends are threads',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/worker_threads.html#portpostmessagevalue-transferlist',
      'https://tc39.es/proposal-atomics-wait-async',
      'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Atomics/wait',
    ],
  },
  traitsOf: ringTraitsOf,
  look: { hue: 'pink', marker: 'triangle' },
  carries: ['text', 'bytes'],
  settings: {
    wake: {
      summary:
        'what an end does while it waits; waitAsync: it sleeps, Atomics.waitAsync; wait: it stands still for 1 ms at most ' +
        'at each turn of its event loop, Atomics.wait; spin: it looks again and again, at a whole core',
      default: 'waitAsync',
      choices: Object.keys(WAITING),
      changesTheWay: true,
    },
    ...ringSettings,
  },
  async listen(host) {
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
  },
  async connect(guest) {
    const { memory, port } = await takePort(guest.line);
    const self = Number(guest.workerId.slice(1));
    return ringOverPort(port, ringEnd(guest, self, Number(guest.address), memory).open(self));
  },
};

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
