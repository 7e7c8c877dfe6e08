// Figures of lines on two logarithmic axes, with markers and intervals: along quantities such as the payload, along rates, along
// percentiles. All panels of one figure have the same scales.

import { rankingScore } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { sumBy } from '../../../statistics/sum.js';
import { findReference } from '../../findings/ranking-findings.js';
import { FORMATS } from '../../text/quantity-words.js';
import { gapMarkOf, joinTexts } from '../../text/short-texts.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { chartOptions, logAxis, logEnds, logTicks, ratioAxis, ticksAt } from './chart-axes.js';
import { columnPx, columnsFor, isNotRanked, makeFigure } from './figure.js';
import { makeWhisker } from './rows.js';
import { makeSeries, splitIntoPanels, withDistinctLines } from './series.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { Figure, FormatName, Mark, Panel, FigureInput, Series } from '../chart-types.js' */

/** @typedef {{ estimate: number, low: number, high: number, n?: number, level?: number | null }} TickInterval   n: launches */

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
 * The content of one panel.
 * @typedef {object} PanelLines
 * @property {string} title
 * @property {Map<string, Point[]>} lines   points of each series by its key, in ascending order of x
 * @property {number} [limit]               a dashed line at this height
 */

/** @typedef {{ title: string, values: number[], format?: FormatName }} XAxis   values: in ascending order */
/** @typedef {{ title: string, format?: FormatName, isRatio?: boolean }} YAxis   isRatio: the line at 1 is emphasised */

const PANEL_PX = 240;
const TITLED_PANEL_PX = 320; // height of a panel with axis titles
const TITLE_PX = 26; // height of an axis title
const MAX_TITLE_PX = 240; // greatest length of a vertical axis title: about the height of a plot
const MARKER_PADDING_PX = 18; // distance between tick labels and plot, since the first markers are on the axis
const MARKER_PX = 4;
const MAX_DODGE_PX = 3; // greatest offset of a marker from its x
const GAP_MARK_PX = 13;
const GAPS_SHOWN = 3; // greatest number of gap marks at one x, which are stacked; if there are more, their numbers are shown
const MAX_ROWS = 24;
const REACH = 3;
const GAPS_ROOM = 1.3; // the axis begins at the least ratio divided by this, if it has gap marks
const UPWARDS_TICKS = { titled: 8, untitled: 6 };
const LEFT_OUT = 'the reference and the best others; the table has all';
const { mutedInk, background } = COLOURS.light;

/**
 * @param {Outcome[]} outcomes
 * @param {(outcome: Outcome) => number} acrossOf
 * @param {(outcome: Outcome) => TickInterval | null} intervalOf   null for a gap
 * @param {string} [missing]   the mark of a gap in a measured row
 * @returns {PanelLines['lines']}
 */
export function linesBySeries(outcomes, acrossOf, intervalOf, missing) {
  /** @param {Outcome} outcome @returns {Point} */
  const pointOf = (outcome) => {
    const x = acrossOf(outcome);
    const interval = intervalOf(outcome);
    if (interval === null)
      return { x, y: null, gap: isMeasured(outcome) ? missing : gapMarkOf(outcome.status) };
    const { low, high } = makeWhisker(interval);
    return { x, y: interval.estimate, yMin: low, yMax: high, isHollow: isNotRanked(outcome) };
  };
  const bySeries = [...groupedBy(outcomes, ({ cell }) => seriesLabel(cell))];
  return new Map(
    bySeries.map(([key, group]) => [key, group.map(pointOf).sort((left, right) => left.x - right.x)]),
  );
}

/**
 * @param {PanelLines[]} panels
 * @returns {{ min: number, max: number } | null} ends of the vertical log axis; null if there is nothing to draw
 */
export function findEnds(panels) {
  const points = panels.flatMap(({ lines }) => [...lines.values()].flat());
  const values = points.flatMap(({ y, yMin, yMax }) => (y === null ? [] : [y, yMin ?? y, yMax ?? y]));
  if (values.length === 0) return null;
  const marksRoom = points.some(({ y }) => y === null) ? [Math.min(...values) / 2] : [];
  return logEnds([...values, ...marksRoom]);
}

