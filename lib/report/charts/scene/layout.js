// Where everything of a figure goes: all text in measured lines, so that none leaves the picture or meets another, and
// the panels get what is left, or the picture grows.

import { FONTS, LEGEND_ROW_PX, LINE_PX } from '../style/letters.js';
import { legendItemPx } from './legend.js';

/** @import { SKRSContext2D as Context } from '@napi-rs/canvas' */
/** @import { Figure, LegendItem } from '../scene-types.js' */

/** @typedef {ReturnType<typeof layOut>} Layout */
/** @typedef {(text: string) => number} Measure   the pixels of a text */

export const FIGURE_PX = 960; // the width of a figure where nobody asks for another size
export const MARGIN_PX = 24;
export const COLUMN_GAP_PX = 16;
const LEAST_HEIGHT_PX = 540; // 16:9
const MOST_LINES = { title: 2, message: 4, panel: 1, small: 6 };
// Of the usual height, where the height of all is given: of rows, and of plots below each other.
const DENSE = { rows: 0.72, plots: 0.62 };

/** @param {number} widthPx   of a figure @returns {number} between its margins */
export const innerPx = (widthPx) => widthPx - 2 * MARGIN_PX;

/** @param {number} columns @param {number} labelPx @param {number} widthPx   of the figure @returns {number} width of a panel without its names */
export function columnPx(columns, labelPx, widthPx) {
  return Math.floor((innerPx(widthPx) - labelPx - (columns - 1) * COLUMN_GAP_PX) / columns);
}

/** @param {string} text @param {Measure} width @param {number} most @returns the text, or its beginning and an ellipsis */
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
  for (const word of text.split(' ')) {
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
  return shown.map((shownLine) => fittedLine(shownLine, width, mostPx));
}

/** @param {Context} context @param {LegendItem[]} items @param {number} mostPx @returns {{ item: LegendItem, x: number, row: number }[]} */
function legendPlaces(context, items, mostPx) {
  context.font = FONTS.small;
  let [x, row] = [0, 0];
  return items.map((item) => {
    const width = legendItemPx(context, item);
    if (x > 0 && x + width > mostPx) [x, row] = [0, row + 1];
    const place = { item, x, row };
    x += width;
    return place;
  });
}

/** @param {Figure} figure @param {number} panelRows @returns {number} */
function denseShare({ panels }, panelRows) {
  const [{ configuration }] = panels;
  const { indexAxis, scales } = configuration.options;
  const isPaired = configuration.data.datasets.length > 1 && !scales.y.stacked;
  if (indexAxis === 'y') return isPaired ? 1 : DENSE.rows;
  return panelRows > 1 ? DENSE.plots : 1;
}

/** @param {Figure} figure @returns {string[]} in a few lines; what they do not need the caption says */
function briefNotes({ notes, captionNotes }) {
  const own = notes.filter((note) => !captionNotes.includes(note)).map((note) => note.replace(/\.$/, ''));
  return own.length === 0 ? [] : [own.join(' · ')];
}

/**
 * @param {Context} context   to measure with
 * @param {Figure} figure
 * @param {number} [fixedPx]   its height; left out: what its rows need
 */
export function layOut(context, figure, fixedPx) {
  const mostPx = innerPx(figure.widthPx);
  /** @param {keyof typeof FONTS} style @param {string[]} texts */
  const linesOf = (style, texts) => {
    context.font = FONTS[style];
    const width = (/** @type {string} */ text) => context.measureText(text).width;
    return texts.flatMap((text) => wrappedLines(text, width, mostPx, MOST_LINES[style]));
  };
  const title = linesOf('title', [figure.title]);
  const message = linesOf('message', [`${figure.message}.`]);
  const notes = linesOf('small', fixedPx === undefined ? figure.notes : briefNotes(figure));
  const footer = linesOf('small', figure.footer);
  const legend = legendPlaces(context, figure.legend, mostPx);
  const legendPx = legend.length === 0 ? 0 : (legend[legend.length - 1].row + 1) * LEGEND_ROW_PX + 4;
  const titleTop = MARGIN_PX - 6;
  const legendTop = titleTop + title.length * LINE_PX.title + message.length * LINE_PX.message + 8;
  const panelsTop = legendTop + legendPx;
  const footPx = 8 + notes.length * LINE_PX.small + 12 + footer.length * LINE_PX.small + MARGIN_PX - 6;
  const panelRows = Math.ceil(figure.panels.length / figure.columns);
  const panelTitlePx = figure.panels.some((panel) => panel.title !== '') ? LINE_PX.panel : 0;
  const leastPx = figure.panelPx * (fixedPx === undefined ? 1 : denseShare(figure, panelRows));
  const wantedPx = panelsTop + panelRows * (leastPx + panelTitlePx) + footPx;
  const heightPx = fixedPx ?? Math.max(LEAST_HEIGHT_PX, Math.ceil(wantedPx));
  const panelPx = Math.floor((heightPx - panelsTop - footPx) / panelRows) - panelTitlePx;
  const notesTop = heightPx - footPx + 8;
  const footerTop = notesTop + notes.length * LINE_PX.small + 12;
  return {
    title,
    titleTop,
    message,
    legend,
    legendTop,
    panelsTop,
    panelTitlePx,
    panelPx,
    notes,
    notesTop,
    footer,
    footerTop,
    heightPx,
    wantedPx,
  };
}
