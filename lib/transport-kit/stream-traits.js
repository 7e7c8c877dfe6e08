// What conversations have in common that belong to two ends and need no server: streams, and what is as good as one.

/** @type {Pick<import('../types/transports.js').Traits, 'direction' | 'guarantee' | 'greatestMessageBytes' | 'platforms' | 'broker'>} */
export const streamTraits = Object.freeze({
  direction: 'duplex',
  guarantee: 'ordered and complete while both ends live',
  greatestMessageBytes: Infinity,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  broker: null,
});
