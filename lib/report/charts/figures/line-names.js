// Names at the ends of lines, with the flags of their last points: marks beside these would lie on the names.

import { COLOURS } from '../style/palette.js';

/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Series } from './series.js' */

const LINE_END = { gapPx: 26, letterPx: 6.8 };

/** @param {string} text @param {string} flags @returns {string} 'unix/json [m]' */
const withFlags = (text, flags) => (flags === '' ? text : `${text} [${flags}]`);

/**
 * @param {Pick<Series, 'text'>[]} series
 * @param {string[]} [flags]   of their ends
 * @returns {number} pixels right of a plot for their names: the same in all panels
 */
export function namesRightPx(series, flags = []) {
  const longest = flags.toSorted((one, other) => other.length - one.length)[0] ?? '';
  const letters = Math.max(0, ...series.map(({ text }) => withFlags(text, longest).length));
  return Math.ceil(LINE_END.gapPx + letters * LINE_END.letterPx);
}

/**
 * @param {{ x: number, y: number | null }[]} points   of one line
 * @param {Pick<Series, 'text' | 'look'>} series
 * @param {Theme} theme
 * @param {string} [flags]   of its last point
 * @returns {Mark[]}
 */
export function lineEnd(points, { text, look }, theme, flags = '') {
  const last = points.findLast(({ y }) => y !== null);
  if (last === undefined || last.y === null) return [];
  const at = { x: last.x, y: last.y };
  const name = withFlags(text, flags);
  return [{ ...at, text: name, colour: COLOURS[theme].ink, fill: look.colour, isLineEnd: true }];
}
