// Two rows along an axis, each a line with its band, over the stretch in which it cannot be told which of them is ahead.

import { costsBetween, placesBetween } from '../../../statistics/crossover.js';
import { estimateMedian } from '../../../statistics/estimate.js';
import { axisTitle, crossoverText } from '../../recommend/crossover-words.js';
import { chartOptions, logAxis, logTicks } from '../scene/chart-axes.js';
import { COLOURS } from '../style/palette.js';
import { durationTick, logEnds, payloadTick, si, ticksAt } from '../text/quantity-words.js';
import { lineEnd } from './line-names.js';
import { lineOf } from './line-panel.js';

/** @import { CrossoverPoint, Turn } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Series } from './series.js' */
/** @typedef {{ x: number, y: number, yMin: number, yMax: number }} BandPoint */
/** @typedef {{ series: Series, points: BandPoint[], measured: (BandPoint & { flags: string })[] }} Line   flags: their marks */

const RIGHT_PX = 230; // for the names at the ends of the lines
const MOST_TICKS = 8;
const BAND = '38'; // alpha: bands and grid stay seen where they lie on each other
const UNSEEN = Object.freeze({
  borderWidth: 0,
  pointRadius: 0,
  clip: false,
  whiskers: { colour: '', capPx: 0 },
});

/**
 * @param {Series} series
 * @param {CrossoverPoint[]} points
 * @param {object} how
 * @param {(point: { costs: number[], others: number[] }) => number[]} how.own
 * @param {Map<number, string>} how.flags    their marks, by place
 * @param {(cost: number) => number} how.shownAs
 * @returns {Line}
 */
export function lineAlong(series, points, { own, flags, shownAs }) {
  const at = (/** @type {number} */ x) => {
    const { estimate, low, high } = estimateMedian(own(costsBetween(points, x)));
    const ends = [shownAs(low), shownAs(high)];
    return { x, y: shownAs(estimate), yMin: Math.min(...ends), yMax: Math.max(...ends) };
  };
  return {
    series,
    points: placesBetween(points).map(at),
    measured: points.map(({ x }) => ({ ...at(x), flags: flags.get(x) ?? '' })),
  };
}

/**
 * @param {Line[]} lines
 * @param {Turn} turn
 * @param {string} quantity
 * @param {Theme} theme
 * @returns {Configuration}
 */
export function crossoverPanel(lines, turn, quantity, theme) {
  const { axis, crossover, points, by } = turn;
  const { mutedInk, background, ink } = COLOURS[theme];
  const { min, max } = logEnds(
    lines.flatMap((line) => line.points.flatMap(({ yMin, yMax }) => [yMin, yMax])),
  );
  const xs = points.map(({ x }) => x);
  const isPayload = axis === 'payloadBytes';
  const scales = {
    x: logAxis(theme, {
      title: `${axisTitle(axis)}, log scale`,
      min: xs[0],
      max: xs[xs.length - 1],
      values: ticksAt(xs, MOST_TICKS),
      text: isPayload ? payloadTick : si,
    }),
    y: logAxis(theme, {
      title: `${quantity}, log scale`,
      min,
      max,
      values: logTicks(min, max, MOST_TICKS),
      text: by === 'speed' ? si : durationTick,
    }),
  };
  const stretch = [crossover.low, crossover.high].map((x) => ({ x, y: max, yMin: null, yMax: null }));
  const datasets = [
    ...lines.map(({ series, points: along }) => ({ ...lineOf(withoutWhiskers(along), series, 0), order: 0 })),
    ...lines.flatMap(({ series, points: along }) => makeBand(along, series)),
    {
      ...UNSEEN,
      label: 'no clear difference',
      data: stretch,
      fill: 'start',
      backgroundColor: `${mutedInk}${BAND}`,
      order: 2,
    },
  ];
  const said = { x: crossover.estimate, y: max, dy: 10, text: crossoverText(turn) };
  return {
    type: 'line',
    data: { datasets },
    options: chartOptions(scales, { top: 8, right: RIGHT_PX }),
    marks: [
      ...lines.flatMap((line) => makeMarks(line, theme)),
      { ...said, colour: ink, halo: background, align: 'center' },
    ],
  };
}

/** @param {Line} line @param {Theme} theme @returns {Mark[]} its places, their flags, and its name at its end */
function makeMarks({ series, measured, points }, theme) {
  const { background, ink } = COLOURS[theme];
  const { marker: symbol, colour, isHollow } = series.look;
  const fill = isHollow ? background : colour;
  // The flags of the last place stand behind the name.
  const flagged = measured.slice(0, -1).filter(({ flags }) => flags !== '');
  return [
    ...measured.map(({ x, y }) => ({ x, y, symbol, colour, sizePx: 4.5, fill })),
    ...flagged.map(({ x, y, flags }) => ({
      x,
      y,
      dx: 7,
      dy: -9,
      text: flags,
      colour: ink,
      halo: background,
      isFlag: true,
    })),
    ...lineEnd(points, series, theme, measured.at(-1)?.flags),
  ];
}

/** @param {BandPoint[]} points @returns {{ x: number, y: number, yMin: null, yMax: null }[]} */
const withoutWhiskers = (points) => points.map(({ x, y }) => ({ x, y, yMin: null, yMax: null }));

/** @param {BandPoint[]} points @param {Series} series @returns {object[]} its upper end, and its lower end, filled up to the one before */
function makeBand(points, { text, look }) {
  const end = (/** @type {'yMin' | 'yMax'} */ key) =>
    points.map((point) => ({ x: point.x, y: point[key], yMin: null, yMax: null }));
  const common = { ...UNSEEN, backgroundColor: `${look.colour}${BAND}`, order: 1 };
  return [
    { ...common, label: `${text}, upper end`, data: end('yMax'), fill: false },
    { ...common, label: `${text}, lower end`, data: end('yMin'), fill: '-1' },
  ];
}
