// The scene of a panel as plain data, in the shape of a Chart.js configuration: its axes with all their ticks, its data sets and the
// marks above them. chart-configuration.js turns it into what Chart.js takes.

import { COLOURS } from '../style/colours.js';
import { FONT_FAMILY, TEXT_PX } from '../style/letters.js';
import { FORMATS } from '../text/quantity-words.js';

/** @import { Configuration, FormatName, Mark } from '../scene-types.js' */

/** @typedef {{ title?: string, min: number, max: number, values: number[], format?: FormatName }} NumberAxis   values: its ticks */

const { ink, mutedInk, grid } = COLOURS.light;

/** @param {number} [size] @param {number} [weight] */
const font = (size = TEXT_PX, weight = 400) => ({ family: FONT_FAMILY, size, weight });

/** @param {string} text */
const axisTitle = (text) => ({ display: text !== '', text, font: font(), color: mutedInk });

/**
 * Chart.js chooses ticks by rules of its own: uneven ones at the end of a linear axis, decades without any on a log axis. So all
 * ticks are listed.
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

/** @param {{ title?: string, min?: number, max: number, step: number, format?: FormatName }} axis */
export function linearAxis({ min = 0, max, step, ...axis }) {
  const [first, last] = [Math.ceil(min / step - 0.001), Math.floor(max / step + 0.001)];
  const values = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return numberAxis('linear', { min, max, values, ...axis });
}

/**
 * @param {number} min
 * @param {number} max
 * @param {number} most
 * @returns {number[]} the densest of the usual ladders that has no more than so many rungs
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

/** @param {NumberAxis & { paddingPx?: number }} axis   paddingPx: between labels and plot */
export function logAxis({ paddingPx = 6, ...axis }) {
  return numberAxis('logarithmic', axis, { autoSkip: false, maxRotation: 0, padding: paddingPx });
}

/**
 * @param {(string | number)[]} labels
 * @param {object} [axis]
 * @param {boolean[]} [axis.areHeadings]   of the labels
 * @param {number} [axis.widthPx]          instead of what its labels need; 0: without labels
 */
export function categoryAxis(labels, { areHeadings = [], widthPx } = {}) {
  // Labels that are only unseen keep the plot as high as that of the panel which shows them.
  const colourOf = (/** @type {boolean} */ isHeading) =>
    widthPx === 0 ? 'transparent' : isHeading ? mutedInk : ink;
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
      font: { each: labels.map((_, index) => font(TEXT_PX, areHeadings[index] ? 600 : 400)) },
      color: { each: labels.map((_, index) => colourOf(areHeadings[index])) },
    },
  };
}

/** @param {{ x: object, y: object }} scales @param {Partial<Record<'top' | 'right' | 'bottom' | 'left', number>>} padding */
export function chartOptions(scales, padding) {
  return {
    // Without room of its own choice, the plots of small multiples are of one size.
    layout: { padding, autoPadding: false },
    events: [],
    plugins: { legend: { display: false }, tooltip: { enabled: false } },
    scales,
  };
}

/**
 * @param {object[]} datasets
 * @param {{ x: object, y: object }} scales
 * @param {Mark[]} [marks]
 * @param {number | null} [rightPx]   for names at the ends of lines; null: there are none
 * @returns {Configuration}
 */
export function linesChart(datasets, scales, marks = [], rightPx = null) {
  return {
    type: 'line',
    data: { datasets },
    options: chartOptions(scales, { top: 8, right: rightPx ?? 24 }),
    marks,
  };
}
