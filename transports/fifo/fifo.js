// Two named pipes for each worker, one each way; on Windows the named pipe that node:net offers, which is duplex.
//
// blocking=true is the worker's side alone: it reads and writes as a program does that has a thread for its connection,
// while the master serves many and keeps to its event loop. See transports/fifo/blocking-channel.js.

import { findOnPath } from '../../lib/children/launcher.js';
import { coalescingOf, streamTraits } from '../../lib/transport/shared-traits.js';
import { connectTo, listenOn, socketPath } from '../../lib/transport/sockets.js';
import { streamSettings } from '../../lib/transport/stream-channel.js';

const IS_WINDOWS = process.platform === 'win32';

/** @type {Record<string, import('../../lib/types/transports.js').Setting>} */
const blockingSetting = {
  blocking: {
    summary: 'the worker blocks in read() until its response arrives, instead of waiting in its event loop',
    default: false,
    changesTheWay: true,
    changesTheDoor: true,
  },
};

/** @returns {string | undefined} reason and remedy */
export function fifoUnavailableReason() {
  if (findOnPath('mkfifo') === undefined)
    return 'the program mkfifo is not on the PATH: install coreutils (or busybox)';
}

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'fifo',
  summary: 'named pipes, one for each direction (mkfifo)',
  traits: {
    ...streamTraits,
    class: 'pipe',
    reach: 'host',
    mechanism: 'pipe',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/net.html#new-netsocketoptions', // fd
      'https://man7.org/linux/man-pages/man7/fifo.7.html',
      'https://man7.org/linux/man-pages/man7/pipe.7.html',
    ],
  },
  traitsOf: coalescingOf,
  look: { hue: 'violet', marker: 'triangle' },
  carries: ['text', 'bytes'],
  settings: {
    ...streamSettings,
    ...(IS_WINDOWS ? {} : blockingSetting),
  },
  whyUnavailable: async () => (IS_WINDOWS ? undefined : fifoUnavailableReason()),
  async listen(host) {
    if (!IS_WINDOWS) return (await import('./fifo-door.js')).listenAtDoor(host);
    const address = socketPath(host, 'fifo');
    const { close } = await listenOn({ path: address }, host);
    return { address, close };
  },
  async connect(guest) {
    if (!IS_WINDOWS) return (await import('./fifo-door.js')).enterByDoor(guest);
    return connectTo({ path: guest.address }, guest);
  },
};