/**
 * @param {Outcome[]} outcomes
 * @returns {Outcome[]} all outcomes of at most MAX_ROWS series: the reference and the series with the best means of measured outcomes
 */
function withoutLeast(outcomes) {
  const bySeries = [...groupedBy(outcomes, ({ cell }) => seriesLabel(cell))];
  const reference = findReference(outcomes);
  const scored = bySeries.map(([key, group]) => {
    const measured = group.filter(isMeasured);
    const mean = sumBy(measured, rankingScore) / measured.length;
    return { key, score: key === reference ? Infinity : mean };
  });
  const kept = new Set(
    scored
      .filter(({ score }) => !Number.isNaN(score))
      .sort((left, right) => right.score - left.score)
      .slice(0, MAX_ROWS)
      .map(({ key }) => key),
  );
  return outcomes.filter(({ cell }) => kept.has(seriesLabel(cell)));
}

/**
 * @param {FigureInput} question
 * @param {Outcome[]} all
 * @param {{ panels: PanelLines[], across: XAxis, upwards: YAxis, columns?: number, intervals?: string, altValues?: string } &
 *   Pick<Figure, 'name' | 'title' | 'message' | 'notes'>} parts
 * @returns {Figure}
 */
export function linesFigure(question, all, parts) {
  const { panels, across, upwards, columns, intervals, altValues, ...words } = parts;
  const outcomes = withoutLeast(all);
  const series = withDistinctLines(makeSeries(question.results, outcomes));
  const rows = new Set(all.map(({ cell }) => seriesLabel(cell))).size;
  const groups = splitIntoPanels(series);
  const panelCount = panels.length * groups.length;
  const ownColumns = columns ?? columnsFor(panels.length === 1 ? groups.length : panels.length);
  const hasTitles = panelCount === 1 && !question.isLow && textPx(upwards.title) < MAX_TITLE_PX;
  const { values, format = 'si' } = across;
  const [startPx, endPx] = [values[0], values[values.length - 1]].map(
    (value) => Math.ceil(textPx(FORMATS[format](value)) / 2) + 4,
  );
  const kept = new Set(series.map(({ key }) => key));
  const drawn = panels.map((panel) => ({
    ...panel,
    lines: new Map([...panel.lines].filter(([key]) => kept.has(key))),
  }));
  const y = upwardsAxis(upwards, drawn, hasTitles);
  const ticksPx = Math.ceil(Math.max(...y.stops.map(({ text }) => textPx(text)))) + MARKER_PADDING_PX;
  const labelPx = Math.max(0, ticksPx + (hasTitles ? TITLE_PX : 0) - startPx);
  const plotPx = columnPx(ownColumns, labelPx, question.widthPx) - startPx - endPx;
  const x = logAxis({
    min: values[0],
    max: values[values.length - 1],
    title: hasTitles ? across.title : '',
    format,
    values: ticksAt(values, plotPx, FORMATS[format]),
  });
  const reference = findReference(outcomes);
  const reading = [
    ...(hasTitles ? [] : [{ text: `↑ ${upwards.title}   → ${across.title}`, rank: 0 }]),
    ...(rows > series.length ? [{ text: `${series.length} of ${rows} rows`, rank: 0 }] : []),
  ];
  const own = {
    ...words,
    legend: series.map(({ key, text, look }) => ({
      text: key === reference && upwards.isRatio ? `${text} = 1` : text,
      swatch: { kind: /** @type {const} */ ('line'), look },
    })),
    columns: ownColumns,
    labelPx,
    panelPx: hasTitles ? TITLED_PANEL_PX : PANEL_PX,
    panels: groups
      .flatMap((group) => {
        // The reference comes last, so that its whiskers and markers cover those of other series.
        const inOrder = group.series.toSorted(
          (left, right) => Number(left.key === reference) - Number(right.key === reference),
        );
        return drawn.map((panel) => ({ panel, title: joinTexts(panel.title, group.title), inOrder }));
      })
      .map(({ panel, title, inOrder }, index) => {
        // Only the first panel of a row has the texts of the vertical axis.
        const isFirst = index % ownColumns === 0;
        const ownY = {
          ...y,
          widthPx: startPx + (isFirst ? labelPx : 0),
          stops: y.stops.map((stop) => (isFirst ? stop : { ...stop, text: '' })),
        };
        return { title, ...linesPanel(panel, inOrder, { x, y: ownY }, { rightPx: endPx, reference }) };
      }),
    notes: [
      ...(series.length === MAX_ROWS && rows > MAX_ROWS
        ? [`${MAX_ROWS} of ${rows} rows are drawn: ${LEFT_OUT}`]
        : []),
      ...words.notes,
    ],
  };
  return makeFigure(question, outcomes, own, { reading, intervals, values: altValues });
}

