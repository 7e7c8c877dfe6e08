// The parts of a Chart.js configuration that all charts share: fonts, grid, scales. Builds plain data, draws nothing.

import { TEXT_PX } from '../figures/letters.js';
import { FONT_FAMILY } from '../style/font-family.js';
import { COLOURS } from '../style/palette.js';
import { si } from '../text/quantity-words.js';

export { TEXT_PX } from '../figures/letters.js';

/** @import { Theme } from '../style/palette.js' */

/**
 * A Chart.js configuration, but for the `fills` (lib/report/charts/scene/fills.js) and `whiskers` (lib/report/charts/scene/whiskers.js) of its data
 * sets and the `marks` above it (lib/report/charts/scene/marks.js).
 * @typedef {object} Configuration
 * @property {string} type
 * @property {{ labels?: (string | number)[], datasets: any[] }} data
 * @property {any} options
 * @property {import('./marks.js').Mark[]} marks
 */

/** @param {number} [size] @param {number} [weight] */
const font = (size = TEXT_PX, weight = 400) => ({ family: FONT_FAMILY, size, weight });

/** @param {Theme} theme @param {string} text */
const axisTitle = (theme, text) => ({
  display: text !== '',
  text,
  font: font(),
  color: COLOURS[theme].mutedInk,
});

/**
 * Chart.js chooses ticks by rules of its own: uneven ones at the end of a linear axis, decades without any on a log axis.
 * @param {number[]} values
 */
const fixedTicks = (values) => ({
  afterBuildTicks: (/** @type {{ ticks: { value: number }[] }} */ scale) => {
    scale.ticks = values.map((value) => ({ value }));
  },
});

/**
 * @param {Theme} theme
 * @param {{ type: string, title: string, min: number, max: number, values: number[], text: (value: number) => string }} axis   values: its ticks
 * @param {object} [ticks]
 */
const numberAxis = (theme, { type, title, min, max, values, text }, ticks = {}) => ({
  type,
  min,
  max,
  border: { display: false },
  grid: { color: COLOURS[theme].grid, drawTicks: false },
  title: axisTitle(theme, title),
  ...fixedTicks(values),
  ticks: {
    font: font(),
    color: COLOURS[theme].mutedInk,
    padding: 6,
    ...ticks,
    callback: (/** @type {number} */ value) => text(value),
  },
});

/**
 * @param {Theme} theme
 * @param {{ title: string, min?: number, max: number, step: number, text?: (value: number) => string }} axis   min left out: 0
 */
export function linearAxis(theme, { title, min = 0, max, step, text = si }) {
  const [first, last] = [Math.ceil(min / step - 0.001), Math.floor(max / step + 0.001)];
  const values = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return numberAxis(theme, { type: 'linear', title, min, max, values, text });
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

/**
 * @param {Theme} theme
 * @param {{ title: string, min: number, max: number, values: number[], text?: (value: number) => string, paddingPx?: number }} axis   values: its
 *   ticks; paddingPx: between labels and plot
 */
export function logAxis(theme, { text = si, paddingPx = 6, ...axis }) {
  const ticks = { autoSkip: false, maxRotation: 0, padding: paddingPx };
  return numberAxis(theme, { type: 'logarithmic', text, ...axis }, ticks);
}

/**
 * @param {Theme} theme
 * @param {object} [axis]
 * @param {string} [axis.title]
 * @param {(index: number) => boolean} [axis.isHeading]
 * @param {(label: string) => string[]} [axis.linesOf]   of a label
 * @param {number} [axis.widthPx]   instead of what its labels need; 0: without labels
 */
export function categoryAxis(theme, { title = '', isHeading = () => false, linesOf, widthPx } = {}) {
  const { ink, mutedInk } = COLOURS[theme];
  return {
    type: 'category',
    offset: true,
    border: { color: mutedInk },
    grid: { display: false },
    title: axisTitle(theme, title),
    ticks: {
      autoSkip: false,
      maxRotation: 0,
      padding: 6,
      ...(linesOf && {
        callback(/** @type {number} */ value) {
          return linesOf(/** @type {any} */ (this).getLabelForValue(value));
        },
      }),
      font: (/** @type {{ index: number }} */ { index }) => font(13, isHeading(index) ? 600 : 400),
      // Labels that are only unseen keep the plot as high as that of the panel which shows them.
      color: (/** @type {{ index: number }} */ { index }) =>
        widthPx === 0 ? 'transparent' : isHeading(index) ? mutedInk : ink,
    },
    ...(widthPx === undefined
      ? {}
      : {
          afterFit: (/** @type {{ width: number }} */ scale) => {
            scale.width = widthPx;
          },
        }),
  };
}

/**
 * @param {Record<string, object>} scales
 * @param {Partial<Record<'top' | 'right' | 'bottom' | 'left', number>>} padding
 */
export function chartOptions(scales, padding) {
  return {
    devicePixelRatio: 2,
    // Without room of its own choice, the plots of small multiples are of one size.
    layout: { padding, autoPadding: false },
    events: [],
    plugins: { legend: { display: false }, tooltip: { enabled: false } },
    scales,
  };
}
