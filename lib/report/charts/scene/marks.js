// What Chart.js does not draw by itself: values at bars, gaps with their mark, published figures, percentiles, names
// at the ends of lines. A plug-in for one configuration, not registered, so that it needs no chart.js of its own.

import { groupedBy } from '../../../format/lists.js';
import { FONT_FAMILY } from '../style/font-family.js';
import { drawSymbol } from './symbols.js';

/**
 * Where: at a bar (`datasetIndex`, `index`), or at two values (`x`, `y`). `value` is on the numeric axis; left out, it
 * is the axis' start.
 * @typedef {object} Mark
 * @property {number} [datasetIndex]
 * @property {number} [index]
 * @property {number} [value]
 * @property {number} [x]
 * @property {number} [y]
 * @property {number} [dx]              pixels, to the right
 * @property {number} [dy]              pixels, down
 * @property {string} [text]            instead of a symbol
 * @property {import('./symbols.js').Symbol} [symbol]
 * @property {string} colour
 * @property {string} [fill]            of a symbol; of a line end, the colour of its line
 * @property {string} [halo]            behind a text, where lines may cross it
 * @property {number} [sizePx]          of a text, or radius of a symbol
 * @property {number} [weight]
 * @property {'left' | 'center' | 'right'} [align]
 * @property {boolean} [isUpright]      text that reads from below to above
 * @property {boolean} [isFlag]         of a point: those above each other must not overlap
 * @property {boolean} [isLineEnd]      of a column of names that must not overlap
 */

const LINE_END_PX = 15;
const FLAG_PX = 12;

/** @param {any} chart @param {Mark} mark @returns {{ x: number, y: number }} in pixels */
function locateMark(chart, mark) {
  const { dx = 0, dy = 0 } = mark;
  const { scales, chartArea } = chart;
  if (mark.datasetIndex === undefined || mark.index === undefined) {
    const y = mark.y === undefined ? chartArea.bottom : scales.y.getPixelForValue(mark.y);
    return { x: scales.x.getPixelForValue(mark.x) + dx, y: y + dy };
  }
  const isHorizontal = chart.options.indexAxis === 'y';
  const scale = isHorizontal ? scales.x : scales.y;
  const bar = chart.getDatasetMeta(mark.datasetIndex).data[mark.index];
  const along = scale.getPixelForValue(mark.value ?? scale.min);
  return isHorizontal ? { x: along + dx, y: bar.y + dy } : { x: bar.x + dx, y: along + dy };
}

/** @param {any} context @param {Mark} mark */
function drawText(
  context,
  { text = '', colour, halo, sizePx = 12, weight = 400, align = 'left', isUpright },
) {
  context.font = `${weight} ${sizePx}px ${FONT_FAMILY}`;
  context.textAlign = align;
  context.textBaseline = 'middle';
  if (isUpright) context.rotate(-Math.PI / 2);
  if (halo !== undefined) {
    context.strokeStyle = halo;
    context.lineWidth = 5;
    context.lineJoin = 'round';
    context.strokeText(text, 0, 0);
  }
  context.fillStyle = colour;
  context.fillText(text, 0, 0);
}

/**
 * Names that would overlap are pushed down just far enough, and back up if the last one leaves the plot.
 * @param {number[]} wanted   pixels, ascending
 * @param {number} top
 * @param {number} bottom
 * @param {number} gap
 * @returns {number[]}
 */
export function spreadOut(wanted, top, bottom, gap = LINE_END_PX) {
  const places = [...wanted];
  for (let index = 0; index < places.length; index += 1) {
    places[index] = Math.max(places[index], index === 0 ? top : places[index - 1] + gap);
  }
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index], index === places.length - 1 ? bottom : places[index + 1] - gap);
  }
  return places;
}

/** @param {any} chart @param {Mark[]} marks */
function drawLineEnds(chart, marks) {
  const { ctx: context, chartArea } = chart;
  const ends = marks
    .map((mark) => ({ mark, from: locateMark(chart, mark) }))
    .sort((left, right) => left.from.y - right.from.y);
  const wanted = ends.map(({ from }) => from.y);
  const places = spreadOut(wanted, chartArea.top, chartArea.bottom);
  for (const [index, { mark, from }] of ends.entries()) {
    context.save();
    context.strokeStyle = mark.fill ?? mark.colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(from.x + 7, from.y);
    context.lineTo(chartArea.right + 16, places[index]);
    context.stroke();
    context.translate(chartArea.right + 20, places[index]);
    drawText(context, mark);
    context.restore();
  }
}

/** @param {any} chart @param {Mark[]} marks   above all symbols, as near to their points as they have room */
function drawFlags(chart, marks) {
  const { ctx: context, chartArea } = chart;
  const places = marks.map((mark) => ({ mark, ...locateMark(chart, mark) }));
  for (const column of groupedBy(places, ({ x }) => Math.round(x)).values()) {
    column.sort((one, other) => one.y - other.y);
    const wanted = column.map(({ y }) => y);
    const ys = spreadOut(wanted, chartArea.top - FLAG_PX, chartArea.bottom, FLAG_PX);
    for (const [index, { mark, x }] of column.entries()) {
      context.save();
      context.translate(x, ys[index]);
      drawText(context, mark);
      context.restore();
    }
  }
}

/**
 * The marks are handed over past Chart.js, whose options fill every missing field from their defaults.
 * @param {Mark[]} marks
 */
export const marksPlugin = (marks) => ({
  id: 'marks',
  /** @param {any} chart */
  afterDatasetsDraw(chart) {
    const { ctx: context } = chart;
    for (const mark of marks.filter(({ isLineEnd, isFlag }) => !isLineEnd && !isFlag)) {
      const { x, y } = locateMark(chart, mark);
      context.save();
      context.translate(x, y);
      const { symbol, colour, fill, sizePx } = mark;
      if (symbol === undefined) drawText(context, mark);
      else drawSymbol(context, symbol, { colour, fill, radius: sizePx });
      context.restore();
    }
    drawFlags(
      chart,
      marks.filter(({ isFlag }) => isFlag),
    );
    const names = marks.filter(({ isLineEnd }) => isLineEnd);
    drawLineEnds(chart, names);
  },
});
