// Figures come in light colours, and get those of another theme in their place: every colour in them is one of the palette.

import { COLOURS } from '../../../lib/report/charts/style/colours.js';

/** @import { Colours, Theme } from '../../../lib/report/charts/style/colours.js' */

const SEE_THROUGH = /^(#[0-9a-f]{6})([0-9a-f]{2})$/;

/** @param {Colours} colours @returns {string[]} each at its place */
function listColours({ hues, ...others }) {
  return [...Object.values(others), ...Object.values(hues)];
}

/**
 * @template T
 * @param {T} value   plain data in light colours
 * @param {Theme} theme
 * @returns {T}
 */
export function recoloured(value, theme) {
  if (theme === 'light') return value;
  const others = listColours(COLOURS[theme]);
  const places = new Map(listColours(COLOURS.light).map((colour, index) => [colour, others[index]]));
  return JSON.parse(JSON.stringify(value), (_, own) => {
    const [, colour, alpha] = (typeof own === 'string' && SEE_THROUGH.exec(own)) || ['', own, ''];
    const other = places.get(colour);
    return other === undefined ? own : other + alpha;
  });
}
