// HTTP/1.1 over TLS, with a certificate that is made for the launch and lives in memory only.

import { packageProblem } from '../../lib/machine/packages.js';
import { httpProblem, httpSettings } from '../../lib/transport/http/http-settings.js';
import { rpcTraits } from '../../lib/transport/http/rpc-traits.js';
import { bindAddressOf, reachTraits } from '../../lib/transport/reach.js';

// More than other strangers get: a hundred handshakes at once take a busy machine some seconds.
const HANDSHAKE_TIMEOUT_MS = 10_000;
// A ClientHello has 32 random bytes and lists of what the client knows: some 300 bytes in all (RFC 8446, 4.1.2).
const CLIENT_HELLO_BYTES = 100;

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'https',
  summary: 'HTTP/1.1 over TLS, kept alive (node:https)',
  traits: {
    ...rpcTraits,
    guarantee: 'each request gets a response or fails; encrypted',
    packages: ['selfsigned'],
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/https.html',
      'https://nodejs.org/docs/latest-v20.x/api/tls.html#tlscreateserveroptions-secureconnectionlistener',
      'https://undici.nodejs.org/#/docs/api/Client?id=parameter-connectoptions',
    ],
  },
  look: { hue: 'grey', marker: 'triangle' },
  carries: ['text', 'bytes'],
  settings: httpSettings,
  traitsOf: (settings) => ({
    ...reachTraits(settings),
    ...(settings.client === 'undici' && { packages: ['selfsigned', 'undici'] }),
  }),
  whyImpossible: httpProblem,
  whyUnavailable: async (settings, isGlance) =>
    (await packageProblem('selfsigned', isGlance)) ??
    (settings?.client === 'undici' ? packageProblem('undici', isGlance) : undefined),
  async listen(host) {
    const { createServer } = await import('node:https');
    const { respondOverHttp } = await import('../../lib/transport/http/http-responses.js');
    const { certificateFor } = await import('./certificate.js');
    const { key, certificate } = await certificateFor(bindAddressOf(host));
    const server = createServer({ key, cert: certificate, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
    return respondOverHttp(host, server, { helloBytes: CLIENT_HELLO_BYTES, certificate });
  },
  connect: async (guest) =>
    (await import('../../lib/transport/http/http-requests.js')).requestOverHttp(guest, 'https:'),
};
