// A picture → an SVG: the same figure, painted on what writes SVG.

import { createCanvas } from '@napi-rs/canvas';
import { Chart } from 'chart.js/auto';
import { toChartConfiguration } from '../scene/chart-configuration.js';
import { fillStyle, HATCH_PX, TILE_PX } from '../scene/fills.js';
import { COLOURS } from '../style/colours.js';
import { paintPicture } from './paint.js';
import { SvgContext } from './svg-context.js';
import { attributes, escaped, numberText, SvgPattern } from './svg-text.js';

/** @import { FillChoice } from '../scene/fills.js' */
/** @import { Picture } from './pictures.js' */
/** @import { Definitions } from './svg-context.js' */

// The fonts of the PNG by the names that they are installed under, and what looks alike.
const FONTS = "Inter, 'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif";

/**
 * @param {any} ruler
 * @param {Definitions} definitions
 * @param {string} background
 * @returns {(choice: FillChoice) => string | SvgPattern}
 */
function fillsOn(ruler, definitions, background) {
  return (choice) =>
    /** @type {string | SvgPattern} */ (
      fillStyle(choice, background, (paintTile) => {
        const tile = new SvgContext({ width: TILE_PX, height: TILE_PX }, ruler, definitions);
        paintTile(tile);
        return new SvgPattern(tile.elements.join(''), { tilePx: TILE_PX, shownPx: HATCH_PX });
      })
    );
}

/** @param {Picture} picture @returns {Promise<string>} an SVG; the same picture always gives the same text */
export async function renderSvg(picture) {
  const { figure, layout, zoom } = picture;
  const { name, theme, title, altText, widthPx } = figure;
  const { background } = COLOURS[theme];
  const ruler = createCanvas(1, 1).getContext('2d');
  // Several pictures may stand in one page.
  const prefix = `${name}-${theme}`;
  const definitions = { prefix, list: [], ids: new Map() };
  const { heightPx } = layout;
  const context = new SvgContext({ width: widthPx, height: heightPx }, ruler, definitions);
  const fillOf = fillsOn(ruler, definitions, background);
  const surface = {
    context: /** @type {any} */ (context),
    fillOf,
    paintPanel(
      /** @type {import('../scene/chart-axes.js').Configuration} */ configuration,
      /** @type {import('./paint.js').Box} */ box,
    ) {
      const canvas = { width: box.width, height: box.height, style: {}, getContext: () => panel };
      const panel = new SvgContext(canvas, ruler, definitions, box);
      const given = toChartConfiguration(configuration, { density: 1, background, fillOf });
      new Chart(/** @type {any} */ (panel), given).destroy();
      context.elements.push(`<g>${panel.elements.join('\n')}</g>`);
    },
  };
  paintPicture(surface, picture);
  const described = { role: 'img', 'aria-labelledby': `${prefix}-title ${prefix}-desc` };
  const size = { width: widthPx * zoom, height: heightPx * zoom };
  const box = { viewBox: `0 0 ${widthPx} ${numberText(heightPx)}` };
  const root = { xmlns: 'http://www.w3.org/2000/svg', ...size, ...box, ...described, 'font-family': FONTS };
  return `${[
    `<svg${attributes(root)}>`,
    `<title id="${prefix}-title">${escaped(title)}</title>`,
    `<desc id="${prefix}-desc">${escaped(altText)}</desc>`,
    `<defs>${definitions.list.join('')}</defs>`,
    ...context.elements,
    '</svg>',
  ].join('\n')}\n`;
}
