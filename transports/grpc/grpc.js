// gRPC with wires as messages: measures the cost of the protocol without the cost of Protocol Buffers.

import { httpNet, reachTraits, rpcTraits } from '../../lib/channels/shared-traits.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'grpc',
  summary: 'gRPC without TLS (@grpc/grpc-js)',
  traits: {
    ...rpcTraits,
    packages: ['@grpc/grpc-js'],
    sources: [
      'https://grpc.io/docs/languages/node/basics/',
      'https://grpc.github.io/grpc/node/grpc.Client.html',
      'https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/README.md#supported-channel-options',
    ],
  },
  look: { hue: 'grey', marker: 'diamond' },
  carries: ['text', 'bytes'],
  settings: {
    call: {
      summary: 'unary: a call for each request; stream: one call whose stream carries all requests',
      default: 'unary',
      choices: ['unary', 'stream'],
      changesRoute: true,
      changesListener: true,
    },
    // gRPC does not support named pipes.
    net: process.platform === 'win32' ? { ...httpNet, choices: ['tcp'] } : httpNet,
  },
  traitsOf: (settings) => ({
    ...reachTraits(settings),
    ...(settings.call === 'stream' && { order: undefined }),
  }),
  whyUnavailable: (_, isGlance) => packageProblem('@grpc/grpc-js', isGlance),
  listen: async (host) => (await import('./grpc-ends.js')).respondOverGrpc(host),
  connect: async (guest) => (await import('./grpc-ends.js')).requestOverGrpc(guest),
};
