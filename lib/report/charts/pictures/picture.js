// A picture: the lines, the legend and the panels of a figure with their positions, and how they are painted. Texts are broken into measured
// lines, so that none overflows or overlaps. The panels get the rest of a fixed height; without a fixed height, the picture grows.

import { JOINT, joinedNumbers } from '../../../format/wrapped.js';
import { COLUMN_GAP_PX, columnPx, innerPx, MARGIN_PX } from '../figures/figure.js';
import { joinItems } from '../figures/footer.js';
import { COLOURS } from '../style/colours.js';
import { FONTS, LEGEND_ROW_PX, LINE_PX } from '../style/letters.js';
import { drawLegendItem, legendItemPx } from './legend.js';

/** @import { Ruler } from './text-ruler.js' */
/** @import { BelowItem, Box, Figure, FillChoice, LegendItem, Panel, Picture } from '../chart-types.js' */

/** @typedef {(text: string) => number} MeasureText   returns the width in pixels */

const RULE_PX = 16; // gap with a line, between the panels and the texts below them
const MIN_HEIGHT_PX = 450; // 16:9 at the usual width
const MAX_LINES = { title: 2, message: 4 };
// Least height of rows and of plots in a picture of fixed height, as a share of the usual height.
const DENSE = { bar: 0.72, line: 0.62 };

