// What a look may be made of. A results file may come from a later version, with a hue that this one does not have.

import { sum } from '../statistics/sum.js';

/** @import { CodecLook, Fill, Hue, Marker, TransportLook } from '../types/index.js' */

/** @type {readonly Hue[]} */
export const HUES = Object.freeze(['blue', 'rust', 'green', 'pink', 'ochre', 'violet', 'grey']);
/** @type {readonly Marker[]} */
export const MARKERS = Object.freeze(['star', 'triangle-down', 'diamond', 'triangle', 'square', 'circle']);
/** @type {readonly Fill[]} */
export const FILLS = Object.freeze([
  'solid',
  'tint',
  'diagonal',
  'horizontal',
  'dots',
  'cross',
  'counter-diagonal',
  'vertical',
  'checks',
  'lattice',
  'empty',
  'bricks',
]);
export const LONGEST_DASH_PX = 34;

/** @param {any} value @returns {value is TransportLook} */
export function isTransportLook(value) {
  return (
    HUES.includes(value?.hue) &&
    MARKERS.includes(value.marker) &&
    (value.ownsHue === undefined || value.ownsHue === true)
  );
}

/** @param {any} value @returns {value is CodecLook} */
export function isCodecLook(value) {
  if (!FILLS.includes(value?.fill) || !Array.isArray(value.dash)) return false;
  /** @type {number[]} */
  const dash = value.dash;
  return dash.every(isPositive) && sum(dash) <= LONGEST_DASH_PX;
}

/** @param {unknown} value */
function isPositive(value) {
  return typeof value === 'number' && value > 0;
}
