// Messages over the stdin and stdout of the worker, which are piped as for any child process.

import { Socket } from 'node:net';
import { coalescingOf, streamSettings, streamTraits } from '../lib/channels/shared-traits.js';
import { StreamChannel } from '../lib/channels/stream-channel.js';

/** Must be called at most once. @returns {{ stdin: Socket, stdout: Socket }} */
function openOwnStdio() {
  return {
    stdin: new Socket({ fd: 0, readable: true, writable: false }),
    // process.stdout is not used, since it cannot be closed: the master's stream would not end when the worker disconnects.
    stdout: new Socket({ fd: 1, readable: false, writable: true }),
  };
}

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'stdio',
  summary: 'stdin and stdout of the worker, a stream each way',
  traits: {
    ...streamTraits,
    class: 'pipe',
    reach: 'host',
    usesForkHandles: true,
    mechanism: 'unix', // libuv uses two pairs of unix sockets, not pipes
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
      // The worker sends no token, since the master has started it with the other ends of the streams.
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
  peerEnd: ({ settings: { flush } }) => ({ order: { flush }, fork: { stdio: true }, address: () => 'stdio' }),
  async connect(guest) {
    const { stdin, stdout } = openOwnStdio();
    return new StreamChannel(stdin, guest, stdout);
  },
};
