// What conversations have in common that belong to two ends and need no server: streams, and what is as good as one.

/** @import { Traits } from '../types/index.js' */

/** @type {Pick<Traits, 'direction' | 'guarantee' | 'greatestMessageBytes' | 'platforms' | 'broker'>} */
export const streamTraits = Object.freeze({
  direction: 'duplex',
  guarantee: 'ordered and complete while both ends live',
  greatestMessageBytes: Infinity,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  broker: null,
});

/**
 * @param {Readonly<Record<string, string | number | boolean>>} settings   `flush` among them
 * @returns {Partial<Traits>}
 */
export const coalescingOf = ({ flush }) => (flush === 'tick' || flush === 'lead' ? { coalesces: true } : {});