/** @param {string} text @param {MeasureText} width @param {number} most @returns {string} the text, or its beginning and an ellipsis */
export function fittedLine(text, width, most) {
  if (width(text) <= most) return text;
  const letters = [...text];
  while (letters.length > 0 && width(`${letters.join('')}…`) > most) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

/**
 * @param {string} text
 * @param {MeasureText} width
 * @param {number} mostPx
 * @param {number} mostLines   the last one ends in an ellipsis if there is more
 * @returns {string[]}
 */
export function wrappedLines(text, width, mostPx, mostLines) {
  /** @type {string[]} */
  const lines = [];
  let line = '';
  const words = joinedNumbers(text).split(' ');
  for (const word of words.flatMap((one) => (width(one) > mostPx ? one.split(JOINT) : [one]))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || width(longer) <= mostPx) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  const shown = lines.slice(0, mostLines);
  if (lines.length > mostLines) shown[mostLines - 1] = `${shown[mostLines - 1]} …`;
  return shown.map((shownLine) => fittedLine(shownLine.replaceAll(JOINT, ' '), width, mostPx));
}

/** @param {BelowItem[]} items @param {MeasureText} width @param {number} mostPx @returns {string} the most important items that fit */
function lineBelow(items, width, mostPx) {
  const kept = [...items];
  while (kept.length > 1 && width(joinItems(kept)) > mostPx) {
    const least = Math.max(...kept.map(({ rank }) => rank));
    kept.splice(
      kept.findLastIndex(({ rank }) => rank === least),
      1,
    );
  }
  return fittedLine(joinItems(kept), width, mostPx);
}

/** @param {Ruler} context   in the small font @param {LegendItem[]} items @param {number} top @param {number} mostPx */
function placeLegend(context, items, top, mostPx) {
  let [x, row] = [0, 0];
  const legend = items.map((item) => {
    const width = legendItemPx(context, item);
    if (x > 0 && x + width > mostPx) [x, row] = [0, row + 1];
    const placed = { item, x: MARGIN_PX + x, y: top + (row + 0.5) * LEGEND_ROW_PX };
    x += width;
    return placed;
  });
  return { legend, legendPx: items.length === 0 ? 0 : (row + 1) * LEGEND_ROW_PX + 4 };
}

/**
 * @param {Ruler} context
 * @param {Figure} figure
 * @param {number} [fixedPx]   height; by default as much as the panels need, but at least `leastPx` of the figure
 * @returns {Pick<Picture, 'lines' | 'legend' | 'boxes' | 'legendTop' | 'ruleTop' | 'heightPx' | 'wantedPx'>}
 */
export function layOut(context, figure, fixedPx) {
  const { panels, columns, labelPx, widthPx } = figure;
  const mostPx = innerPx(widthPx);
  /** @type {MeasureText} */
  const width = (text) => context.measureText(text).width;
  /** @type {Picture['lines']} */
  const lines = [];
  /** @param {keyof typeof FONTS} style @param {string[]} texts @param {number} top @returns {number} the bottom of the last line */
  const layLines = (style, texts, top) => {
    for (const [index, text] of texts.entries())
      lines.push({ text, style, x: MARGIN_PX, y: top + (index + 0.5) * LINE_PX[style] });
    return top + texts.length * LINE_PX[style];
  };
  /** @param {keyof typeof MAX_LINES} style @param {string} text @param {number} top */
  const layWrapped = (style, text, top) => {
    context.font = FONTS[style];
    return layLines(style, wrappedLines(text, width, mostPx, MAX_LINES[style]), top);
  };
  const titlePx = layWrapped('title', figure.title, MARGIN_PX - 6);
  const legendTop = layWrapped('message', `${figure.message}.`, titlePx) + 8;
  context.font = FONTS.small;
  const { legend, legendPx } = placeLegend(context, figure.legend, legendTop, mostPx);
  const panelsTop = legendTop + legendPx;
  const below = figure.below.map((items) => lineBelow(items, width, mostPx)).filter((line) => line !== '');
  const footPx = RULE_PX + below.length * LINE_PX.small + MARGIN_PX - 8;

  const rows = Math.ceil(panels.length / columns);
  const panelTitlePx = panels.some(({ title }) => title !== '') ? LINE_PX.panel : 0;
  const leastPx = figure.panelPx * (fixedPx === undefined ? 1 : DENSE[panels[0].type]);
  const wantedPx = panelsTop + rows * (leastPx + panelTitlePx) + footPx;
  const heightPx = fixedPx ?? Math.max(figure.leastPx ?? MIN_HEIGHT_PX, Math.ceil(wantedPx));
  const panelPx = Math.floor((heightPx - panelsTop - footPx) / rows) - panelTitlePx;
  const belowTop = heightPx - footPx + RULE_PX;
  layLines('small', below, belowTop);
  context.font = FONTS.panel;
  const columnWidth = columnPx(columns, labelPx, widthPx);
  const boxes = panels.map(({ title }, index) => {
    const column = index % columns;
    const ownLabelPx = column === 0 ? labelPx : 0;
    const x = MARGIN_PX + (column === 0 ? 0 : labelPx + column * (columnWidth + COLUMN_GAP_PX));
    const top = panelsTop + Math.floor(index / columns) * (panelPx + panelTitlePx);
    const text = fittedLine(title, width, columnWidth);
    if (text !== '') lines.push({ text, style: 'panel', x: x + ownLabelPx, y: top + panelTitlePx / 2 });
    return { x, y: top + panelTitlePx, width: columnWidth + ownLabelPx, height: panelPx };
  });
  return { lines, legend, boxes, legendTop, ruleTop: belowTop - 6, heightPx, wantedPx };
}

/**
 * @param {Picture} picture
 * @param {object} surface
 * @param {any} surface.context   a canvas context or an SvgContext
 * @param {(choice: FillChoice) => string | object} surface.fillOf   a style of the context
 * @param {(panel: Panel, box: Box) => void} surface.paintPanel
 */
export function paintPicture(picture, { context, fillOf, paintPanel }) {
  const { figure, theme, lines, legend, boxes, ruleTop, heightPx, isTransparent } = picture;
  const colours = COLOURS[theme];
  if (!isTransparent) {
    context.fillStyle = colours.background;
    context.fillRect(0, 0, figure.widthPx, heightPx);
  }
  context.textBaseline = 'middle';
  for (const { text, style, x, y } of lines) {
    context.font = FONTS[style];
    context.fillStyle = style === 'title' || style === 'panel' ? colours.ink : colours.mutedInk;
    context.fillText(text, x, y);
  }
  context.font = FONTS.small;
  for (const { item, ...position } of legend) drawLegendItem(context, item, position, { colours, fillOf });
  context.fillStyle = colours.grid;
  context.fillRect(MARGIN_PX, ruleTop, innerPx(figure.widthPx), 1);
  for (const [index, box] of boxes.entries()) paintPanel(figure.panels[index], box);
}
