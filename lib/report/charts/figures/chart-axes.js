// Axes of a panel as plain data in the shape of a Chart.js configuration, with their ends and all their ticks.

import { FORMATS } from '../../text/quantity-words.js';
import { COLOURS } from '../style/colours.js';
import { FONT_FAMILY, TEXT_PX, textPx } from '../style/letters.js';

/** @import { FormatName } from '../chart-types.js' */

/** @typedef {{ title?: string, min: number, max: number, values: number[], format?: FormatName }} NumberAxis   values: its ticks */

const TICK_GAP_PX = 8;
const { ink, mutedInk, grid } = COLOURS.light;

const font = (weight = 400) => ({ family: FONT_FAMILY, size: TEXT_PX, weight });

/** @param {string} text */
const axisTitle = (text) => ({ display: text !== '', text, font: font(), color: mutedInk });

/**
 * Lists all ticks, since Chart.js spaces them unevenly at the end of a linear axis and omits some in the decades of a log axis.
 * @param {'linear' | 'logarithmic'} type
 * @param {NumberAxis} axis
 * @param {object} [ticks]
 */
const numberAxis = (type, { title = '', min, max, values, format = 'si' }, ticks) => ({
  type,
  min,
  max,
  border: { display: false },
  grid: { color: grid, drawTicks: false },
  title: axisTitle(title),
  format,
  stops: values.map((value) => ({ value, text: FORMATS[format](value) })),
  ticks: { font: font(), color: mutedInk, padding: 6, ...ticks },
});

/** @param {number} greatest   positive @returns {number} distance of the ticks: a fifth to two fifths of `greatest` */
export function linearStep(greatest) {
  const rough = greatest / 5;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
}

/** @param {{ title?: string, max: number, isSparse?: boolean, format?: FormatName }} axis   isSparse: has half of the ticks */
export function linearAxis({ max, isSparse = false, ...axis }) {
  const step = linearStep(max) * (isSparse ? 2 : 1);
  const values = Array.from({ length: Math.floor(max / step + 0.001) + 1 }, (_, index) => index * step);
  return numberAxis('linear', { min: 0, max, values, ...axis });
}

/** @param {number[]} values   positive @returns the ends of a log axis, at 1, 2 or 5 times a power of ten */
export function logEnds(values) {
  /** @param {number} value */
  const magnitude = (value) => 10 ** Math.floor(Math.log10(value));
  const least = Math.min(...values) * 0.9;
  const greatest = Math.max(...values) * 1.1;
  const factorBelow = [5, 2, 1].find((factor) => factor * magnitude(least) <= least) ?? 1;
  const factorAbove = [1, 2, 5, 10].find((factor) => factor * magnitude(greatest) >= greatest) ?? 10;
  return { min: factorBelow * magnitude(least), max: factorAbove * magnitude(greatest) };
}

/**
 * @param {number} min
 * @param {number} max
 * @param {number} most
 * @returns {number[]} at most `most` ticks, as dense as possible: at 1, 2 and 5, at 1 and 3, or at 1 times powers of ten
 */
export function logTicks(min, max, most) {
  const ladders = [[1, 2, 5], [1, 3], [1]].map((factors) =>
    Array.from({ length: 30 }, (_, power) => factors.map((factor) => Number(`${factor}e${power - 9}`)))
      .flat()
      .filter((value) => value >= min * 0.999 && value <= max * 1.001),
  );
  const ladder = ladders.find((values) => values.length <= most) ?? ladders[2];
  const every = Math.ceil(ladder.length / most);
  return ladder.filter((_, index) => index % every === 0);
}

/**
 * @param {number[]} values   ticks of a log axis, ascending
 * @param {number} plotPx     length of the axis
 * @param {(value: number) => string} format
 * @returns {number[]} the first value, the last if both texts fit, and those between them whose texts fit
 */
