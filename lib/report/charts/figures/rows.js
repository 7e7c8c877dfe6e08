// The rows of horizontal charts. One panel: grouped by class of transport, the best group and the best row first, what
// was not measured last in its group. Small multiples: one order for all, so that a series keeps its height.

import { seriesLabel, shapeLabel, transportLabel } from '../../../cell/labels.js';
import { sumBy } from '../../../statistics/sum.js';
import { makeSections, needHeadings } from '../../columns/sections.js';
import { missingTransports } from '../../text/gaps.js';
import { isMeasured } from '../../text/groups.js';
import { categoryAxis, chartOptions } from '../scene/chart-axes.js';
import { labelText } from './series.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Figure } from './figure.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Look, Series } from './series.js' */
/** @typedef {Pick<Figure, 'columns' | 'labelPx' | 'panelPx' | 'panels'>} RowPanels */
/** @typedef {{ label: string, look: Look | null, outcome: Outcome | null }} Row   no look: a heading */

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

/** @param {Outcome[]} outcomes @param {Series} series */
const outcomeOf = (outcomes, series) => outcomes.find(({ cell }) => seriesLabel(cell) === series.key) ?? null;

/** @param {Outcome[]} outcomes   of one payload and one shape @param {Series[]} series @returns {Row[]} */
export function rowsInPlanOrder(outcomes, series) {
  return series.map((one) => ({ label: one.text, look: one.look, outcome: outcomeOf(outcomes, one) }));
}

/**
 * @param {import('../../../types/results-file.js').Results} results
 * @param {Outcome[]} outcomes   of one payload and one shape
 * @param {Series[]} series
 * @param {(outcome: MeasuredOutcome) => number} costOf   what to sort by, the least first
 * @returns {Row[]}
 */
export function rowsByClass(results, outcomes, series, costOf) {
  const costOfOne = (/** @type {Series} */ one) => {
    const outcome = outcomeOf(outcomes, one);
    return isMeasured(outcome) ? costOf(outcome) : Number.MAX_VALUE;
  };
  const sections = seriesInSections(results, outcomes, series, costOfOne);
  sections.sort((left, right) => costOfOne(left.rows[0]) - costOfOne(right.rows[0]));
  return arrangeRows(results, sections, outcomes);
}

/**
 * Panels of many rows: in the order of reading, and in each class by all panels together, so that a series keeps its height.
 * @param {import('../../../types/results-file.js').Results} results
 * @param {Outcome[]} outcomes   of one payload and all shapes
 * @param {Series[]} series
 * @param {(outcome: MeasuredOutcome) => number} costOf   what to sort by, the least first; adds up over shapes
 * @returns {(ofShape: Outcome[]) => Row[]}
 */
export function rowsOfPanels(results, outcomes, series, costOf) {
  const costOfOne = (/** @type {Series} */ one) => {
    const measured = outcomes.filter(({ cell }) => seriesLabel(cell) === one.key).filter(isMeasured);
    return measured.length === 0
      ? Number.MAX_VALUE
      : sumBy(measured, (outcome) => costOf(outcome)) / measured.length;
  };
  const sections = seriesInSections(results, outcomes, series, costOfOne);
  return (ofShape) => arrangeRows(results, sections, ofShape);
}

/** @typedef {Series & { cell: import('../../../types/plans.js').Cell }} PlacedSeries */

/**
 * @param {import('../../../types/results-file.js').Results} results
 * @param {Outcome[]} outcomes
 * @param {Series[]} series
 * @param {(series: Series) => number} costOfOne
 * @returns {{ heading: string, rows: PlacedSeries[] }[]} one row for all codecs of a transport that was left out as a whole
 */
function seriesInSections(results, outcomes, series, costOfOne) {
  const missing = missingTransports(outcomes);
  const told = new Set();
  const rows = series.flatMap((one) => {
    const cell = outcomes.find((outcome) => seriesLabel(outcome.cell) === one.key)?.cell;
    if (cell === undefined) return [];
    const transport = transportLabel(cell);
    const isAlone = series.filter((other) => other.carrier === one.carrier).length === 1;
    if (!missing.has(transport) || isAlone) return [{ ...one, cell }];
    if (told.has(transport)) return [];
    told.add(transport);
    return [{ ...one, cell, text: labelText(transport) }];
  });
  return makeSections(results, rows, (row) => -costOfOne(row));
}

/**
 * @param {import('../../../types/results-file.js').Results} results
 * @param {{ heading: string, rows: PlacedSeries[] }[]} sections
 * @param {Outcome[]} outcomes   of one panel
 * @returns {Row[]}
 */
function arrangeRows(results, sections, outcomes) {
  const hasHeadings = needHeadings(results, sections);
  return sections.flatMap(({ heading, rows }) => [
    ...(hasHeadings ? [{ label: heading, look: null, outcome: null }] : []),
    ...rowsInPlanOrder(outcomes, rows),
  ]);
}

/** @param {Row[]} rows @param {Configuration} configuration @returns {RowPanels} */
export function makeOnePanel(rows, configuration) {
  const rowPx = configuration.data.datasets.length > 1 ? PAIR_PX : ROW_PX;
  const panelPx = rows.length * rowPx + AXIS_PX;
  return { columns: 1, labelPx: 0, panelPx, panels: [{ title: '', configuration }] };
}

/**
 * @param {Outcome[][]} shapes
 * @param {Row[][]} all      of each shape
 * @param {number} columns
 * @param {(rows: Row[], labelPx: number) => Configuration} draw   labelPx: 0 where the names stand in another panel
 * @returns {RowPanels} a panel for each shape
 */
export function panelPerShape(shapes, all, columns, draw) {
  const labelPx = namesPx(all[0]);
  const panels = all.map((rows, index) => ({
    title: shapeLabel(shapes[index][0].cell),
    configuration: draw(rows, index % columns === 0 ? labelPx : 0),
  }));
  return { columns, labelPx, panelPx: all[0].length * SMALL_ROW_PX + SMALL_AXIS_PX, panels };
}

/**
 * @param {Row[]} rows
 * @param {Theme} theme
 * @param {{ x: object, datasets: object[], marks: Mark[], labelPx?: number, rightPx: number }} drawn   labelPx: width of the names, 0:
 *   they stand in another panel, left out: what they need; rightPx: room right of the plot
 * @returns {Configuration} with a horizontal bar for each row
 */
export function barsOfRows(rows, theme, { x, datasets, marks, labelPx, rightPx }) {
  const y = categoryAxis(theme, { isHeading: (index) => rows[index].look === null, widthPx: labelPx });
  const options = { ...chartOptions({ x, y }, { top: 4, right: rightPx }), indexAxis: 'y' };
  const data = { labels: rows.map(({ label }) => label), datasets };
  return { type: 'bar', data, options, marks };
}
