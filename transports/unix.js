// A unix domain socket in the private folder of the launch; on Windows, node:net uses a named pipe instead.

import { rm } from 'node:fs/promises';
import { coalescingOf, streamSettings, streamTraits } from '../lib/channels/shared-traits.js';
import { bufferSettings, buffersProblem } from '../lib/channels/socket-buffers.js';
import { connectTo, listenOn, socketPath } from '../lib/channels/sockets.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'unix',
  summary: 'unix domain socket (named pipe on Windows)',
  traits: {
    ...streamTraits,
    class: 'socket',
    reach: 'host',
    reconnects: true,
    mechanism: 'unix',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/net.html#ipc-support',
      'https://man7.org/linux/man-pages/man7/unix.7.html',
    ],
  },
  traitsOf: coalescingOf,
  look: { hue: 'blue', marker: 'square', ownsHue: true },
  carries: ['text', 'bytes'],
  // There is no setting rcvbuf, since it has no effect on a unix socket of Linux: unix(7).
  settings: { ...streamSettings, sndbuf: bufferSettings.sndbuf },
  whyUnavailable: buffersProblem,
  async listen(host) {
    const address = socketPath(host, 'master.sock');
    const { close } = await listenOn({ path: address }, host);
    return { address, close };
  },
  peerEnd(host) {
    const path = socketPath(host, 'master.sock');
    const { flush } = host.settings;
    return { order: { path, flush }, address: () => path, cleanUp: () => rm(path, { force: true }) };
  },
  connect: (guest) => connectTo({ path: guest.address }, guest),
};
