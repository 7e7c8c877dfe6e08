// WebSockets without compression. Texts are sent in text frames, bytes in binary frames.

import { httpNet, reachTraits, streamTraits } from '../../lib/channels/shared-traits.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'websocket',
  summary: 'WebSocket (ws), without compression',
  traits: {
    ...streamTraits,
    class: 'socket',
    reach: 'network',
    reconnects: true,
    packages: ['ws'],
    sources: [
      'https://github.com/websockets/ws/blob/master/doc/ws.md',
      'https://github.com/websockets/ws#websocket-compression',
      'https://www.rfc-editor.org/rfc/rfc6455',
    ],
  },
  look: { hue: 'blue', marker: 'circle' },
  carries: ['text', 'bytes'],
  settings: {
    net: httpNet,
  },
  traitsOf: reachTraits,
  whyUnavailable: (_, isGlance) => packageProblem('ws', isGlance),
  listen: async (host) => (await import('./websocket-ends.js')).listenForWebSockets(host),
  connect: async (guest) => (await import('./websocket-ends.js')).connectWebSocket(guest),
};
