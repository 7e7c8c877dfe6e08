// The widths of a figure: between its margins, and of the panels side by side. Apart from figure.js, so that a page needs no more.

export const FIGURE_PX = 960; // where nobody asks for another size
export const MARGIN_PX = 24;
export const COLUMN_GAP_PX = 16;

/** @param {number} widthPx   of a figure @returns {number} between its margins */
export const innerPx = (widthPx) => widthPx - 2 * MARGIN_PX;

/** @param {number} columns @param {number} labelPx @param {number} widthPx   of the figure @returns {number} width of a panel without its names */
export function columnPx(columns, labelPx, widthPx) {
  return Math.floor((innerPx(widthPx) - labelPx - (columns - 1) * COLUMN_GAP_PX) / columns);
}
