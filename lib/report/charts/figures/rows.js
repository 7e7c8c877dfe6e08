// The rows of horizontal charts, in the order of the table; rows that were not measured come last in their section. All panels of a figure
// have the same order, so that a row is at the same height in each of them.

import { rankingScore } from '../../../cell/headline.js';
import { seriesLabel, shapeTitle, transportLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { sumBy } from '../../../statistics/sum.js';
import { makeSections, needHeadings } from '../../columns/sections.js';
import { missingTransports } from '../../findings/gap-findings.js';
import { labelText } from '../../text/short-texts.js';
import { COLOURS } from '../style/colours.js';
import { BOLD_SHARE, textPx } from '../style/letters.js';
import { categoryAxis, chartOptions } from './chart-axes.js';
import { columnPx, columnsFor, innerPx } from './figure.js';
import { byShape, makeSeries } from './series.js';

/** @import { Estimate, Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, Look, Mark, Panel, FigureInput, ChartRow, Series } from '../chart-types.js' */

const SMALL_ROW_PX = 24;
const SMALL_AXIS_PX = 30;
const ROW_PX = 28;
const AXIS_PX = 60; // ticks and title below a plot
const NAME_GAP_PX = 14;
const MIN_PANEL_PX = 150;

/** @param {ChartRow[]} rows @returns {number} estimated width of the longest name, with a gap */
export function namesPx(rows) {
  const widths = rows.map(({ label, look }) => textPx(label) * (look === null ? BOLD_SHARE : 1));
  return Math.ceil(Math.max(...widths)) + NAME_GAP_PX;
}

/** @param {Outcome[]} outcomes   with one payload and one shape @param {Series[]} series @returns {ChartRow[]} */
export function rowsInPlanOrder(outcomes, series) {
  return series.map(({ key, text, look }) => {
    const outcome = outcomes.find(({ cell }) => seriesLabel(cell) === key) ?? null;
    return { label: text, look, outcome };
  });
}

/**
 * @param {Results} results
 * @param {Outcome[]} outcomes   with one payload and all shapes
 * @param {Series[]} series
 * @returns {(ofShape: Outcome[]) => ChartRow[]} makes the rows of one shape; sections are in the order of sectionsOfGroup(), and the rows in a
 *   section are sorted by their mean over all shapes
 */
export function rowsByClass(results, outcomes, series) {
  const measured = groupedBy(outcomes.filter(isMeasured), ({ cell }) => seriesLabel(cell));
  /** @param {Series} series */
  const scoreOf = ({ key }) => {
    const group = measured.get(key);
    return group === undefined ? -Number.MAX_VALUE : sumBy(group, rankingScore) / group.length;
  };
  const sections = makeSections(results, withoutMissing(outcomes, series), scoreOf);
  const hasHeadings = needHeadings(results, sections);
  return (ofShape) =>
    sections.flatMap(({ heading, rows }) => [
      ...(hasHeadings ? [{ label: heading, look: null, outcome: null }] : []),
      ...rowsInPlanOrder(ofShape, rows),
    ]);
}

/**
 * Replaces the series of a transport by a single one if all its rows are missing for the same cause.
 * @param {Outcome[]} outcomes
 * @param {Series[]} series
 * @returns {Series[]}
 */
function withoutMissing(outcomes, series) {
  const missing = missingTransports(outcomes);
  const shown = new Set();
  return series.flatMap((one) => {
    const transport = transportLabel(one.cell);
    const isAlone = series.filter(({ carrier }) => carrier === one.carrier).length === 1;
    if (!missing.has(transport) || isAlone) return one;
    if (shown.has(transport)) return [];
    shown.add(transport);
    return { ...one, text: labelText(transport) };
  });
}

/** @param {ChartRow[]} rows @returns {number} height of a panel with a titled axis */
export const heightOf = (rows) => rows.length * ROW_PX + AXIS_PX;

/**
 * The properties that all panels of a figure share.
 * @typedef {object} RowsFrame
 * @property {boolean} isNarrow   true if there are several panels, which omit axis titles, ratios and reasons
 * @property {number} columns
 * @property {number} plotPx      width of a panel without the names of its rows
 * @property {ChartRow[]} allRows
 */

/**
 * @param {FigureInput} question
 * @param {Outcome[]} outcomes   all with one payload
 * @param {(rows: ChartRow[], frame: RowsFrame, labelPx: number) => Omit<Panel, 'title'>} draw   labelPx: 0 if another panel shows the names
 * @returns {Pick<Figure, 'columns' | 'labelPx' | 'panelPx' | 'panels'>} a panel for each shape
 */
export function rowPanels({ results, widthPx }, outcomes, draw) {
  const shapes = byShape(outcomes);
  const all = shapes.map(rowsByClass(results, outcomes, makeSeries(results, outcomes)));
  const [rows] = all;
  const labelPx = namesPx(rows);
  const fitting = Math.floor((innerPx(widthPx) - labelPx) / MIN_PANEL_PX);
  const columns = Math.max(1, Math.min(columnsFor(shapes.length), fitting));
  const isNarrow = shapes.length > 1;
  const plotPx = columnPx(columns, labelPx, widthPx);
  const panels = shapes.map(([{ cell }], index) => ({
    ...draw(
      all[index],
      { isNarrow, columns, plotPx, allRows: all.flat() },
      index % columns === 0 ? labelPx : 0,
    ),
    title: isNarrow ? shapeTitle(cell) : '',
  }));
  const panelPx = isNarrow ? rows.length * SMALL_ROW_PX + SMALL_AXIS_PX : heightOf(rows);
  return { columns, labelPx, panelPx, panels };
}

/**
 * @param {string} label
 * @param {{ low: number, high: number, estimate: number, n?: number } | null} interval   null for a gap
 */
export function rowPoint(label, interval) {
  if (interval === null) return { y: label, x: null, xMin: null, xMax: null };
  const { low, high } = makeWhisker(interval);
  return { y: label, x: interval.estimate, xMin: low, xMax: high };
}

/**
 * An estimate without an interval or a range has no whisker.
 * @param {{ low: number, high: number } & Partial<Pick<Estimate, 'n' | 'level' | 'method'>>} estimate
 * @returns {{ low: number | null, high: number | null }}
 */
export const makeWhisker = ({ low, high, n, level = null, method }) =>
  level === null && (n === 1 || method === 'unknown') ? { low: null, high: null } : { low, high };

/**
 * @param {string} label
 * @param {object[]} data
 * @param {(Look | null)[]} looks   one for each bar
 * @param {object} [others]         further properties of the data set
 */
export const barsOf = (label, data, looks, others) => ({
  label,
  data,
  fills: looks.map((look) => look && { colour: look.colour, fill: look.fill }),
  borderColor: looks.map((look) => look?.outline ?? COLOURS.light.ink),
  // A border in the colour of the fill would leave a seam.
  borderWidth: looks.map((look) =>
    look === null || (look.fill === 'solid' && look.outline === look.colour) ? 0 : 1.5,
  ),
  borderSkipped: false,
  maxBarThickness: 30,
  categoryPercentage: 0.86,
  barPercentage: 0.92,
  ...others,
});

/**
 * @param {ChartRow[]} rows
 * @param {object} drawn
 * @param {object} drawn.x            the axis
 * @param {object[]} drawn.datasets
 * @param {Mark[]} drawn.marks
 * @param {number} drawn.labelPx      width of the names; 0 hides them
 * @param {number} drawn.rightPx      room right of the plot
 * @param {boolean} [drawn.isStacked]
 * @returns {Omit<Panel, 'title'>}
 */
export function barsOfRows(rows, { x, datasets, marks, labelPx, rightPx, isStacked = false }) {
  const labels = rows.map(({ label }) => label);
  const y = categoryAxis(
    labels,
    rows.map(({ look }) => look === null),
    labelPx,
  );
  const scales = isStacked ? { x: { ...x, stacked: true }, y: { ...y, stacked: true } } : { x, y };
  const options = { ...chartOptions(scales, { top: 4, right: rightPx }), indexAxis: 'y' };
  return { type: 'bar', data: { labels, datasets }, options, marks };
}
