// The percentile spectrum of open load: response time against the percentile on the scale that HdrHistogram made usual,
// where each step to the right is ten times rarer. A panel per rate and shape; lines end where samples become too few.

import { seriesLabel, shapeLabel } from '../../../cell/labels.js';
import { latencySpectrum } from '../../../statistics/latency.js';
import { hasResponseTimes, isMeasured, rateOf } from '../../text/groups.js';
import { OPEN_LOAD_SENTENCES } from '../../text/open-conclusion.js';
import { linesChart, logAxis, logTicks } from '../scene/chart-axes.js';
import { columnPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { limitedNotes, messageOfTails } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { logEnds, si } from '../text/quantity-words.js';
import { countedPayload, joinTexts } from '../text/short-texts.js';
import { columnsFor, formatWhere, isNotRanked, legendOf, MOST_COLUMNS, makeFigure } from './figure.js';
import {
  AXIS_PX,
  lineEnd,
  lineOf,
  MARKER_PADDING_PX,
  markerAt,
  namesRightPx,
  titledPanels,
} from './line-panel.js';
import { byRate, RESPONSE_TITLE } from './rate-figure.js';
import { byShape, makeSeries, splitIntoPanels } from './series.js';

/** @import { SpectrumPoint } from '../../../statistics/latency.js' */
/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Configuration, Figure, Mark, Series, Sheet } from '../scene-types.js' */
/** @typedef {{ outcome: MeasuredOutcome, points: SpectrumPoint[] }} Spectrum */

const PERCENTILES_TITLE = 'percentile, each step ten times rarer';
const NAMES_IN_A_PANEL = 4;
const TIME_TICKS = 7;
const TICK_PX = 68; // '99.999 %' and room around it
const MOST_DECADES = 6;

/** @param {Outcome[]} outcomes @returns {Spectrum[]} */
function makeSpectra(outcomes) {
  const kept = outcomes.filter(isMeasured).filter(hasResponseTimes);
  return kept.map((outcome) => {
    const opens = outcome.launches.flatMap(({ open }) => open ?? []);
    const responses = opens.map(({ response }) => response);
    const unanswered = opens.flatMap((open) => open.unanswered ?? []);
    return { outcome, points: latencySpectrum(responses, unanswered) };
  });
}

/**
 * @param {SpectrumPoint[]} points   at least one
 * @param {{ titles?: { across: string, upwards: string }, plotPx: number }} place
 * @returns {{ x: object, y: object }} of percentiles and times
 */
function spectrumScales(points, { titles, plotPx }) {
  const rarest = Math.max(...points.map(({ rarity }) => rarity));
  const decades = Math.min(MOST_DECADES, Math.max(1, Math.ceil(Math.log10(rarest))));
  const every = Math.ceil((TICK_PX * decades) / plotPx);
  const values = Array.from({ length: Math.floor(decades / every) + 1 }, (_, at) => 10 ** (at * every));
  const { min, max } = logEnds(points.map(({ us }) => us));
  return {
    x: logAxis({ title: titles?.across, min: 1, max: 10 ** decades, values, format: 'percentile' }),
    y: logAxis({
      title: titles?.upwards,
      min,
      max,
      values: logTicks(min, max, TIME_TICKS),
      format: 'duration',
      paddingPx: MARKER_PADDING_PX,
    }),
  };
}

/** @param {SpectrumPoint[]} points */
const placePoints = (points) => points.map(({ rarity, us }) => ({ x: rarity, y: us }));

/** @param {{ x: any, y: any }} scales @returns {Mark} in the middle of a panel without lines */
const emptyMark = ({ x, y }) => ({
  x: Math.sqrt(x.min * x.max),
  y: Math.sqrt(y.min * y.max),
  text: 'no response times',
  colour: COLOURS.light.mutedInk,
  align: 'center',
});

/**
 * @param {Spectrum[]} spectra   of one panel
 * @param {Series[]} series
 * @param {{ scales: { x: object, y: object }, namesPx: number | null }} frame
 * @returns {Configuration}
 */
function spectrumPanel(spectra, series, { scales, namesPx }) {
  const lines = series.flatMap((one) => {
    const found = spectra.find(({ outcome }) => seriesLabel(outcome.cell) === one.key);
    return found === undefined ? [] : [{ one, points: placePoints(found.points), outcome: found.outcome }];
  });
  const datasets = lines.map(({ one, points }) => lineOf(points, one));
  const marks = lines.flatMap(({ one, points, outcome }) => [
    ...points.slice(-1).map((at) => markerAt(at, one.look, { isHollow: isNotRanked(outcome) })), // as in the legend
    ...(namesPx === null ? [] : lineEnd(points, one)),
  ]);
  return linesChart(datasets, scales, lines.length === 0 ? [emptyMark(scales)] : marks, namesPx);
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} none, where there is nothing to draw */
export function percentileFigure(sheet, outcomes) {
  const { results } = sheet;
  const spectra = makeSpectra(outcomes);
  const points = spectra.flatMap((spectrum) => spectrum.points);
  if (points.length === 0) return [];
  const series = makeSeries(results, outcomes);
  const shapes = byShape(outcomes);
  const places = shapes.flatMap((ofShape) => byRate(ofShape));
  const parts = splitIntoPanels(series);
  const columns = columnsFor(places.length === 1 ? parts.length : places.length);
  const widthPx = columnPx(columns, 0, sheet.widthPx);
  const hasNames = columns < MOST_COLUMNS && series.length <= NAMES_IN_A_PANEL;
  const namesPx = hasNames ? namesRightPx(series, widthPx) : null;
  const plotPx = widthPx - AXIS_PX - (namesPx ?? 24);
  const titles = { across: PERCENTILES_TITLE, upwards: RESPONSE_TITLE };
  const titled = titledPanels(places.length * parts.length, titles, widthPx - (namesPx ?? 0));
  const place = { titles: titled.hasTitles ? titles : undefined, plotPx };
  const frame = { namesPx, scales: spectrumScales(points, place) };
  const panels = parts.flatMap((part) =>
    places.map((ofPlace) => {
      const own = spectra.filter(({ outcome }) => ofPlace.includes(outcome));
      const shape = shapes.length > 1 ? shapeLabel(ofPlace[0].cell) : '';
      return {
        title: joinTexts(`${si(rateOf(ofPlace[0]))}/s`, shape, part.title),
        configuration: spectrumPanel(own, part.series, frame),
      };
    }),
  );
  const figure = makeFigure(sheet, outcomes, {
    name: `percentiles-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `Percentiles of response time${formatWhere(results, outcomes)}`,
    message: messageOfTails(outcomes, results),
    legend: namesPx === null ? legendOf(series, 'line') : [],
    columns,
    panelPx: titled.heightPx,
    ...(titled.hasTitles ? {} : { axes: `↑ ${RESPONSE_TITLE}   → ${PERCENTILES_TITLE}` }),
    panels,
    hasIntervals: false,
    notes: [
      'All launches together, without intervals',
      OPEN_LOAD_SENTENCES.full,
      ...limitedNotes(outcomes),
      ...gapNotes(outcomes),
    ],
  });
  return [figure];
}
