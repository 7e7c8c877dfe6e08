// How charts draw a transport and a codec: hue and marker say which transport, fill and dash say which codec.

/** @typedef {'blue' | 'rust' | 'green' | 'pink' | 'ochre' | 'violet' | 'grey'} Hue */
/** @typedef {'circle' | 'square' | 'triangle' | 'diamond' | 'triangle-down' | 'star'} Marker */
/** @typedef {'diagonal' | 'counter-diagonal' | 'lattice' | 'horizontal' | 'vertical' | 'cross'} LinedFill */
/** @typedef {LinedFill | 'dots' | 'checks' | 'bricks'} Hatch */
/** @typedef {'solid' | 'tint' | 'empty' | Hatch} Fill */

/**
 * @typedef {object} TransportLook
 * @property {Hue} hue
 * @property {Marker} marker
 * @property {true} [ownsHue]     its bars have no outline; absent: they have one, by which they are told from those of the
 *                              transport that owns the hue
 */

/**
 * @typedef {object} CodecLook
 * @property {Fill} fill          of bars
 * @property {number[]} dash      of lines: pixels drawn and left out by turns, at most 34 in all, a legend's sample; empty:
 *                              drawn through
 */

export {};
