// Paints a picture on pixels (png.js) or as SVG (svg.js).

import { COLUMN_GAP_PX, columnPx, fittedLine, innerPx, MARGIN_PX } from '../scene/layout.js';
import { drawLegendItem } from '../scene/legend.js';
import { COLOURS } from '../style/colours.js';
import { FONTS, LEGEND_ROW_PX, LINE_PX } from '../style/letters.js';

/** @import { Layout } from '../scene/layout.js' */
/** @import { Picture } from './pictures.js' */
/** @import { Configuration, Figure, FillChoice } from '../scene-types.js' */

/** @typedef {{ x: number, y: number, width: number, height: number }} Box   pixels of the layout */
/**
 * @typedef {object} Surface
 * @property {any} context   a canvas context or an SvgContext
 * @property {(choice: FillChoice) => string | object} fillOf   a style of the context
 * @property {(configuration: Configuration, box: Box) => void} paintPanel
 */

/** @param {any} context @param {string[]} lines @param {{ style: keyof typeof FONTS, colour: string, top: number }} place */
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
  context.fillStyle = grid;
  context.fillRect(MARGIN_PX, layout.belowTop - 6, innerPx(widthPx), 1);
  paintLines(context, layout.below, { style: 'small', colour: mutedInk, top: layout.belowTop });
}

/** @param {Surface} surface @param {Figure} figure @param {Layout} layout */
function paintPanels(
  { context, paintPanel },
  { panels, columns, labelPx, theme, widthPx },
  { panelsTop, panelPx, panelTitlePx },
) {
  const panelWidth = columnPx(columns, labelPx, widthPx);
  for (const [index, { title, configuration }] of panels.entries()) {
    const column = index % columns;
    const ownLabelPx = column === 0 ? labelPx : 0;
    const x = MARGIN_PX + (column === 0 ? 0 : labelPx + column * (panelWidth + COLUMN_GAP_PX));
    const top = panelsTop + Math.floor(index / columns) * (panelPx + panelTitlePx);
    context.font = FONTS.panel;
    context.fillStyle = COLOURS[theme].ink;
    const shown = fittedLine(title, (text) => context.measureText(text).width, panelWidth);
    context.fillText(shown, x + ownLabelPx, top + panelTitlePx / 2);
    paintPanel(configuration, { x, y: top + panelTitlePx, width: panelWidth + ownLabelPx, height: panelPx });
  }
}

/** @param {Surface} surface @param {Picture} picture */
export function paintPicture(surface, { figure, layout, isTransparent }) {
  const { context } = surface;
  if (!isTransparent) {
    context.fillStyle = COLOURS[figure.theme].background;
    context.fillRect(0, 0, figure.widthPx, layout.heightPx);
  }
  context.textBaseline = 'middle';
  paintWords(surface, figure, layout);
  paintPanels(surface, figure, layout);
}
