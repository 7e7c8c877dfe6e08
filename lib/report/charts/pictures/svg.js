// Draws a picture as an SVG.

import { Chart } from 'chart.js/auto';
import { COLOURS } from '../style/colours.js';
import { toChartConfiguration } from './chart-configuration.js';
import { fillStyle, STROKE_PX, TILE_PX } from './fills.js';
import { paintPicture } from './picture.js';
import { attributes, escaped, numberText, SvgContext, SvgPattern } from './svg-context.js';
import { makeRuler } from './text-ruler.js';

/** @import { Box, FillChoice, Panel, Picture } from '../chart-types.js' */

// The fonts of the PNG by the names that installed fonts have, followed by similar fonts.
const FONTS = "Inter, 'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif";

/** @param {Picture} picture @returns {string} the same text each time */
export function renderSvg(picture) {
  const { figure, theme, heightPx, zoom } = picture;
  const { name, title, altText, widthPx } = figure;
  const { background } = COLOURS[theme];
  const ruler = makeRuler();
  // A page may contain several pictures, so their ids need a prefix.
  const prefix = `${name}-${theme}`;
  const definitions = { prefix, list: /** @type {string[]} */ ([]), ids: new Map() };
  const context = new SvgContext({ width: widthPx, height: heightPx }, ruler, definitions);

  /** @param {FillChoice} choice */
  const fillOf = (choice) =>
    fillStyle(choice, background, ({ path, isFilled }) => {
      const { colour } = choice;
      const look = isFilled ? { fill: colour } : { fill: 'none', stroke: colour, 'stroke-width': STROKE_PX };
      const tile = { d: `M0 0L${TILE_PX} 0 ${TILE_PX} ${TILE_PX} 0 ${TILE_PX}Z`, fill: background };
      return new SvgPattern(`<path${attributes(tile)}/><path${attributes({ d: path, ...look })}/>`);
    });

  /** @param {Panel} panel @param {Box} box */
  const paintPanel = (panel, { x, y, ...size }) => {
    const canvas = { ...size, style: {}, getContext: () => own };
    const own = new SvgContext(canvas, ruler, definitions, { x, y });
    const chart = toChartConfiguration(panel, { density: 1, background, fillOf });
    new Chart(/** @type {any} */ (own), chart).destroy();
    context.elements.push(`<g>${own.elements.join('\n')}</g>`);
  };

  paintPicture(picture, { context, fillOf, paintPanel });
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    width: widthPx * zoom,
    height: heightPx * zoom,
    viewBox: `0 0 ${widthPx} ${numberText(heightPx)}`,
    role: 'img',
    'aria-labelledby': `${prefix}-title ${prefix}-desc`,
    'font-family': FONTS,
  };
  return `${[
    `<svg${attributes(root)}>`,
    `<title id="${prefix}-title">${escaped(title)}</title>`,
    `<desc id="${prefix}-desc">${escaped(altText)}</desc>`,
    `<defs>${definitions.list.join('')}</defs>`,
    ...context.elements,
    '</svg>',
  ].join('\n')}\n`;
}
