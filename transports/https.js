// HTTP/1.1 over TLS, with a certificate that is created for the launch and kept only in memory.

import { bindAddressOf } from '../lib/channels/addresses.js';
import { httpProblem, httpSettings, reachTraits, rpcTraits } from '../lib/channels/shared-traits.js';
import { packageProblem } from '../lib/machine/packages.js';

const VALID_MS = 24 * 60 * 60 * 1_000; // longer than any launch; some clients refuse certificates that are valid for years
const CLOCK_SLACK_MS = 60_000;

const DNS_NAME = 2; // types of GeneralName: RFC 5280, 4.2.1.6
const IP_ADDRESS = 7;

/**
 * @param {string} address
 * @returns {Promise<{ key: string, certificate: string }>} PEM, valid for the address, and for localhost, which is used over a unix socket
 */
async function certificateFor(address) {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec', // P-256, which is common and created within milliseconds
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - CLOCK_SLACK_MS),
    notAfterDate: new Date(Date.now() + VALID_MS),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: DNS_NAME, value: 'localhost' },
          { type: IP_ADDRESS, ip: address },
        ],
      },
    ],
  });
  return { key: made.private, certificate: made.cert };
}

// Longer than the limit for other unauthenticated peers, since a hundred concurrent handshakes take a few seconds on a busy machine.
const HANDSHAKE_TIMEOUT_MS = 10_000;
// After this many received bytes, a handshake has begun. A ClientHello is about 300 bytes long, of which 32 are random (RFC 8446, 4.1.2).
const CLIENT_HELLO_BYTES = 100;

/** @type {import('../lib/types/transports.js').Transport} */
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
    requestsAtOnce: Number(settings.connections) * Number(settings.pipelining),
    ...(settings.client === 'undici' && { packages: ['selfsigned', 'undici'] }),
  }),
  whyImpossible: httpProblem,
  whyUnavailable: async (settings, isGlance) =>
    (await packageProblem('selfsigned', isGlance)) ??
    (settings?.client === 'undici' ? packageProblem('undici', isGlance) : null),
  async listen(host) {
    const { createServer } = await import('node:https');
    const { respondOverHttp } = await import('../lib/channels/http/http-responses.js');
    const { key, certificate } = await certificateFor(bindAddressOf(host));
    const server = createServer({ key, cert: certificate, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
    return respondOverHttp(host, server, { helloBytes: CLIENT_HELLO_BYTES, certificate });
  },
  connect: async (guest) =>
    (await import('../lib/channels/http/http-requests.js')).requestOverHttp(guest, 'https:'),
};
