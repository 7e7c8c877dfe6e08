// A unix domain socket in the launch's private folder; a named pipe on Windows, where node:net offers that instead.

import { connectTo, listenOn, socketPath, streamSettings } from '../lib/transport-kit/index.js';

/** @type {import('../lib/types.js').Transport} */
export default {
  name: 'unix',
  summary: 'unix domain socket (named pipe on Windows)',
  traits: {
    class: 'socket',
    reach: 'host',
    direction: 'duplex',
    guarantee: 'ordered and complete while both ends live',
    greatestMessageBytes: Infinity,
    platforms: ['linux', 'darwin', 'win32', 'freebsd'],
    broker: null,
    sources: ['https://nodejs.org/docs/latest-v20.x/api/net.html#ipc-support'],
  },
  carries: ['text', 'bytes'],
  settings: streamSettings,
  async listen(host) {
    const address = socketPath(host, 'master.sock');
    const { close } = await listenOn({ path: address }, host);
    return { address, close };
  },
  connect: (guest) => connectTo({ path: guest.address }, guest),
};
