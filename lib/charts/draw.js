// A figure → a PNG: title, message and legend above the panels, notes and environment below.

import { createCanvas, loadImage } from '@napi-rs/canvas';
import { COLUMN_GAP_PX, columnPx, FIGURE_PX, INNER_PX, MARGIN_PX } from './figure.js';
import { tintOf } from './fills.js';
import { registerFonts } from './fonts.js';
import { FONTS, LEGEND_ROW_PX, LINE_PX, layOut } from './layout.js';
import { drawLegendItem } from './legend.js';
import { COLOURS } from './palette.js';
import { drawPanel } from './panel.js';
import { pngOf } from './png.js';
import { fittedLine } from './text-lines.js';

/** @import { SKRSContext2D as Context } from '@napi-rs/canvas' */
/** @import { Figure } from './figure.js' */
/** @import { Layout } from './layout.js' */

const DENSITY = 2;

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

/** @param {Context} context @param {Figure} figure @param {Layout} layout */
function paintWords(context, { theme }, layout) {
  const { ink, mutedInk, grid } = COLOURS[theme];
  const messageTop = paintLines(context, layout.title, { style: 'title', colour: ink, top: layout.titleTop });
  paintLines(context, layout.message, { style: 'message', colour: mutedInk, top: messageTop });
  context.font = FONTS.small;
  for (const { item, x, row } of layout.legend) {
    const y = layout.legendTop + (row + 0.5) * LEGEND_ROW_PX;
    drawLegendItem(context, item, { x: MARGIN_PX + x, y }, COLOURS[theme]);
  }
  paintLines(context, layout.notes, { style: 'small', colour: mutedInk, top: layout.notesTop });
  context.fillStyle = grid;
  context.fillRect(MARGIN_PX, layout.footerTop - 6, INNER_PX, 1);
  paintLines(context, layout.footer, { style: 'small', colour: mutedInk, top: layout.footerTop });
}

/** @param {Context} context @param {Figure} figure @param {Layout} layout */
async function paintPanels(
  context,
  { panels, columns, labelPx, theme },
  { panelsTop, panelPx, panelTitlePx },
) {
  const { ink, background } = COLOURS[theme];
  const widthPx = columnPx(columns, labelPx);
  for (const [index, { title, configuration }] of panels.entries()) {
    const column = index % columns;
    const width = column === 0 ? widthPx + labelPx : widthPx;
    const x = MARGIN_PX + (column === 0 ? 0 : labelPx + column * (widthPx + COLUMN_GAP_PX));
    const top = panelsTop + Math.floor(index / columns) * (panelPx + panelTitlePx);
    context.font = FONTS.panel;
    context.fillStyle = ink;
    const shown = fittedLine(title, (text) => context.measureText(text).width, widthPx);
    context.fillText(shown, x + (column === 0 ? labelPx : 0), top + panelTitlePx / 2);
    const picture = await loadImage(drawPanel(configuration, { width, height: panelPx }, background));
    context.drawImage(picture, x, top + panelTitlePx, width, panelPx);
  }
}

/** @param {import('./palette.js').Theme} theme @returns {string[]} of words, bars and their tints */
function flatColours(theme) {
  const { background, ink, mutedInk, grid, hues } = COLOURS[theme];
  const fills = Object.values(hues).flatMap((hue) => [hue, tintOf(hue, background)]);
  return [background, ink, mutedInk, grid, ...fills];
}

/** @param {Figure} figure @returns {Promise<Uint8Array>} a PNG; the same figure always gives the same bytes */
export async function drawFigure(figure) {
  registerFonts();
  const layout = layOut(createCanvas(1, 1).getContext('2d'), figure);
  const [width, height] = [FIGURE_PX * DENSITY, layout.heightPx * DENSITY];
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.scale(DENSITY, DENSITY);
  context.fillStyle = COLOURS[figure.theme].background;
  context.fillRect(0, 0, FIGURE_PX, layout.heightPx);
  context.textBaseline = 'middle';
  paintWords(context, figure, layout);
  await paintPanels(context, figure, layout);
  const { data } = context.getImageData(0, 0, width, height);
  return pngOf(data, { width, height }, flatColours(figure.theme));
}
