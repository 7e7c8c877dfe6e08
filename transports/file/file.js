// A file for each message, found by fs.watch. Its cost depends on the scratch folder: TMPDIR=/dev/shm keeps it in memory.

import { streamTraits } from '../../lib/channels/shared-traits.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'file',
  summary: 'a file for each message, in a watched folder (fs.watch)',
  traits: {
    ...streamTraits,
    class: 'memory',
    reach: 'host',
    usesForkHandles: true,
    guarantee: 'ordered and complete while both ends live; written, but not forced to the disk',
    isCostly: true,
    platforms: ['linux', 'darwin', 'freebsd'],
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/fs.html#caveats',
      'https://man7.org/linux/man-pages/man7/inotify.7.html',
      'https://man7.org/linux/man-pages/man2/rename.2.html',
      'https://cr.yp.to/proto/maildir.html', // maildir also writes drafts in a separate folder
    ],
  },
  look: { hue: 'pink', marker: 'square' },
  carries: ['text', 'bytes'],
  settings: {
    sync: {
      summary: 'synchronous calls of node:fs instead of its pool of threads',
      default: false,
      changesRoute: true,
    },
  },
  listen: async (host) => (await import('./file-folders.js')).receiveByFiles(host),
  connect: async (guest) => (await import('./file-folders.js')).joinByFiles(guest),
};
