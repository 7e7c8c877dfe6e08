// What transports through a broker have in common.

/**
 * @type {Pick<import('../../types/transports.js').Traits, 'class' | 'reach' | 'direction' | 'durability' | 'platforms' |
 *   'messagesPerRoundTrip'>}
 */
export const brokerTraits = Object.freeze({
  class: 'broker',
  reach: 'network',
  direction: 'duplex',
  durability: 'memory',
  reconnects: true,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  messagesPerRoundTrip: 2, // question and answer
});
