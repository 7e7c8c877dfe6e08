// HTTP/2 without TLS: one session per connection of a worker, and one stream per request.

import { httpNet, reachTraits, rpcTraits } from '../../lib/channels/shared-traits.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'http2',
  summary: 'HTTP/2 without TLS (node:http2): one session, a stream per request',
  traits: {
    ...rpcTraits,
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/http2.html',
      'https://www.rfc-editor.org/rfc/rfc9113#section-5.2',
    ],
  },
  look: { hue: 'grey', marker: 'square' },
  carries: ['text', 'bytes'],
  settings: {
    net: httpNet,
    windowBytes: {
      summary:
        'flow control: of each stream, and of the whole session, before the receiver has to grant more',
      default: 65_535, // default of the protocol and of Node
      min: 65_535,
      max: 2 ** 31 - 1,
      unit: 'bytes',
    },
  },
  traitsOf: reachTraits,
  listen: async (host) => (await import('./http2-ends.js')).respondOverHttp2(host),
  connect: async (guest) => (await import('./http2-ends.js')).requestOverHttp2(guest),
};
