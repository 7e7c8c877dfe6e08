// The rows of horizontal charts. One panel: grouped by class of transport, the best group and the best row first, what
// was not measured last in its group. Small multiples: one order for all, so that a series keeps its height.

import { seriesLabel, shapeLabel, transportLabel } from '../../../cell/labels.js';
import { sumBy } from '../../../statistics/sum.js';
import { makeSections, needHeadings } from '../../columns/sections.js';
import { missingTransports } from '../../text/gaps.js';
import { isMeasured } from '../../text/groups.js';
import { categoryAxis, chartOptions } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { labelText } from '../text/short-texts.js';
import { byShape } from './series.js';

/** @import { Cell, MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { Configuration, Figure, Look, Mark, Row, Series } from '../scene-types.js' */
/** @typedef {Pick<Figure, 'columns' | 'labelPx' | 'panelPx' | 'panels'>} RowPanels */

const SMALL_ROW_PX = 22;
const SMALL_AXIS_PX = 28;
const ROW_PX = 27;
const PAIR_PX = 40; // of two bars
const AXIS_PX = 58; // ticks and title below a plot
const LETTER_PX = 7.4; // at 13 px

/** @param {Row[]} rows @returns {number} about the width of their names */
export function namesPx(rows) {
  return Math.ceil(Math.max(...rows.map(({ label }) => label.length)) * LETTER_PX) + 14;
}

/** @param {Outcome[]} outcomes   of one payload and one shape @param {Series[]} series @returns {Row[]} */
export function rowsInPlanOrder(outcomes, series) {
  return series.map(({ key, text, look }) => {
    const outcome = outcomes.find(({ cell }) => seriesLabel(cell) === key) ?? null;
    return { label: text, look, outcome };
  });
}

/**
 * In the order of reading, and in each class by all panels together, so that a series keeps its height. In a panel that is alone,
 * the best class comes first.
 * @param {Results} results
 * @param {Outcome[]} outcomes   of one payload and all shapes
 * @param {Series[]} series
 * @param {(outcome: MeasuredOutcome) => number} costOf   what to sort by, the least first; adds up over shapes
 * @param {{ isAlone?: boolean }} [panel]
 * @returns {(ofShape: Outcome[]) => Row[]}
 */
export function rowsByClass(results, outcomes, series, costOf, { isAlone = false } = {}) {
  const costOfOne = (/** @type {Series} */ { key }) => {
    const measured = outcomes.filter(({ cell }) => seriesLabel(cell) === key).filter(isMeasured);
    return measured.length === 0 ? Number.MAX_VALUE : sumBy(measured, costOf) / measured.length;
  };
  const sections = makeSections(results, placedSeries(outcomes, series), (row) => -costOfOne(row));
  if (isAlone) sections.sort((left, right) => costOfOne(left.rows[0]) - costOfOne(right.rows[0]));
  const hasHeadings = needHeadings(results, sections);
  return (ofShape) =>
    sections.flatMap(({ heading, rows }) => [
      ...(hasHeadings ? [{ label: heading, look: null, outcome: null }] : []),
      ...rowsInPlanOrder(ofShape, rows),
    ]);
}

/** @param {Outcome[]} outcomes @param {Series[]} series @returns {(Series & { cell: Cell })[]} one for all codecs of a transport that was left out as a whole */
function placedSeries(outcomes, series) {
  const missing = missingTransports(outcomes);
  const told = new Set();
  return series.flatMap((one) => {
    const cell = outcomes.find((outcome) => seriesLabel(outcome.cell) === one.key)?.cell;
    if (cell === undefined) return [];
    const transport = transportLabel(cell);
    const isAlone = series.filter((other) => other.carrier === one.carrier).length === 1;
    if (!missing.has(transport) || isAlone) return [{ ...one, cell }];
    if (told.has(transport)) return [];
    told.add(transport);
    return [{ ...one, cell, text: labelText(transport) }];
  });
}

