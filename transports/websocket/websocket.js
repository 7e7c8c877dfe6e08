// WebSockets without compression, one for each worker. Text travels in text frames, bytes in binary ones.

import { whyNotLoadable } from '../../lib/machine/package-check.js';
import { connectWebSocket, listenForWebSockets } from './websockets.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'websocket',
  summary: 'WebSocket (ws), without compression',
  traits: {
    class: 'socket',
    reach: 'network',
    reconnects: true,
    direction: 'duplex',
    guarantee: 'ordered and complete while both ends live',
    greatestMessageBytes: Infinity,
    platforms: ['linux', 'darwin', 'win32', 'freebsd'],
    broker: null,
    packages: ['ws'],
    sources: [
      'https://github.com/websockets/ws/blob/master/doc/ws.md',
      'https://github.com/websockets/ws#websocket-compression',
      'https://www.rfc-editor.org/rfc/rfc6455',
    ],
  },
  carries: ['text', 'bytes'],
  settings: {
    net: {
      summary: 'tcp: loopback; unix: unix domain socket',
      default: 'tcp',
      choices: ['tcp', 'unix'],
      changesTheWay: true,
      changesTheDoor: true,
    },
  },
  whyUnavailable: () => whyNotLoadable('ws'),
  listen: listenForWebSockets,
  connect: connectWebSocket,
};
