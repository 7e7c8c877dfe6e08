// ZeroMQ, in the two patterns for requests and responses. ROUTER and DEALER are accompanied by XPUB and SUB for messages to all workers,
// or PUSH and PULL for jobs.

import { reachTraits } from '../../lib/channels/shared-traits.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @import { EndContext, Transport } from '../../lib/types/transports.js' */

/** @type {Transport} */
export default {
  name: 'zeromq',
  summary: 'ZeroMQ, ROUTER and DEALER or REQ and REP',
  traits: {
    class: 'brokerless',
    reach: 'network',
    direction: 'duplex',
    guarantee: 'at most once, in order; no acknowledgement',
    publishes: true,
    queues: 'at most once',
    reconnects: true,
    coalesces: true, // messages that wait for the I/O thread are written at once: ZMQ_OUT_BATCH_SIZE
    greatestMessageBytes: Infinity,
    platforms: ['linux', 'darwin', 'win32'],
    broker: null,
    packages: ['zeromq'],
    sources: [
      'https://zeromq.github.io/zeromq.js/interfaces/Writable.html#send',
      'https://libzmq.readthedocs.io/en/latest/zmq_setsockopt.html',
      'https://zguide.zeromq.org/docs/chapter3/',
      'https://rfc.zeromq.org/spec/30/', // PUSH and PULL
      'https://rfc.zeromq.org/spec/27/',
    ],
  },
  look: { hue: 'ochre', marker: 'triangle-down', ownsHue: true },
  carries: ['text', 'bytes'],
  settings: {
    net: {
      summary: 'ipc: unix domain socket; tcp: loopback; inproc: memory, and the workers are threads',
      default: process.platform === 'win32' ? 'tcp' : 'ipc',
      choices: ['ipc', 'tcp', 'inproc'],
      changesRoute: true,
      changesListener: true,
    },
    pattern: {
      summary: 'router-dealer: both may send at any time; req-rep: a request, its response, the next request',
      default: 'router-dealer',
      choices: ['router-dealer', 'req-rep'],
      changesRoute: true,
      changesListener: true,
    },
  },
  traitsOf: ({ net, pattern }) => ({
    ...(pattern === 'req-rep' && {
      direction: 'request-reply',
      answersAtOnce: true,
      requestsAtOnce: 1,
      publishes: undefined,
      queues: undefined,
    }),
    ...reachTraits({ net }),
    ...(net === 'inproc' && { class: 'thread', usesForkHandles: true }),
  }),
  whyUnavailable: () => packageProblem('zeromq'),
  async listen(host) {
    const { listen } = await loadParts(host);
    const listener = await listen(host);
    return host.settings.net === 'inproc' ? { ...listener, fork: { thread: true } } : listener;
  },
  async connect(guest) {
    const { connect } = await loadParts(guest);
    return connect(guest);
  },
};

/** @param {EndContext} end */
function loadParts({ settings }) {
  return settings.pattern === 'req-rep' ? import('./zeromq-req-rep.js') : import('./zeromq-router-dealer.js');
}
