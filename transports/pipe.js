// The channel of child_process.fork(): process.send() and the 'message' event. Node serialises messages, so the codec is a property
// of the channel, and no message is encoded twice.

import { adoptFork, forkSettings, joinFork } from '../lib/channels/fork-channel.js';
import { streamTraits } from '../lib/channels/shared-traits.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'pipe',
  summary: "the built-in channel of child_process.fork: process.send; codec v8 is serialization: 'advanced'",
  traits: {
    ...streamTraits,
    class: 'pipe',
    reach: 'host',
    usesForkHandles: true,
    mechanism: 'unix', // libuv uses a pair of unix sockets, not pipes
    sources: ['https://nodejs.org/docs/latest-v20.x/api/child_process.html#advanced-serialization'],
  },
  look: { hue: 'violet', marker: 'circle', ownsHue: true },
  carries: ['value'],
  serialises: ['json', 'v8'],
  settings: forkSettings,
  async listen(host) {
    return {
      address: 'fork',
      fork: { serialization: host.codec === 'v8' ? 'advanced' : 'json' },
      adopt: (line, workerId) => adoptFork(line, (channel) => host.onChannel(channel, workerId), host),
      async close() {},
    };
  },
  connect: async (guest) => joinFork(guest.line, guest),
};
