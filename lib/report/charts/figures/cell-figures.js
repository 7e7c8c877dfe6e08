// The figures of one cell, for its page: its times as percentiles, and every launch from its warm-up to its end.

import { headlineMeasure } from '../../../cell/headline.js';
import { capitalised } from '../../../format/lists.js';
import { MS_PER_S } from '../../../format/units.js';
import { latencySpectrum } from '../../../statistics/latency.js';
import { listAllTimes } from '../../text/response-times.js';
import { linearAxis, linesChart } from '../scene/chart-axes.js';
import { FIGURE_PX } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { FORMATS, linearEnd } from '../text/quantity-words.js';
import { labelText } from '../text/short-texts.js';
import { legendOf } from './figure.js';
import { lineOf, PANEL_PX } from './line-panel.js';
import { PERCENTILES_TITLE, placePoints, spectrumScales } from './percentile-figure.js';

/** @import { SpectrumPoint } from '../../../statistics/latency.js' */
/** @import { MeasuredLaunch, MeasuredOutcome } from '../../../types/index.js' */
/** @import { Figure } from '../scene-types.js' */
/** @typedef {Pick<Figure, 'title' | 'legend' | 'columns' | 'labelPx' | 'panelPx' | 'widthPx' | 'panels' | 'notes' | 'altText'>} CellFigure   in light colours */
/** @typedef {{ x: number, y: number }} Point */

const { hues, mutedInk } = COLOURS.light;
const HUES = [hues.blue, hues.rust, hues.green];
const ALONE = Object.freeze({ columns: 1, labelPx: 0, panelPx: PANEL_PX, widthPx: FIGURE_PX });

/** @param {SpectrumPoint[]} points @returns {SpectrumPoint[]} those that a log axis has a place for */
const drawable = (points) => points.filter(({ us }) => us > 0);

/** @param {MeasuredOutcome} outcome @returns {CellFigure[]} none: it has no times */
function spectrumFigure(outcome) {
  const lines = listAllTimes(outcome).map(({ explained, latencies }, index) => ({
    text: labelText(explained, 60),
    look: plainLook(HUES[index % HUES.length]),
    points: latencySpectrum(latencies),
  }));
  const points = lines.flatMap((line) => drawable(line.points));
  if (points.length === 0) return [];
  const scales = spectrumScales(points, {
    titles: { across: PERCENTILES_TITLE, upwards: 'time, log scale' },
    plotPx: FIGURE_PX,
  });
  const datasets = lines.map((line) => lineOf(placePoints(drawable(line.points)), line));
  const texts = lines.map(({ text, points: own }) => {
    const median = own.find(({ rarity }) => rarity >= 2);
    return median === undefined ? text : `${text}: median ${FORMATS.duration(median.us)}`;
  });
  return [
    {
      ...ALONE,
      title: 'Percentiles of times',
      legend: legendOf(lines, 'bar'),
      panels: [{ title: '', configuration: linesChart(datasets, scales) }],
      notes: [
        'All launches together, without intervals. A line ends where fewer than ten samples lie beyond.',
      ],
      altText: `Percentiles of times. ${texts.join('; ')}.`,
    },
  ];
}

/** @param {MeasuredLaunch['warmup']} warmup @returns {Point[]} its bins stand for equal parts of it: those of a busy master were late */
function warmupPoints({ ms, binMs, operations }) {
  const ownMs = ms / operations.length;
  return operations.map((count, index) => ({
    x: ((index + 0.5) * ownMs - ms) / MS_PER_S,
    y: (MS_PER_S * count) / binMs,
  }));
}

/** @param {MeasuredLaunch} launch @returns {Point[]} */
function windowPoints({ bins, binMs, windowMs }) {
  return bins.flatMap((count, index) => {
    const ownMs = Math.min(binMs, windowMs - index * binMs);
    // The last one ends with the window, and too short an end says nothing.
    if (ownMs < binMs / 4) return [];
    return [{ x: (index * binMs + ownMs / 2) / MS_PER_S, y: (MS_PER_S * count) / ownMs }];
  });
}

/** @param {MeasuredLaunch[]} launches @param {string} what   is counted @returns {CellFigure[]} */
function launchesFigure(launches, what) {
  const warming = plainLook(mutedInk, { dash: [3, 3] });
  const measured = plainLook(hues.blue);
  const lines = launches.flatMap((launch, index) => [
    { text: `launch ${index + 1}, warm-up`, look: warming, points: warmupPoints(launch.warmup) },
    { text: `launch ${index + 1}`, look: measured, points: windowPoints(launch) },
  ]);
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return [];
  const [min, max] = [Math.min(0, ...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const { step } = linearEnd(max - min);
  const scales = {
    x: linearAxis({ title: 'since the window opened', min, max, step, format: 'seconds' }),
    y: linearAxis({ title: `${what} per second`, ...linearEnd(Math.max(1, ...points.map(({ y }) => y))) }),
  };
  const datasets = lines.map((line) => ({ ...lineOf(line.points, line), borderWidth: 1.5 }));
  const legend = [
    { text: 'warm-up', look: warming },
    { text: 'window', look: measured },
  ];
  return [
    {
      ...ALONE,
      title: `${capitalised(what)} per second, launch by launch`,
      legend: legendOf(legend, 'bar'),
      panels: [{ title: '', configuration: linesChart(datasets, scales) }],
      notes: [
        'Each point is a bin; a line is a launch. What stands before 0 s is warm-up and counts for nothing.',
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
