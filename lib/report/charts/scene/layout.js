// Where everything of a figure goes: all text in measured lines, so that none leaves the picture or meets another, and
// the panels get what is left, or the picture grows.

import { innerPx, MARGIN_PX } from '../figures/figure-px.js';
import { FONTS, LEGEND_ROW_PX, LINE_PX } from '../figures/letters.js';
import { wrappedLines } from '../text/text-lines.js';
import { legendItemPx } from './legend.js';

export { FONTS, LEGEND_ROW_PX, LINE_PX } from '../figures/letters.js';

/** @import { SKRSContext2D as Context } from '@napi-rs/canvas' */
/** @import { Figure } from '../figures/figure.js' */
/** @import { LegendItem } from './legend.js' */

/** @typedef {ReturnType<typeof layOut>} Layout */

const LEAST_HEIGHT_PX = 540; // 16:9
const MOST_LINES = { title: 2, message: 4, panel: 1, small: 6 };
// Of the usual height, where the height of all is given: of rows, and of plots below each other.
const DENSE = { rows: 0.72, plots: 0.62 };

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
