// Two named pipes for each worker, one per direction. (The named pipes of Windows are duplex; the transport unix uses them.)
//
// blocking=true affects only the worker: it reads and writes like a program with a thread per connection, while the master serves many
// connections in its event loop. See blocking-channel.js.

import { coalescingOf, streamSettings, streamTraits } from '../../lib/channels/shared-traits.js';
import { findOnPath } from '../../lib/children/launcher.js';

/** @import { Setting, Transport } from '../../lib/types/transports.js' */

/** @type {Record<string, Setting>} */
const blockingSetting = {
  blocking: {
    summary: 'the worker blocks in read() until its response arrives, instead of waiting in its event loop',
    default: false,
    changesRoute: true,
    changesListener: true,
  },
};

/** @returns {string | null} reason and remedy */
export function fifoUnavailableReason() {
  if (findOnPath('mkfifo') !== undefined) return null;
  return 'the program mkfifo is not on the PATH: install coreutils (or busybox)';
}

/** @type {Transport} */
export default {
  name: 'fifo',
  summary: 'named pipes, one for each direction (mkfifo)',
  traits: {
    ...streamTraits,
    platforms: ['linux', 'darwin', 'freebsd'],
    class: 'pipe',
    reach: 'host',
    mechanism: 'pipe',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/net.html#new-netsocketoptions', // the option `fd`
      'https://man7.org/linux/man-pages/man7/fifo.7.html',
      'https://man7.org/linux/man-pages/man7/pipe.7.html',
    ],
  },
  traitsOf: (settings) => ({
    ...coalescingOf(settings),
    ...(settings.blocking === true && { blocksForResponses: /** @type {const} */ (true) }),
  }),
  look: { hue: 'violet', marker: 'triangle' },
  carries: ['text', 'bytes'],
  settings: {
    ...streamSettings,
    ...blockingSetting,
  },
  whyUnavailable: async () => fifoUnavailableReason(),
  listen: async (host) => (await import('./fifo-ends.js')).listenOverFifos(host),
  connect: async (guest) => (await import('./fifo-ends.js')).connectOverFifos(guest),
};
