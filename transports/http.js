// HTTP/1.1: each request is a POST, over connections that are kept alive.

import { httpProblem, httpSettings, reachTraits, rpcTraits } from '../lib/channels/shared-traits.js';
import { packageProblem } from '../lib/machine/packages.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'http',
  summary: 'HTTP/1.1, kept alive (node:http)',
  traits: {
    ...rpcTraits,
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/http.html#class-httpagent',
      'https://undici.nodejs.org/#/docs/api/Pool',
      'https://undici.nodejs.org/#/docs/api/Client?id=parameter-clientoptions',
    ],
  },
  look: { hue: 'grey', marker: 'circle', ownsHue: true },
  carries: ['text', 'bytes'],
  settings: httpSettings,
  traitsOf: (settings) => ({
    ...reachTraits(settings),
    requestsAtOnce: Number(settings.connections) * Number(settings.pipelining),
    ...(settings.client === 'undici' && { packages: ['undici'] }),
  }),
  whyImpossible: httpProblem,
  whyUnavailable: async (settings, isGlance) =>
    settings?.client === 'undici' ? packageProblem('undici', isGlance) : null,
  async listen(host) {
    const { createServer } = await import('node:http');
    const { respondOverHttp } = await import('../lib/channels/http/http-responses.js');
    return respondOverHttp(host, createServer());
  },
  connect: async (guest) =>
    (await import('../lib/channels/http/http-requests.js')).requestOverHttp(guest, 'http:'),
};
