// What transports have in common that call a server over HTTP.

/** @type {Omit<import('../../types/transports.js').Traits, 'sources' | 'packages'>} */
export const rpcTraits = Object.freeze({
  class: 'rpc',
  reach: 'network',
  direction: 'request-reply',
  order: 'free', // connections, streams and calls are independent of each other
  guarantee: 'each request gets a response or fails',
  greatestMessageBytes: Infinity,
  reconnects: true,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  broker: null,
});
