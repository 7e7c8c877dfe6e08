// One look per transport and codec, in every chart and both themes. Hue shows the transport; transports of a class may share one, and
// differ in marker and outline. Fill and dash show the codec.

import { is } from 'valibot';
import { seedFrom } from '../../../statistics/random.js';
import { CodecLook, Hue, Marker, TransportLook } from '../../../types/reports.js';

/** @import { Results } from '../../../types/index.js' */
/** @import { Look } from '../chart-types.js' */

/** @typedef {Pick<Results, 'transports' | 'codecs'>} RecordedLooks */

/** Looks of settings, of runtimes, and of codecs that do not declare one. @type {readonly CodecLook[]} */
export const CODEC_LOOKS = Object.freeze([
  { fill: 'solid', dash: [] },
  { fill: 'tint', dash: [6, 3] },
  { fill: 'diagonal', dash: [2, 2] },
  { fill: 'horizontal', dash: [8, 3, 2, 3] },
  { fill: 'dots', dash: [12, 3] },
  { fill: 'cross', dash: [8, 3, 2, 3, 2, 3] },
  { fill: 'counter-diagonal', dash: [12, 3, 5, 3] },
  { fill: 'vertical', dash: [5, 7] },
  { fill: 'checks', dash: [12, 3, 2, 3, 2, 3, 2, 3] },
  { fill: 'lattice', dash: [22, 3] },
  { fill: 'bricks', dash: [2, 6] },
]);

/** @param {string} colour @param {Partial<Look>} [others] @returns {Look} */
export function plainLook(colour, others) {
  return { colour, outline: colour, fill: 'solid', dash: [], marker: 'circle', ...others };
}

/**
 * @param {RecordedLooks} results
 * @param {string} transport
 * @returns {TransportLook} recorded in the results, otherwise derived from the name
 */
export function transportLook({ transports = {} }, transport) {
  const noted = Object.hasOwn(transports, transport) ? transports[transport].look : undefined;
  if (is(TransportLook, noted)) return noted;
  const number = seedFrom(transport);
  return {
    hue: Hue.options[number % Hue.options.length],
    marker: Marker.options[Math.floor(number / Hue.options.length) % Marker.options.length],
  };
}

/** @param {RecordedLooks} results @param {string} codec @returns {CodecLook} recorded in the results, otherwise derived from the name */
export function codecLook({ codecs = {} }, codec) {
  const noted = Object.hasOwn(codecs, codec) ? codecs[codec].look : undefined;
  const look = is(CodecLook, noted) ? noted : lookAt(seedFrom(codec));
  // An empty bar means that a row is not ranked.
  return look.fill === 'empty' ? { ...look, fill: 'bricks' } : look;
}

/** @param {number} index   any whole number from 0, such as the index of a runtime or a hash @returns {CodecLook} */
export function lookAt(index) {
  return CODEC_LOOKS[index % CODEC_LOOKS.length];
}
