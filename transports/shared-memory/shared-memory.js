// Memory that both processes map, with a ring per direction for each worker. A unix socket carries the handshake, closes when an end
// disconnects, and by default wakes an end that sleeps.

import { ringSettings, ringTraitsOf, streamTraits } from '../../lib/channels/shared-traits.js';
import { packageProblem } from '../../lib/machine/packages.js';

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
        'what an end does while it waits; doorbell: it sleeps until a byte arrives on a unix socket; futex: it sleeps until ' +
        'a word changes, in a thread of the pool; spin: it busy-waits, which costs a core',
      default: 'doorbell',
      choices: ['doorbell', 'spin', ...(process.platform === 'linux' ? ['futex'] : [])],
      changesRoute: true,
    },
    ...ringSettings,
  },
  whyUnavailable: () => packageProblem('koffi'),
  listen: async (host) => (await import('./shared-memory-ends.js')).listen(host),
  connect: async (guest) => (await import('./shared-memory-ends.js')).connect(guest),
};
