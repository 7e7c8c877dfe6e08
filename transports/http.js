// HTTP/1.1: each question is a POST, its answer the response, over connections that are kept alive.

import { answerOverHttp } from '../lib/http/http-answers.js';
import { askOverHttp, httpSettings, whyNotOverHttp } from '../lib/http/http-questions.js';
import { whyNotLoadable } from '../lib/machine/package-check.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'http',
  summary: 'HTTP/1.1, kept alive (node:http)',
  traits: {
    class: 'rpc',
    reach: 'network',
    direction: 'request-reply',
    order: 'free', // several connections
    guarantee: 'each question is answered or fails',
    greatestMessageBytes: Infinity,
    platforms: ['linux', 'darwin', 'win32', 'freebsd'],
    broker: null,
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/http.html#class-httpagent',
      'https://undici.nodejs.org/#/docs/api/Pool',
      'https://undici.nodejs.org/#/docs/api/Client?id=parameter-clientoptions',
    ],
  },
  carries: ['text', 'bytes'],
  settings: httpSettings,
  traitsOf: ({ client }) => (client === 'undici' ? { packages: ['undici'] } : {}),
  whyImpossible: whyNotOverHttp,
  whyUnavailable: async (settings) => (settings?.client === 'undici' ? whyNotLoadable('undici') : undefined),
  async listen(host) {
    const { createServer } = await import('node:http');
    return answerOverHttp(host, createServer());
  },
  connect: (guest) => askOverHttp(guest, 'http:'),
};
