// Computes the positions of all parts of a figure. Texts are broken into measured lines, so that none overflows or overlaps. The panels
// get the rest of a fixed height; without a fixed height, the picture grows.

import { JOINT, joinedNumbers } from '../../columns/aligned.js';
import { FONTS, LEGEND_ROW_PX, LINE_PX } from '../style/letters.js';
import { legendItemPx } from './legend.js';

/** @import { Ruler } from '../render/text-ruler.js' */
/** @import { BelowItem, Figure, LegendItem } from '../scene-types.js' */

/** @typedef {ReturnType<typeof layOut>} Layout */
/** @typedef {(text: string) => number} Measure   in pixels */

export const FIGURE_PX = 800; // usual width of a figure
export const MARGIN_PX = 24;
export const COLUMN_GAP_PX = 16;
export const SEPARATOR = ' · ';
const RULE_PX = 16; // gap with a line, between the panels and the texts below them
const LEAST_HEIGHT_PX = 450; // 16:9
const MOST_LINES = { title: 2, message: 4 };
// Least height of rows and of plots in a picture of fixed height, as a share of the usual height.
const DENSE = { rows: 0.72, plots: 0.62 };

/** @param {Pick<Figure, 'below'>} figure @returns {[how: string, where: string]} */
export const linesBelow = ({ below: [how, where] }) => [joinItems(how), joinItems(where)];

/** @param {BelowItem[]} items */
const joinItems = (items) => items.map(({ text }) => text).join(SEPARATOR);

/** @param {number} widthPx */
export const innerPx = (widthPx) => widthPx - 2 * MARGIN_PX;

/** @param {number} columns @param {number} labelPx @param {number} widthPx @returns {number} width without row names */
export function columnPx(columns, labelPx, widthPx) {
  return Math.floor((innerPx(widthPx) - labelPx - (columns - 1) * COLUMN_GAP_PX) / columns);
}

/** @param {string} text @param {Measure} width @param {number} most @returns {string} the text, or its beginning and an ellipsis */
export function fittedLine(text, width, most) {
  if (width(text) <= most) return text;
  const letters = [...text];
  while (letters.length > 0 && width(`${letters.join('')}…`) > most) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

/**
 * @param {string} text
 * @param {Measure} width
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

/** @param {Ruler} context   in the small font @param {LegendItem[]} items @param {number} mostPx @returns {{ item: LegendItem, x: number, row: number }[]} */
function legendPlaces(context, items, mostPx) {
  let [x, row] = [0, 0];
  return items.map((item) => {
    const width = legendItemPx(context, item);
    if (x > 0 && x + width > mostPx) [x, row] = [0, row + 1];
    const place = { item, x, row };
    x += width;
    return place;
  });
}

/** @param {BelowItem[]} items @param {Measure} width @param {number} mostPx @returns {string} the most important items that fit */
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

/**
 * @param {Ruler} context
 * @param {Figure} figure
 * @param {number} [fixedPx]   height; by default as much as the panels need, but at least `leastPx` of the figure
 */
export function layOut(context, figure, fixedPx) {
  const mostPx = innerPx(figure.widthPx);
  const width = (/** @type {string} */ text) => context.measureText(text).width;
  /** @param {keyof typeof MOST_LINES} style @param {string} text */
  const linesOf = (style, text) => {
    context.font = FONTS[style];
    return wrappedLines(text, width, mostPx, MOST_LINES[style]);
  };
  const title = linesOf('title', figure.title);
  const message = linesOf('message', `${figure.message}.`);
  context.font = FONTS.small;
  const below = figure.below.map((items) => lineBelow(items, width, mostPx)).filter((line) => line !== '');
  const legend = legendPlaces(context, figure.legend, mostPx);
  const legendPx = legend.length === 0 ? 0 : (legend[legend.length - 1].row + 1) * LEGEND_ROW_PX + 4;
  const titleTop = MARGIN_PX - 6;
  const legendTop = titleTop + title.length * LINE_PX.title + message.length * LINE_PX.message + 8;
  const panelsTop = legendTop + legendPx;
  const footPx = RULE_PX + below.length * LINE_PX.small + MARGIN_PX - 8;
  const panelRows = Math.ceil(figure.panels.length / figure.columns);
  const panelTitlePx = figure.panels.some((panel) => panel.title !== '') ? LINE_PX.panel : 0;
  const denseShare = figure.panels[0].configuration.type === 'bar' ? DENSE.rows : DENSE.plots;
  const leastPx = figure.panelPx * (fixedPx === undefined ? 1 : denseShare);
  const wantedPx = panelsTop + panelRows * (leastPx + panelTitlePx) + footPx;
  const heightPx = fixedPx ?? Math.max(figure.leastPx ?? LEAST_HEIGHT_PX, Math.ceil(wantedPx));
  const panelPx = Math.floor((heightPx - panelsTop - footPx) / panelRows) - panelTitlePx;
  const belowTop = heightPx - footPx + RULE_PX;
  return {
    title,
    titleTop,
    message,
    legend,
    legendTop,
    panelsTop,
    panelTitlePx,
    panelPx,
    below,
    belowTop,
    heightPx,
    wantedPx,
  };
}
