// TCP over the loopback interface.

import { connectTo, listenOn, streamSettings } from '../lib/transport-kit/index.js';

// An address, not the name `localhost`: that may resolve to ::1 first, where nobody listens.
const LOOPBACK = '127.0.0.1';

/** @type {import('../lib/types.js').Transport} */
export default {
  name: 'tcp',
  summary: 'TCP over loopback',
  traits: {
    class: 'socket',
    reach: 'network',
    direction: 'duplex',
    guarantee: 'ordered and complete while both ends live',
    greatestMessageBytes: Infinity,
    platforms: ['linux', 'darwin', 'win32', 'freebsd'],
    broker: null,
    sources: ['https://nodejs.org/docs/latest-v20.x/api/net.html#socketsetnodelaynodelay'],
  },
  carries: ['text', 'bytes'],
  settings: {
    ...streamSettings,
    noDelay: { summary: 'TCP_NODELAY on both ends: small writes are sent at once', default: true },
  },
  async listen(host) {
    // Port 0: the system picks a free one, so two runs never collide.
    const { port, close } = await listenOn({ host: LOOPBACK, port: 0 }, host, { noDelay: noDelay(host) });
    return { address: `${LOOPBACK}:${port}`, close };
  },
  connect(guest) {
    const port = Number(guest.address.slice(LOOPBACK.length + 1));
    return connectTo({ host: LOOPBACK, port }, guest, { noDelay: noDelay(guest) });
  },
};

/** @param {import('../lib/types.js').EndContext} end */
function noDelay(end) {
  return Boolean(end.settings.noDelay);
}