/** @param {Row[]} rows @param {Configuration} configuration @returns {RowPanels} */
export function makeOnePanel(rows, configuration) {
  const rowPx = configuration.data.datasets.length > 1 ? PAIR_PX : ROW_PX;
  return { columns: 1, labelPx: 0, panelPx: heightOf(rows, rowPx), panels: [{ title: '', configuration }] };
}

/** @param {Row[]} rows @param {number} [rowPx] @returns {number} of a panel with a titled axis */
export const heightOf = (rows, rowPx = ROW_PX) => rows.length * rowPx + AXIS_PX;

/**
 * @param {Outcome[]} outcomes
 * @param {Row[][]} all      of each shape
 * @param {number} columns
 * @param {(rows: Row[], labelPx: number) => Configuration} draw   labelPx: 0 where the names stand in another panel
 * @returns {RowPanels} a panel for each shape
 */
export function panelPerShape(outcomes, all, columns, draw) {
  const labelPx = namesPx(all[0]);
  const panels = byShape(outcomes).map(([{ cell }], index) => ({
    title: shapeLabel(cell),
    configuration: draw(all[index], index % columns === 0 ? labelPx : 0),
  }));
  return { columns, labelPx, panelPx: all[0].length * SMALL_ROW_PX + SMALL_AXIS_PX, panels };
}

/**
 * @param {string} label
 * @param {{ low: number, high: number, estimate: number, n?: number } | null} interval   null: a gap
 * @returns {{ y: string, x: number | null, xMin: number | null, xMax: number | null }} the point of a row
 */
export function rowPoint(label, interval) {
  if (interval === null) return { y: label, x: null, xMin: null, xMax: null };
  const { low, high } = makeWhisker(interval);
  return { y: label, x: interval.estimate, xMin: low, xMax: high };
}

/**
 * @param {{ low: number, high: number, n?: number, level?: number | null }} estimate   n: launches
 * @returns {{ low: number | null, high: number | null }} null: no whisker, since one launch without slices has no range
 */
export const makeWhisker = ({ low, high, n, level = null }) =>
  n === 1 && level === null ? { low: null, high: null } : { low, high };

/** @param {Look | null} look @returns {number} pixels; a border of the fill's own colour would leave a seam */
const borderPx = (look) =>
  look === null || (look.fill === 'solid' && look.outline === look.colour) ? 0 : 1.5;

/**
 * @param {string} label
 * @param {object[]} data
 * @param {(Look | null)[]} looks   of the bars, at each point
 * @param {object} [own]            what differs from other data sets
 */
export const barsOf = (label, data, looks, own) => ({
  label,
  data,
  fills: looks.map((look) => look && { colour: look.colour, fill: look.fill }),
  borderColor: looks.map((look) => look?.outline ?? COLOURS.light.ink),
  borderWidth: looks.map(borderPx),
  borderSkipped: false,
  maxBarThickness: 34,
  categoryPercentage: 0.86,
  barPercentage: 0.92,
  ...own,
});

/**
 * @param {Row[]} rows
 * @param {{ x: object, datasets: object[], marks: Mark[], labelPx?: number, rightPx: number, isStacked?: boolean }} drawn   labelPx:
 *   width of the names, 0: they stand in another panel, left out: what they need; rightPx: room right of the plot
 * @returns {Configuration} with a horizontal bar for each row
 */
export function barsOfRows(rows, { x, datasets, marks, labelPx, rightPx, isStacked = false }) {
  const labels = rows.map(({ label }) => label);
  const y = categoryAxis(labels, { areHeadings: rows.map(({ look }) => look === null), widthPx: labelPx });
  const scales = isStacked ? { x: { ...x, stacked: true }, y: { ...y, stacked: true } } : { x, y };
  const options = { ...chartOptions(scales, { top: 4, right: rightPx }), indexAxis: 'y' };
  return { type: 'bar', data: { labels, datasets }, options, marks };
}
