// Figures of lines on two logarithmic axes, with markers and intervals: along payloads, along rates, along percentiles. All panels of
// one figure have the same scales.

import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { chartOptions, logAxis, logTicks } from '../scene/chart-axes.js';
import { columnPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { logEnds, ticksAt } from '../text/quantity-words.js';
import { gapMarkOf, joinTexts, NO_RESPONSE_MARK } from '../text/short-texts.js';
import { columnsFor, isNotRanked, makeFigure } from './figure.js';
import { makeWhisker } from './rows.js';
import { makeSeries, splitIntoPanels } from './series.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { Configuration, Figure, FormatName, Mark, Parts, Series, Sheet } from '../scene-types.js' */

/** @typedef {{ estimate: number, low: number, high: number, n?: number }} Interval   n: launches */

/**
 * @typedef {object} Point
 * @property {number} x
 * @property {number | null} y        null in a gap
 * @property {number | null} [yMin]
 * @property {number | null} [yMax]
 * @property {string} [gap]           the mark of a gap
 * @property {boolean} [isHollow]     the row is not ranked
 * @property {boolean} [isBare]       the point has no marker
 */

/**
 * What one panel shows.
 * @typedef {object} Place
 * @property {string} title
 * @property {Map<string, Point[]>} lines   by the keys of series, in ascending order of x
 * @property {number} [limit]               a dashed line at this height
 */

/** @typedef {{ title: string, values: number[], format?: FormatName, tickPx?: number }} Across   values: in ascending order */
/** @typedef {{ title: string, min: number, max: number, format?: FormatName }} Upwards */

const PANEL_PX = 230;
const TITLED_PANEL_PX = 270; // with titles of its axes
const MOST_TITLED = 4; // panels of a figure
const AXIS_PX = 70; // left of a plot
const RIGHT_PX = 24; // of a plot
const BELOW_PX = 50; // a plot: labels and title of its axis
const MARKER_PADDING_PX = 18; // the first markers stand on the axis
const MARKER_PX = 4.5;
const GAP_MARK_PX = 13;
const GAPS_SHOWN = 3; // above each other; more are counted
const TICK_PX = 50; // '100 kB' and room around it
const UPWARDS_TICKS = { titled: 8, untitled: 6 };
const { mutedInk, background } = COLOURS.light;

/**
 * @param {Outcome[]} outcomes
 * @param {(outcome: Outcome) => number} acrossOf
 * @param {(outcome: Outcome) => Interval | null} intervalOf   null for a gap
 * @returns {Place['lines']}
 */
export function linesOf(outcomes, acrossOf, intervalOf) {
  /** @param {Outcome} outcome @returns {Point} */
  const pointOf = (outcome) => {
    const x = acrossOf(outcome);
    const interval = intervalOf(outcome);
    if (interval === null)
      return { x, y: null, gap: isMeasured(outcome) ? NO_RESPONSE_MARK : gapMarkOf(outcome.status) };
    const { low, high } = makeWhisker(interval);
    return { x, y: interval.estimate, yMin: low, yMax: high, isHollow: isNotRanked(outcome) };
  };
  const bySeries = [...groupedBy(outcomes, ({ cell }) => seriesLabel(cell))];
  return new Map(
    bySeries.map(([key, group]) => [key, group.map(pointOf).sort((left, right) => left.x - right.x)]),
  );
}

/** @param {Place[]} places @returns {{ min: number, max: number } | null} null where there is nothing to draw */
export function findEnds(places) {
  const points = places.flatMap(({ lines }) => [...lines.values()].flat());
  const values = points.flatMap(({ y, yMin, yMax }) => (y === null ? [] : [y, yMin ?? y, yMax ?? y]));
  if (values.length === 0) return null;
  const marksRoom = points.some(({ y }) => y === null) ? [Math.min(...values) / 2] : [];
  return logEnds([...values, ...marksRoom]);
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes
 * @param {{ places: Place[], across: Across, upwards: Upwards, columns?: number } &
 *   Pick<Parts, 'name' | 'title' | 'message' | 'notes' | 'hasIntervals'>} parts
 * @returns {Figure}
 */
export function linesFigure(sheet, outcomes, { places, across, upwards, columns, ...words }) {
  const series = makeSeries(sheet.results, outcomes);
  const groups = splitIntoPanels(series);
  const panels = places.length * groups.length;
  const ownColumns = columns ?? columnsFor(places.length === 1 ? groups.length : places.length);
  const plotPx = columnPx(ownColumns, 0, sheet.widthPx) - AXIS_PX - RIGHT_PX;
  const haveTitlesRoom = textPx(across.title) < plotPx && textPx(upwards.title) < TITLED_PANEL_PX - BELOW_PX;
  const hasTitles = panels === 1 || (panels <= MOST_TITLED && haveTitlesRoom);
  const { values, tickPx = TICK_PX } = across;
  const { min, max } = upwards;
  const scales = {
    x: logAxis({
      min: values[0],
      max: values[values.length - 1],
      title: hasTitles ? across.title : '',
      format: across.format,
      values: ticksAt(values, Math.floor(plotPx / tickPx) + 1),
    }),
    y: logAxis({
      min,
      max,
      title: hasTitles ? upwards.title : '',
      format: upwards.format,
      values: logTicks(min, max, hasTitles ? UPWARDS_TICKS.titled : UPWARDS_TICKS.untitled),
      paddingPx: MARKER_PADDING_PX,
    }),
  };
  const reference = outcomes.filter(isMeasured).find(({ ratio }) => ratio !== null)?.ratio?.to;
  return makeFigure(sheet, outcomes, {
    ...words,
    legend: series.map(({ text, look }) => ({ text, swatch: { kind: 'line', look } })),
    columns: ownColumns,
    panelPx: hasTitles ? TITLED_PANEL_PX : PANEL_PX,
    panels: groups.flatMap((group) => {
      // What is drawn last lies above the others.
      const inOrder = group.series.toSorted(
        (left, right) => Number(left.key === reference) - Number(right.key === reference),
      );
      return places.map((place) => ({
        title: joinTexts(place.title, group.title),
        configuration: linesPanel(place, inOrder, scales),
      }));
    }),
    ...(hasTitles ? {} : { axes: `↑ ${upwards.title}   → ${across.title}` }),
  });
}

/**
 * @param {Place} place
 * @param {Series[]} series
 * @param {{ x: any, y: any }} scales
 * @returns {Configuration}
 */
function linesPanel({ lines, limit }, series, scales) {
  const found = series.flatMap(({ key, text, look }) => {
    const points = lines.get(key);
    return points === undefined ? [] : { text, look, points };
  });
  const datasets = found.map(({ text, look, points }) => ({
    label: text,
    data: points.map(({ x, y, yMin, yMax }) => ({ x, y, yMin, yMax })),
    borderColor: look.colour,
    borderWidth: 2,
    borderDash: look.dash,
    clip: false,
    spanGaps: false,
    pointRadius: 0, // the markers are marks: above the whiskers, and the same as in the legend
    whiskers: { colour: look.colour, halo: background, capPx: 8 },
  }));
  const markers = found.flatMap(({ look: { marker, colour }, points }) =>
    points.flatMap(({ x, y, isHollow, isBare }) => {
      if (y === null || isBare) return [];
      return { x, y, symbol: marker, colour, fill: isHollow ? background : colour, sizePx: MARKER_PX };
    }),
  );
  const gaps = found.flatMap(({ look: { colour }, points }) =>
    points.flatMap(({ x, gap }) => (gap === undefined ? [] : { x, gap, colour })),
  );
  const { x, y } = scales;
  /** @type {Mark} */
  const empty = {
    x: Math.sqrt(x.min * x.max),
    y: Math.sqrt(y.min * y.max),
    text: 'no response times',
    colour: mutedInk,
    align: 'center',
  };
  const marks = [...markers, ...[...groupedBy(gaps, (gap) => gap.x).values()].flatMap(gapMarks)];
  const limits =
    limit === undefined
      ? []
      : [
          {
            label: 'limit',
            data: [x.min, x.max].map((end) => ({ x: end, y: limit })),
            borderColor: mutedInk,
            borderWidth: 1.5,
            borderDash: [4, 4],
            pointRadius: 0,
          },
        ];
  return {
    type: 'line',
    data: { datasets: [...datasets, ...limits] },
    options: chartOptions(scales, { top: 8, right: RIGHT_PX }),
    marks: marks.length === 0 ? [empty] : marks,
  };
}

/** @param {{ x: number, gap: string, colour: string }[]} gaps   at one place @returns {Mark[]} above each other, or counted */
function gapMarks(gaps) {
  const texts =
    gaps.length <= GAPS_SHOWN
      ? gaps.map(({ gap, colour }) => ({ text: gap, colour }))
      : [...groupedBy(gaps, ({ gap }) => gap)].map(([gap, same]) => ({
          text: `${same.length} ${gap}`,
          colour: mutedInk,
        }));
  return texts.map((text, index) => ({
    x: gaps[0].x,
    dy: -9 - index * GAP_MARK_PX,
    align: 'center',
    sizePx: 14,
    weight: 700,
    ...text,
  }));
}
