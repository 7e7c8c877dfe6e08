// The stdin and stdout of the worker, as anybody would have them who starts a program and talks with it.

import { StreamChannel, streamSettings } from '../../lib/transport/stream-channel.js';
import { coalescingOf, streamTraits } from '../../lib/transport/stream-traits.js';
import { openOwnStdio } from './own-stdio.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'stdio',
  summary: 'stdin and stdout of the worker, a stream each way',
  traits: {
    ...streamTraits,
    class: 'pipe',
    reach: 'host',
    ridesOnStart: true,
    mechanism: 'unix', // two pairs of sockets: libuv makes no pipes for a child
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/child_process.html#optionsstdio',
      'https://nodejs.org/docs/latest-v20.x/api/process.html#a-note-on-process-io',
    ],
  },
  traitsOf: coalescingOf,
  look: { hue: 'violet', marker: 'square' },
  carries: ['text', 'bytes'],
  settings: streamSettings,
  async listen(host) {
    /** @type {Set<import('node:net').Socket>} */
    const sockets = new Set();
    return {
      address: 'stdio',
      fork: { stdio: true },
      // No token is needed: this process started the holder of the other ends.
      adopt(_line, workerId, streams) {
        const { stdin, stdout } = /** @type {any} */ (streams);
        sockets.add(stdin).add(stdout);
        host.onChannel(new StreamChannel(stdout, host, stdin), workerId);
      },
      async close() {
        for (const socket of sockets) socket.destroy();
      },
    };
  },
  atPeer: ({ settings: { flush } }) => ({ order: { flush }, fork: { stdio: true }, address: () => 'stdio' }),
  async connect(guest) {
    const { stdin, stdout } = openOwnStdio();
    return new StreamChannel(stdin, guest, stdout);
  },
};
