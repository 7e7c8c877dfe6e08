// UDP over the loopback interface, or over a network to workers on other hosts: a message is a datagram. The kernel silently drops
// datagrams that do not fit into a buffer, so the requester counts missing responses.

import { MAX_DATAGRAM_BYTES } from '../lib/channels/datagrams.js';
import { everywhere } from '../lib/channels/shared-traits.js';
import { bufferSettings } from '../lib/channels/socket-buffers.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'udp',
  summary: 'UDP over loopback, a datagram for each message',
  traits: {
    class: 'socket',
    reach: 'network',
    direction: 'duplex',
    guarantee: 'none: a message may get lost or overtake another, but never arrives in part',
    loss: 'possible',
    order: 'free',
    publishes: true,
    reconnects: true,
    ...everywhere,
    greatestMessageBytes: MAX_DATAGRAM_BYTES,
    sources: [
      'https://www.rfc-editor.org/rfc/rfc768',
      'https://www.rfc-editor.org/rfc/rfc2365',
      'https://nodejs.org/docs/latest-v20.x/api/dgram.html#socketconnectport-address-callback',
      'https://man7.org/linux/man-pages/man7/udp.7.html',
      'https://man7.org/linux/man-pages/man7/socket.7.html',
    ],
  },
  look: { hue: 'green', marker: 'circle' },
  carries: ['text', 'bytes'],
  settings: bufferSettings,
  listen: async (host) => (await import('../lib/channels/datagrams.js')).listenForDatagrams(host),
  connect: async (guest) => (await import('../lib/channels/datagrams.js')).joinByDatagrams(guest),
};