/**
 * @param {PanelLines[]} panels
 * @returns {number[]} ratios that the axis includes: estimates, and ends of intervals up to a factor of REACH beyond the farthest estimates
 */
function listRatios(panels) {
  const points = panels.flatMap(({ lines }) => [...lines.values()].flat());
  const estimates = points.flatMap(({ y }) => y ?? []);
  const [least, most] = [Math.min(1, ...estimates), Math.max(1, ...estimates)];
  const all = points.flatMap(({ y, yMin, yMax }) => [y, yMin, yMax].flatMap((value) => value ?? []));
  const reached = all.map((ratio) => Math.min(most * REACH, Math.max(least / REACH, ratio)));
  return points.some(({ gap }) => gap !== undefined)
    ? [...reached, Math.min(...reached) / GAPS_ROOM]
    : reached;
}

/** @param {YAxis} upwards @param {PanelLines[]} panels @param {boolean} hasTitle */
function upwardsAxis({ title, format, isRatio = false }, panels, hasTitle) {
  const most = hasTitle ? UPWARDS_TICKS.titled : UPWARDS_TICKS.untitled;
  const shown = { title: hasTitle ? title : '', paddingPx: MARKER_PADDING_PX };
  if (isRatio) return ratioAxis({ ratios: listRatios(panels), most, ...shown });
  const { min, max } = findEnds(panels) ?? { min: 1, max: 10 };
  return logAxis({ min, max, values: logTicks(min, max, most), format, ...shown });
}

/**
 * @param {PanelLines} panel
 * @param {Series[]} series
 * @param {{ x: any, y: any }} scales
 * @param {{ rightPx: number, reference: string | null }} more   rightPx: room right of the plot
 * @returns {Omit<Panel, 'title'>}
 */
function linesPanel({ lines, limit }, series, scales, { rightPx, reference }) {
  const shown = series.filter(({ key }) => lines.has(key));
  const others = shown.filter(({ key }) => key !== reference);
  const stepPx = Math.min(2, (2 * MAX_DODGE_PX) / Math.max(1, others.length - 1));
  const found = shown.map((one) => {
    const { key, text, look } = one;
    const dx = key === reference ? 0 : (others.indexOf(one) - (others.length - 1) / 2) * stepPx;
    return { text, look, dx, points: lines.get(key) ?? [] };
  });
  const datasets = found.map(({ text, look, dx, points }) => ({
    label: text,
    data: points.map(({ x, y, yMin, yMax }) => ({ x, y, yMin, yMax })),
    borderColor: look.colour,
    borderWidth: 2,
    borderDash: look.dash,
    clip: false,
    spanGaps: false,
    pointRadius: 0, // markers are drawn as marks, above the whiskers and as in the legend
    whiskers: { colour: look.colour, capPx: 6, dx },
  }));
  const markers = found.flatMap(({ look: { marker, colour }, dx, points }) =>
    points.flatMap(({ x, y, isHollow, isBare }) => {
      if (y === null || isBare) return [];
      const fill = isHollow ? background : colour;
      return { x, y, dx, symbol: marker, colour, fill, sizePx: MARKER_PX };
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
    options: chartOptions(scales, { top: 8, right: rightPx }),
    marks: marks.length === 0 ? [empty] : marks,
  };
}

/**
 * @param {{ x: number, gap: string, colour: string }[]} gaps   at one x
 * @returns {Mark[]} a mark for each gap, stacked, or a number for each kind of gap
 */
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
