// The rows of horizontal charts: in the order of the table, and what was not measured last in its section. Small multiples have one
// order, so that a series keeps its height.

import { rankingScore } from '../../../cell/headline.js';
import { seriesLabel, shapeTitle, transportLabel } from '../../../cell/labels.js';
import { sumBy } from '../../../statistics/sum.js';
import { makeSections, needHeadings } from '../../columns/sections.js';
import { missingTransports } from '../../text/gaps.js';
import { isMeasured } from '../../text/groups.js';
import { categoryAxis, chartOptions } from '../scene/chart-axes.js';
import { innerPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { BOLD_SHARE, textPx } from '../style/letters.js';
import { labelText } from '../text/short-texts.js';
import { columnsFor } from './figure.js';
import { byShape } from './series.js';

/** @import { Cell, Outcome, Results } from '../../../types/index.js' */
/** @import { Configuration, Figure, Look, Mark, Row, Series } from '../scene-types.js' */
/** @typedef {Pick<Figure, 'columns' | 'labelPx' | 'panelPx' | 'panels'>} RowPanels */

const SMALL_ROW_PX = 24;
const SMALL_AXIS_PX = 30;
const ROW_PX = 28;
const AXIS_PX = 60; // ticks and title below a plot
const NAME_GAP_PX = 14;
const LEAST_PANEL_PX = 150;

/** @param {Row[]} rows @returns {number} about the width of their names */
export function namesPx(rows) {
  return (
    Math.ceil(Math.max(...rows.map(({ label, look }) => textPx(label) * (look === null ? BOLD_SHARE : 1)))) +
    NAME_GAP_PX
  );
}

/** @param {Outcome[]} outcomes   of one payload and one shape @param {Series[]} series @returns {Row[]} */
export function rowsInPlanOrder(outcomes, series) {
  return series.map(({ key, text, look }) => {
    const outcome = outcomes.find(({ cell }) => seriesLabel(cell) === key) ?? null;
    return { label: text, look, outcome };
  });
}

/**
 * @param {Results} results
 * @param {Outcome[]} outcomes   of one payload and all shapes
 * @param {Series[]} series
 * @returns {(ofShape: Outcome[]) => Row[]} as sectionsOfGroup() has them; of several shapes, by their mean
 */
export function rowsByClass(results, outcomes, series) {
  const scoreOf = (/** @type {Series} */ { key }) => {
    const measured = outcomes.filter(({ cell }) => seriesLabel(cell) === key).filter(isMeasured);
    return measured.length === 0 ? -Number.MAX_VALUE : sumBy(measured, rankingScore) / measured.length;
  };
  const sections = makeSections(results, placedSeries(outcomes, series), scoreOf);
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
  return { columns: 1, labelPx: 0, panelPx: heightOf(rows), panels: [{ title: '', configuration }] };
}

/** @param {Row[]} rows @returns {number} of a panel with a titled axis */
export const heightOf = (rows) => rows.length * ROW_PX + AXIS_PX;

/** @param {number} panels @param {Row[]} rows @param {number} widthPx   of the figure @returns {number} columns in which each panel has room */
export function rowColumns(panels, rows, widthPx) {
  const fitting = Math.floor((innerPx(widthPx) - namesPx(rows)) / LEAST_PANEL_PX);
  return Math.max(1, Math.min(columnsFor(panels), fitting));
}

/**
 * @param {Outcome[]} outcomes
 * @param {Row[][]} all      of each shape
 * @param {number} columns
 * @param {(rows: Row[], labelPx: number, index: number) => Configuration} draw   labelPx: 0 where the names stand in another panel
 * @returns {RowPanels} a panel for each shape
 */
export function panelPerShape(outcomes, all, columns, draw) {
  const labelPx = namesPx(all[0]);
  const panels = byShape(outcomes).map(([{ cell }], index) => ({
    title: shapeTitle(cell),
    configuration: draw(all[index], index % columns === 0 ? labelPx : 0, index),
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
  maxBarThickness: 30,
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
