// One fixed look per transport and codec, for every chart and both themes. Hue says transport, and is shared within a
// class where there are more transports than hues that everybody can tell apart; marker and outline say which of them;
// fill and dash say codec. Contrast and colour-vision distances are asserted in the tests.

import { HUES, isCodecLook, isTransportLook, MARKERS } from '../cell/look-parts.js';
import { EARLIER_CODECS, earlierTransport } from '../results/earlier-facts.js';
import { seedFrom } from '../statistics/random.js';

export { COLOURS } from './colours.js';

/** @import { CodecLook, TransportLook } from '../types/index.js' */

/** @typedef {import('./colours.js').Theme} Theme */
/** @typedef {import('./colours.js').Colours} Colours */

/** @type {CodecLook} */
const BRICKS = { fill: 'bricks', dash: [4, 2, 1, 2, 1, 2] };
const CODEC_LOOKS = [...Object.values(EARLIER_CODECS), BRICKS]; // of strangers
/** @typedef {Pick<import('../types/results-file.js').Results, 'transports' | 'codecs'>} Noted */

/**
 * @param {Noted} results
 * @param {string} transport
 * @returns {TransportLook} as it said when it was measured, or as it was known then; of a strange name always the same
 */
export function transportLook({ transports = {} }, transport) {
  const noted = Object.hasOwn(transports, transport) ? transports[transport].look : undefined;
  if (isTransportLook(noted)) return noted;
  const known = earlierTransport(transport);
  if (known !== null) return known.look;
  const number = seedFrom(transport);
  return {
    hue: HUES[number % HUES.length],
    marker: MARKERS[Math.floor(number / HUES.length) % MARKERS.length],
  };
}

/** @param {Noted} results @param {string} codec @returns {CodecLook} as the look of a transport */
export function codecLook({ codecs = {} }, codec) {
  const noted = Object.hasOwn(codecs, codec) ? codecs[codec].look : undefined;
  if (isCodecLook(noted)) return noted;
  if (Object.hasOwn(EARLIER_CODECS, codec)) return EARLIER_CODECS[codec];
  return CODEC_LOOKS[seedFrom(codec) % CODEC_LOOKS.length];
}

/** @param {number} place @returns {CodecLook} of the runtime of that place, in a chart of one codec: the first looks as that codec */
export function lookOfPlace(place) {
  return CODEC_LOOKS[place % CODEC_LOOKS.length];
}
