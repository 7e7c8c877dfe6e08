// TCP over the loopback interface, or over a network to workers on other hosts.

import { bindAddressOf, connectOptions, hostAndPort } from '../lib/channels/addresses.js';
import { coalescingOf, streamSettings, streamTraits } from '../lib/channels/shared-traits.js';
import { bufferSettings, buffersProblem } from '../lib/channels/socket-buffers.js';
import { connectTo, listenOn } from '../lib/channels/sockets.js';

/** @import { EndContext, Transport } from '../lib/types/transports.js' */

/** @type {Transport} */
export default {
  name: 'tcp',
  summary: 'TCP over loopback',
  traits: {
    ...streamTraits,
    class: 'socket',
    reach: 'network',
    reconnects: true,
    mechanism: 'tcp',
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/net.html#socketsetnodelaynodelay',
      'https://www.rfc-editor.org/rfc/rfc896', // Nagle's algorithm, which noDelay disables
      'https://man7.org/linux/man-pages/man7/socket.7.html',
    ],
  },
  traitsOf: coalescingOf,
  look: { hue: 'green', marker: 'triangle', ownsHue: true },
  carries: ['text', 'bytes'],
  settings: {
    ...streamSettings,
    noDelay: {
      summary:
        'TCP_NODELAY, with which small writes are sent at once: true: on both ends; false: on none; ' +
        'master, worker: on that end only',
      default: 'true',
      choices: ['true', 'false', 'master', 'worker'],
    },
    ...bufferSettings,
  },
  whyUnavailable: buffersProblem,
  async listen(host) {
    const address = { host: bindAddressOf(host), port: 0 };
    return listenOn(address, host, { noDelay: hasNoDelay('master', host) });
  },
  peerEnd(host) {
    const { flush } = host.settings;
    const address = bindAddressOf(host);
    const order = { host: address, flush, noDelay: hasNoDelay('master', host) };
    return { order, address: ({ port }) => hostAndPort(address, Number(port)) };
  },
  connect(guest) {
    return connectTo(connectOptions(guest.address), guest, { noDelay: hasNoDelay('worker', guest) });
  },
};

/** @param {'master' | 'worker'} role @param {EndContext} end */
function hasNoDelay(role, { settings }) {
  return ['true', role].includes(String(settings.noDelay));
}
