// HTTP/1.1: each question is a POST, its answer the response, over connections that are kept alive.

import { httpSettings, whyNotOverHttp } from '../lib/http/http-settings.js';
import { rpcTraits } from '../lib/http/rpc-traits.js';
import { whyNotLoadable } from '../lib/machine/package-check.js';
import { reachOf } from '../lib/transport-kit/reach.js';

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
    ...reachOf(settings),
    ...(settings.client === 'undici' && { packages: ['undici'] }),
  }),
  whyImpossible: whyNotOverHttp,
  whyUnavailable: async (settings, isGlance) =>
    settings?.client === 'undici' ? whyNotLoadable('undici', isGlance) : undefined,
  async listen(host) {
    const { createServer } = await import('node:http');
    const { answerOverHttp } = await import('../lib/http/http-answers.js');
    return answerOverHttp(host, createServer());
  },
  connect: async (guest) => (await import('../lib/http/http-questions.js')).askOverHttp(guest, 'http:'),
};
