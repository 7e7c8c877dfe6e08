// Worker threads of the master, and postMessage over a MessageChannel for each. With the codec v8 a message is posted as
// the object it is, since structured clone is what a port does; with any other codec its text or bytes are posted.

import { streamTraits } from '../../lib/transport/stream-traits.js';
import { adoptThread, joinFromThread, portSettings } from './port-channel.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'threads-message',
  summary: 'worker threads, not processes: postMessage over a MessageChannel',
  traits: {
    ...streamTraits,
    class: 'thread',
    reach: 'host',
    ridesOnStart: true,
    guarantee: 'ordered and complete while the one process lives: its ends are threads',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/worker_threads.html#portpostmessagevalue-transferlist',
      'https://nodejs.org/docs/latest-v20.x/api/worker_threads.html#considerations-when-transferring-typedarrays-and-buffers',
    ],
  },
  look: { hue: 'pink', marker: 'circle' },
  carries: ['value', 'text', 'bytes'],
  serialises: ['v8'],
  settings: portSettings,
  async listen(host) {
    return {
      address: 'thread',
      fork: { thread: true },
      adopt: (line, workerId) => adoptThread(line, host, (channel) => host.onChannel(channel, workerId)),
      async close() {}, // a port of a thread that is gone is closed already
    };
  },
  connect: (guest) => joinFromThread(guest.line, guest),
};
