// The simplest scenario: every loop sends a request, waits for the response, and repeats. The response repeats the request, or is a
// recorded one. In the master, the codec decodes the request and encodes the response.

/** @import { Scenario } from '../lib/types/index.js' */

/** @type {Scenario} */
export default {
  name: 'round-trip',
  summary:
    'each loop sends a request, waits for the response, verifies it, and sends the next; the master echoes the payload',
  isOverConnections: true,
  canPause: true,
  endpoints: { master: ['responder'], worker: ['requester'] },
  endpoint: (role, kit) => (role === 'master' ? kit.responder() : kit.requester()),
};
