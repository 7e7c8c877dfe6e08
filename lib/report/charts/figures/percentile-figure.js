// The percentile spectrum of open load: response time against the percentile on the scale that HdrHistogram made usual,
// where each step to the right is ten times rarer. A panel per rate and shape; lines end where samples become too few.

import { seriesLabel, shapeLabel } from '../../../cell/labels.js';
import { latencySpectrum } from '../../../statistics/latency.js';
import { hasResponseTimes, isMeasured } from '../../text/groups.js';
import { OPEN_LOAD_SENTENCES } from '../../text/open-conclusion.js';
import { kindsIn } from '../../text/transport-kinds.js';
import { chartOptions, logAxis, logTicks } from '../scene/chart-axes.js';
import { countedPayload } from '../scene/pieces.js';
import { COLOURS } from '../style/palette.js';
import { gapNotes } from '../text/footer.js';
import { limitedNotes, messageOfTails } from '../text/open-words.js';
import { durationTick, logEnds, si } from '../text/quantity-words.js';
import { columnPx, columnsFor, formatWhere, legendOf, MOST_COLUMNS, makeFigure } from './figure.js';
import { lineEnd, namesRightPx } from './line-names.js';
import { lineOf, MARKER_PADDING_PX, PANEL_PX } from './line-panel.js';
import { byRate, RESPONSE_TITLE } from './rate-figure.js';
import { byShape, makeSeries } from './series.js';
import { splitIntoPanels } from './small-multiples.js';

/** @import { SpectrumPoint } from '../../../statistics/latency.js' */
/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Series } from './series.js' */
/** @typedef {{ outcome: MeasuredOutcome, points: SpectrumPoint[] }} Spectrum */

export const PERCENTILES_TITLE = 'percentile: each step to the right is ten times rarer';
const NAMES_IN_A_PANEL = 4;
const TIME_TICKS = 7;
const TICK_PX = 62; // '99.999 %' and room around it
const AXIS_PX = 70;
const MOST_DECADES = 6;

/** @param {number} rarity   1 / (1 - percentile) @returns {string} '0 %', '98.4 %', '99.9 %' */
export function percentileTick(rarity) {
  const decimals = Math.max(0, Math.ceil(Math.log10(rarity)) - 1);
  return `${Number((100 - 100 / rarity).toFixed(decimals))} %`;
}

/** @param {Outcome[]} outcomes @returns {Spectrum[]} */
function makeSpectra(outcomes) {
  return outcomes
    .filter(isMeasured)
    .filter(hasResponseTimes)
    .map((outcome) => {
      const opens = outcome.launches.flatMap(({ open }) => open ?? []);
      const unanswered = opens.flatMap((open) => open.unanswered ?? []);
      return {
        outcome,
        points: latencySpectrum(
          opens.map(({ response }) => response),
          unanswered,
        ),
      };
    });
}

/** @param {{ x: number, y: number }[]} points   of one line @param {Series} series @param {Theme} theme @returns {Mark[]} as in the legend */
function endMarker(points, { look }, theme) {
  const fill = look.isHollow ? COLOURS[theme].background : look.colour;
  return points
    .slice(-1)
    .map(({ x, y }) => ({ x, y, symbol: look.marker, colour: look.colour, fill, sizePx: 4.5 }));
}

/**
 * @param {Spectrum[]} spectra   of one panel
 * @param {Series[]} series
 * @param {{ theme: Theme, ends: { min: number, max: number }, decades: number, namesPx: number | null, widthPx: number }} frame
 * @returns {import('../scene/chart-axes.js').Configuration}
 */
function spectrumPanel(spectra, series, { theme, ends, decades, namesPx, widthPx }) {
  const lines = series.flatMap((one) => {
    const found = spectra.find(({ outcome }) => seriesLabel(outcome.cell) === one.key);
    // Intervals of no length: each point is of all launches together.
    const points = found?.points.map(({ rarity, us }) => ({ x: rarity, y: us, yMin: us, yMax: us }));
    return points === undefined ? [] : [{ one, points }];
  });
  const datasets = lines.map(({ one, points }) => lineOf(points, one, 0));
  const marks = lines.flatMap(({ one, points }) => [
    ...endMarker(points, one, theme),
    ...(namesPx === null ? [] : lineEnd(points, one, theme)),
  ]);
  const right = namesPx ?? 24;
  const every = Math.ceil((TICK_PX * decades) / (widthPx - AXIS_PX - right));
  const across = Array.from({ length: Math.floor(decades / every) + 1 }, (_, at) => 10 ** (at * every));
  const scales = {
    x: logAxis(theme, { title: '', min: 1, max: 10 ** decades, values: across, text: percentileTick }),
    y: logAxis(theme, {
      title: '',
      ...ends,
      values: logTicks(ends.min, ends.max, TIME_TICKS),
      text: durationTick,
      paddingPx: MARKER_PADDING_PX,
    }),
  };
  return { type: 'line', data: { datasets }, options: chartOptions(scales, { top: 8, right }), marks };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} none, where there is nothing to draw */
export function percentileFigure(sheet, outcomes) {
  const { theme } = sheet;
  const spectra = makeSpectra(outcomes);
  const points = spectra.flatMap((spectrum) => spectrum.points);
  if (points.length === 0) return [];
  const series = makeSeries(sheet.results, outcomes, theme);
  const shapes = byShape(outcomes);
  const places = shapes.flatMap((ofShape) => byRate(ofShape));
  const parts = splitIntoPanels(series);
  const columns = columnsFor(places.length === 1 ? parts.length : places.length);
  const hasNames = columns < MOST_COLUMNS && series.length <= NAMES_IN_A_PANEL;
  const rarest = Math.max(...points.map(({ rarity }) => rarity));
  const frame = {
    theme,
    namesPx: hasNames ? namesRightPx(series) : null,
    widthPx: columnPx(columns, 0, sheet.widthPx),
    ends: logEnds(points.map(({ us }) => us)),
    decades: Math.min(MOST_DECADES, Math.ceil(Math.log10(rarest))),
  };
  const panels = parts.flatMap((part) =>
    places.map((ofPlace) => {
      const { cell } = ofPlace[0];
      const own = spectra.filter(({ outcome }) => ofPlace.includes(outcome));
      const rate = `${si(cell.ratePerSecond ?? 0)}/s`;
      const titles = [rate, shapes.length > 1 ? shapeLabel(cell) : '', part.title];
      return {
        title: titles.filter((text) => text !== '').join(', '),
        configuration: spectrumPanel(own, part.series, frame),
      };
    }),
  );
  const figure = makeFigure(sheet, outcomes, {
    name: `percentiles-${countedPayload(sheet.results, outcomes[0].cell).fileName}`,
    title: `Percentiles of response time${formatWhere(sheet.results, outcomes)}`,
    message: messageOfTails(outcomes, kindsIn(sheet.results)),
    legend: hasNames ? [] : legendOf(series, 'line'),
    columns,
    labelPx: 0,
    panelPx: PANEL_PX,
    panels,
    hasIntervals: false,
    notes: [
      `↑ ${RESPONSE_TITLE}   → ${PERCENTILES_TITLE}; all launches together, without intervals`,
      OPEN_LOAD_SENTENCES.full,
      ...limitedNotes(outcomes),
      ...gapNotes(outcomes),
    ],
  });
  return [figure];
}
