// A figure on a canvas: title, message and legend above the panels, notes and environment below. What it is painted on is
// handed in: pixels (draw.js) or SVG (svg.js).

import { COLUMN_GAP_PX, columnPx, innerPx, MARGIN_PX } from '../figures/figure-px.js';
import { FONTS, LEGEND_ROW_PX, LINE_PX } from '../figures/letters.js';
import { drawLegendItem } from '../scene/legend.js';
import { COLOURS } from '../style/colours.js';
import { fittedLine } from '../text/text-lines.js';

/** @import { SKRSContext2D as Context } from '@napi-rs/canvas' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Figure } from '../figures/figure.js' */
/** @import { FillChoice } from '../scene/fills.js' */
/** @import { Layout } from '../scene/layout.js' */
/** @import { Picture } from './pictures.js' */

/**
 * @typedef {object} Surface
 * @property {Context} context
 * @property {(choice: FillChoice) => string | object} fillOf   a style of its context
 * @property {(configuration: Configuration, box: Box) => void | Promise<void>} paintPanel
 */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box   pixels of the layout */

/**
 * @param {Context} context
 * @param {string[]} lines
 * @param {{ style: keyof typeof FONTS, colour: string, top: number }} place
 * @returns {number} where the next block starts
 */
function paintLines(context, lines, { style, colour, top }) {
  const linePx = LINE_PX[style];
  context.font = FONTS[style];
  context.fillStyle = colour;
  for (const [index, line] of lines.entries())
    context.fillText(line, MARGIN_PX, top + (index + 0.5) * linePx);
  return top + lines.length * linePx;
}

/** @param {Surface} surface @param {Figure} figure @param {Layout} layout */
function paintWords({ context, fillOf }, { theme, widthPx }, layout) {
  const { ink, mutedInk, grid } = COLOURS[theme];
  const messageTop = paintLines(context, layout.title, { style: 'title', colour: ink, top: layout.titleTop });
  paintLines(context, layout.message, { style: 'message', colour: mutedInk, top: messageTop });
  context.font = FONTS.small;
  for (const { item, x, row } of layout.legend) {
    const y = layout.legendTop + (row + 0.5) * LEGEND_ROW_PX;
    drawLegendItem(context, item, { x: MARGIN_PX + x, y }, { colours: COLOURS[theme], fillOf });
  }
  paintLines(context, layout.notes, { style: 'small', colour: mutedInk, top: layout.notesTop });
  context.fillStyle = grid;
  context.fillRect(MARGIN_PX, layout.footerTop - 6, innerPx(widthPx), 1);
  paintLines(context, layout.footer, { style: 'small', colour: mutedInk, top: layout.footerTop });
}

/** @param {Surface} surface @param {Figure} figure @param {Layout} layout */
async function paintPanels(
  { context, paintPanel },
  { panels, columns, labelPx, theme, widthPx },
  { panelsTop, panelPx, panelTitlePx },
) {
  const { ink } = COLOURS[theme];
  const panelWidth = columnPx(columns, labelPx, widthPx);
  for (const [index, { title, configuration }] of panels.entries()) {
    const column = index % columns;
    const width = column === 0 ? panelWidth + labelPx : panelWidth;
    const x = MARGIN_PX + (column === 0 ? 0 : labelPx + column * (panelWidth + COLUMN_GAP_PX));
    const top = panelsTop + Math.floor(index / columns) * (panelPx + panelTitlePx);
    context.font = FONTS.panel;
    context.fillStyle = ink;
    const shown = fittedLine(title, (text) => context.measureText(text).width, panelWidth);
    context.fillText(shown, x + (column === 0 ? labelPx : 0), top + panelTitlePx / 2);
    await paintPanel(configuration, { x, y: top + panelTitlePx, width, height: panelPx });
  }
}

/** @param {Surface} surface @param {Picture} picture */
export async function paintPicture(surface, { figure, layout, isTransparent }) {
  const { context } = surface;
  if (!isTransparent) {
    context.fillStyle = COLOURS[figure.theme].background;
    context.fillRect(0, 0, figure.widthPx, layout.heightPx);
  }
  context.textBaseline = 'middle';
  paintWords(surface, figure, layout);
  await paintPanels(surface, figure, layout);
}
