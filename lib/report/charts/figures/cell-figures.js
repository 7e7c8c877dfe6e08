// The figures of one cell, for its page: its times as percentiles, and every launch from its warm-up to its end.

import { headlineMeasure } from '../../../cell/headline.js';
import { capitalised } from '../../../format/lists.js';
import { MS_PER_S } from '../../../format/units.js';
import { latencySpectrum } from '../../../statistics/latency.js';
import { listAllTimes } from '../../text/all-times.js';
import { chartOptions, linearAxis, logAxis, logTicks } from '../scene/chart-axes.js';
import { COLOURS } from '../style/palette.js';
import { durationTick, linearEnd, logEnds, si } from '../text/quantity-words.js';
import { FIGURE_PX } from './figure-px.js';
import { lineOf, PANEL_PX } from './line-panel.js';
import { PERCENTILES_TITLE, percentileTick } from './percentile-figure.js';
import { labelText } from './series.js';

/** @import { MeasuredLaunch, MeasuredOutcome } from '../../../types/index.js' */
/** @import { Figure } from './figure.js' */
/** @import { Look } from './series.js' */
/** @typedef {Pick<Figure, 'title' | 'legend' | 'columns' | 'labelPx' | 'panelPx' | 'widthPx' | 'panels' | 'notes' | 'altText'>} CellFigure   in light colours */

/** @typedef {{ x: number, y: number, yMin: null, yMax: null }} Point */

const { light } = COLOURS;
const HUES = [light.hues.blue, light.hues.rust, light.hues.green];
const TIME_TICKS = 7;
const MOST_DECADES = 6;
const ALONE = Object.freeze({ columns: 1, labelPx: 0, panelPx: PANEL_PX, widthPx: FIGURE_PX });

/** @param {string} colour @param {number[]} dash @returns {Look} */
const lineLook = (colour, dash) => ({
  colour,
  outline: colour,
  fill: 'solid',
  dash,
  marker: 'circle',
  isHollow: false,
});

/** @param {string} text @param {Look} look @param {object[]} data */
const datasetOf = (text, look, data) => lineOf(data, /** @type {any} */ ({ text, look }), 0);

/** @param {ReturnType<typeof datasetOf>[]} datasets @param {Record<string, any>} scales @returns {Figure['panels'][number]} */
function linesPanel(datasets, scales) {
  const options = chartOptions(scales, { top: 8, right: 24 });
  return { title: '', configuration: { type: 'line', data: { datasets }, options, marks: [] } };
}

/** @param {MeasuredOutcome} outcome @returns {CellFigure[]} none: it has no times */
function spectrumFigure(outcome) {
  const lines = listAllTimes(outcome).map(({ explained, latencies }, index) => ({
    text: labelText(explained, 60),
    look: lineLook(HUES[index % HUES.length], []),
    points: latencySpectrum(latencies),
  }));
  const points = lines.flatMap((line) => line.points).filter(({ us }) => us > 0);
  if (points.length === 0) return [];
  const ends = logEnds(points.map(({ us }) => us));
  const rarest = Math.max(...points.map(({ rarity }) => rarity));
  const decades = Math.min(MOST_DECADES, Math.max(1, Math.ceil(Math.log10(rarest))));
  const scales = {
    x: logAxis('light', {
      title: PERCENTILES_TITLE,
      min: 1,
      max: 10 ** decades,
      text: percentileTick,
      values: Array.from({ length: decades + 1 }, (_, power) => 10 ** power),
    }),
    y: logAxis('light', {
      title: '',
      ...ends,
      text: durationTick,
      values: logTicks(ends.min, ends.max, TIME_TICKS),
    }),
  };
  const datasets = lines.map(({ text, look, points: own }) =>
    datasetOf(
      text,
      look,
      own.filter(({ us }) => us > 0).map(({ rarity, us }) => ({ x: rarity, y: us, yMin: null, yMax: null })),
    ),
  );
  const texts = lines.map(({ text, points: own }) => {
    const median = own.find(({ rarity }) => rarity >= 2);
    return median === undefined ? text : `${text}: median ${durationTick(median.us)}`;
  });
  return [
    {
      ...ALONE,
      title: 'Percentiles of times',
      legend: lines.map(({ text, look }) => ({ text, swatch: { kind: 'bar', look } })),
      panels: [linesPanel(datasets, scales)],
      notes: [
        'All launches together, without intervals. A line ends where fewer than ten samples lie beyond.',
      ],
      altText: `Percentiles of times. ${texts.join('; ')}.`,
    },
  ];
}

/** @param {number} x   seconds @param {number} y @returns {Point} */
const pointAt = (x, y) => ({ x, y, yMin: null, yMax: null });

/** @param {MeasuredLaunch['warmup']} warmup @returns {Point[]} its bins stand for equal parts of it: those of a busy master were late */
function warmupPoints({ ms, binMs, operations }) {
  const ownMs = ms / operations.length;
  return operations.map((count, index) =>
    pointAt(((index + 0.5) * ownMs - ms) / MS_PER_S, (MS_PER_S * count) / binMs),
  );
}

/** @param {MeasuredLaunch} launch @returns {Point[]} */
function windowPoints({ bins, binMs, windowMs }) {
  return bins.flatMap((count, index) => {
    const ownMs = Math.min(binMs, windowMs - index * binMs);
    // The last one ends with the window, and too short an end says nothing.
    return ownMs < binMs / 4
      ? []
      : [pointAt((index * binMs + ownMs / 2) / MS_PER_S, (MS_PER_S * count) / ownMs)];
  });
}

/** @param {MeasuredLaunch[]} launches @param {string} what   is counted @returns {CellFigure[]} */
function launchesFigure(launches, what) {
  const warming = lineLook(light.mutedInk, [3, 3]);
  const measured = lineLook(light.hues.blue, []);
  const lines = launches.flatMap((launch, index) => [
    { text: `launch ${index + 1}, warm-up`, look: warming, points: warmupPoints(launch.warmup) },
    { text: `launch ${index + 1}`, look: measured, points: windowPoints(launch) },
  ]);
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return [];
  const [min, max] = [Math.min(0, ...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const upwards = linearEnd(Math.max(1, ...points.map(({ y }) => y)));
  const { step } = linearEnd(max - min);
  const seconds = (/** @type {number} */ x) => `${x < 0 ? '−' : ''}${si(Math.abs(x))} s`;
  const scales = {
    x: linearAxis('light', { title: 'since the window opened', min, max, step, text: seconds }),
    y: linearAxis('light', { title: '', ...upwards }),
  };
  const datasets = lines.map(({ text, look, points: own }) => ({
    ...datasetOf(text, look, own),
    borderWidth: 1.5,
  }));
  return [
    {
      ...ALONE,
      title: `${capitalised(what)} per second, launch by launch`,
      legend: [
        { text: 'warm-up', swatch: { kind: 'bar', look: warming } },
        { text: 'window', swatch: { kind: 'bar', look: measured } },
      ],
      panels: [linesPanel(datasets, scales)],
      notes: [
        `Each point is a bin; a line is a launch. What stands before 0 s is warm-up and counts for nothing.`,
      ],
      altText: `${capitalised(what)} per second in each bin of ${launches.length} launches, warm-up and window.`,
    },
  ];
}

/** @param {MeasuredOutcome} outcome @returns {CellFigure[]} */
export function cellFigures(outcome) {
  const what = labelText(outcome.operation.many ?? headlineMeasure(outcome).title, 40);
  return [...spectrumFigure(outcome), ...launchesFigure(outcome.launches, what)];
}
