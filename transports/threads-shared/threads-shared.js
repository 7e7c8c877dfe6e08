// Worker threads of the master, and a SharedArrayBuffer with a ring per direction for each thread.

import { ringSettings, ringTraitsOf, streamTraits } from '../../lib/channels/shared-traits.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'threads-shared',
  summary: 'worker threads, not processes: a ring each way in a SharedArrayBuffer',
  traits: {
    ...streamTraits,
    class: 'thread',
    reach: 'host',
    mechanism: 'memory',
    usesForkHandles: true,
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
        'what an end does while it waits; waitAsync: it sleeps, Atomics.waitAsync; wait: it blocks for up to 1 ms ' +
        'in each turn of its event loop, Atomics.wait; spin: it busy-waits, which costs a core',
      default: 'waitAsync',
      choices: ['waitAsync', 'wait', 'spin'],
      changesRoute: true,
    },
    ...ringSettings,
  },
  listen: async (host) => (await import('./threads-shared-ends.js')).listen(host),
  connect: async (guest) => (await import('./threads-shared-ends.js')).connect(guest),
};