export function ticksAt(values, plotPx, format) {
  const [first, last] = [values[0], values[values.length - 1]];
  /** @param {number} value */
  const toPx = (value) => (first === last ? 0 : (plotPx * Math.log(value / first)) / Math.log(last / first));
  /** @param {number} one @param {number} other */
  const haveRoom = (one, other) =>
    toPx(other) - toPx(one) >= (textPx(format(one)) + textPx(format(other))) / 2 + TICK_GAP_PX;
  const ticks = [first];
  for (const value of values.slice(1, -1))
    if (haveRoom(ticks[ticks.length - 1], value) && haveRoom(value, last)) ticks.push(value);
  return haveRoom(first, last) ? [...ticks, last] : ticks;
}

/** @param {NumberAxis & { paddingPx?: number }} axis   paddingPx: between labels and plot */
export function logAxis({ paddingPx = 6, ...axis }) {
  return numberAxis('logarithmic', axis, { autoSkip: false, maxRotation: 0, padding: paddingPx });
}

/** Ticks of ratios, from fine to coarse. */
const RATIO_LADDERS = [
  Array.from({ length: 11 }, (_, index) => 0.9 + index * 0.02),
  Array.from({ length: 9 }, (_, index) => 0.8 + index * 0.05),
  [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5],
  [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10],
].map((ladder) => ladder.map((value) => Number(value.toFixed(2))));
const RATIO_ROOM = 1.04; // the axis extends beyond the farthest ratio by this factor

/**
 * An axis of ratios with an emphasised line at 1.
 * @param {{ ratios: number[], most: number, thin?: number[], title?: string, paddingPx?: number }} axis   most: greatest
 *   number of ticks; thin: ratios with a thin line and no text
 */
export function ratioAxis({ ratios, most, thin = [], ...axis }) {
  const [min, max] = [Math.min(1, ...ratios) / RATIO_ROOM, Math.max(1, ...ratios) * RATIO_ROOM];
  const ladders = RATIO_LADDERS.map((ladder) => ladder.filter((value) => value >= min && value <= max));
  /** @param {number} index */
  const isWithin = (index) =>
    RATIO_LADDERS[index][0] <= min * 1.3 && (RATIO_LADDERS[index].at(-1) ?? 0) >= max / 1.3;
  const found = ladders.find((ladder, index) => isWithin(index) && ladder.length <= most);
  const ladder = (found ?? logTicks(min, max, most)).filter((value) =>
    thin.every((other) => Math.abs(value / other - 1) > 0.01),
  );
  const values = [...new Set([...ladder, 1, ...thin])].sort((one, other) => one - other);
  const made = logAxis({ min, max, values, format: 'ratio', ...axis });
  /** @param {number} value */
  const isThin = (value) => thin.includes(value);
  return {
    ...made,
    stops: made.stops.map((stop) => (isThin(stop.value) ? { ...stop, text: '' } : stop)),
    grid: {
      ...made.grid,
      color: values.map((value) => (value === 1 || isThin(value) ? mutedInk : grid)),
      lineWidth: values.map((value) => (value === 1 ? 2 : isThin(value) ? 0.5 : 1)),
    },
  };
}

/**
 * @param {string[]} labels
 * @param {boolean[]} areHeadings   one for each label
 * @param {number} widthPx          width of the labels; 0 hides them
 */
export function categoryAxis(labels, areHeadings, widthPx) {
  // Hidden labels are transparent and keep their height, so that plots of neighbouring panels are equally high.
  /** @param {boolean} isHeading */
  const colourOf = (isHeading) => (widthPx === 0 ? 'transparent' : isHeading ? mutedInk : ink);
  return {
    type: 'category',
    offset: true,
    border: { color: mutedInk },
    grid: { display: false },
    title: axisTitle(''),
    widthPx,
    ticks: {
      autoSkip: false,
      maxRotation: 0,
      padding: 6,
      font: labels.map((_, index) => font(areHeadings[index] ? 600 : 400)),
      color: labels.map((_, index) => colourOf(areHeadings[index])),
    },
  };
}

/** @param {{ x: object, y: object }} scales @param {{ top: number, right: number }} padding */
export function chartOptions(scales, padding) {
  return {
    layout: { padding, autoPadding: false }, // otherwise the sizes of plots would differ between panels
    events: [],
    plugins: { legend: { display: false }, tooltip: { enabled: false } },
    scales,
  };
}
