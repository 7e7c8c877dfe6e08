// The figure of one payload: a row for each series, and a panel for each shape.

import { axesIn, isUsual } from '../../../cell/axes.js';
import { headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { formatNumber, formatRatioInterval } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle } from '../../text/measure-words.js';
import { linearAxis } from '../scene/chart-axes.js';
import { columnPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes, publishedNotes } from '../text/footer.js';
import { linearEnd } from '../text/quantity-words.js';
import { countedPayload, gapText, labelText } from '../text/short-texts.js';
import { formatWhere, makeFigure, rankedLook } from './figure.js';
import {
  barsOf,
  barsOfRows,
  makeOnePanel,
  namesPx,
  panelPerShape,
  rowColumns,
  rowPoint,
  rowsByClass,
} from './rows.js';
import { byShape, makeSeries } from './series.js';

/** @import { Outcome, Results, MeasuredOutcome, MeasuredValue } from '../../../types/index.js' */
/** @import { PublishedFigures } from '../../../types/comparisons.js' */
/** @import { Figure, LegendItem, Parts, Series, Sheet, Configuration, Mark, Row } from '../scene-types.js' */

/** @typedef {Omit<Parts, 'name' | 'title' | 'message' | 'legend' | 'notes'>} OwnParts */
/** @typedef {(outcome: Outcome) => number | null} PublishedOf   operations per second */
/** @typedef {{ sheet: Sheet, outcomes: Outcome[], series: Series[], publishedOf: PublishedOf }} Drawn */

const PUBLISHED_KEYS = /** @type {const} */ (['transport', 'codec', 'workers', 'loops', 'payloadBytes']);
/** @param {Results} results @returns {PublishedOf} */
function publishedFinder({ published }) {
  // How their processes were placed and waited is not known: it is not asked for.
  const sameAxes = axesIn(['series', 'payload']).filter(({ usual }) => usual !== undefined);
  return ({ cell }) => {
    if (published === null || !sameAxes.every((axis) => isUsual(axis, cell))) return null;
    const found = published.results.find((row) => PUBLISHED_KEYS.every((key) => row[key] === cell[key]));
    return found?.roundTripsPerSecond ?? null;
  };
}

/** @param {PublishedFigures} published @returns {LegendItem} */
function publishedItem({ title }) {
  const [year] = /\(\d{4}\)/.exec(title) ?? [];
  return {
    text: `published${year === undefined ? '' : ` ${year}`}, another machine`,
    swatch: { kind: 'symbol', symbol: 'tick', isHollow: false },
  };
}

/** @param {Drawn} drawn @returns {OwnParts} */
function onePanel({ sheet: { results, widthPx }, outcomes, series, publishedOf }) {
  const rows = rowsByClass(results, outcomes, series)(outcomes);
  const reasonPx = columnPx(1, namesPx(rows), widthPx);
  const frame = { ...rowsFrame(outcomes, publishedOf, false), reasonPx };
  return makeOnePanel(rows, throughputRows(rows, frame, publishedOf));
}

/** @param {Drawn} drawn @returns {OwnParts} a panel for each shape, on a scale of its own: eight loops do many times as much as one */
function smallMultiples({ sheet: { results, widthPx }, outcomes, series, publishedOf }) {
  const shapes = byShape(outcomes);
  const frames = shapes.map((ofShape) => rowsFrame(ofShape, publishedOf, true));
  const all = shapes.map(rowsByClass(results, outcomes, series));
  const rightPx = Math.max(...all.map((rows, index) => valuePx(rows, frames[index])));
  const columns = rowColumns(shapes.length, all[0], widthPx);
  const panels = panelPerShape(outcomes, all, columns, (rows, labelPx, index) =>
    throughputRows(rows, frames[index], publishedOf, { labelPx, rightPx }),
  );
  return { ...panels, axes: `→ ${headlineTitle(outcomes)}, a scale for each panel` };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function throughputFigure(sheet, outcomes) {
  const { results } = sheet;
  const shapes = byShape(outcomes);
  const publishedOf = publishedFinder(results);
  const series = makeSeries(results, outcomes);
  const parts = (shapes.length === 1 ? onePanel : smallMultiples)({ sheet, outcomes, series, publishedOf });
  const published = outcomes.some((outcome) => publishedOf(outcome) !== null) ? results.published : null;
  return makeFigure(sheet, outcomes, {
    ...parts,
    name: `${headlineFileName(outcomes)}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${capitalised(headlineTitle(outcomes))}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(shapes, 'concurrency levels', results),
    legend: [...besideLegend(outcomes), ...(published === null ? [] : [publishedItem(published)])],
    notes: [...gapNotes(outcomes), ...(published === null ? [] : publishedNotes(published))],
  });
}

// Throughput of one payload and one shape: a horizontal bar per series, its value and ratio written beside it.

/**
 * @typedef {object} RowsFrame
 * @property {number} greatest          end of the axis: values stand beside the bars, so that it need not be a round number
 * @property {boolean} areInColumn      values: beside a published figure or a second measure they would be taken for its
 * @property {boolean} isNarrow         no ratios, reasons and titles: small multiples say them elsewhere
 * @property {number} [reasonPx]        room for the reason of a gap; left out: enough
 */

const VALUE_GAP_PX = 10;
const MARK_PX = { wide: 15, narrow: 11 }; // half of a line across a bar
const { ink, mutedInk, background } = COLOURS.light;

/** @param {Outcome[]} outcomes   of one scenario @returns {string} 'round trips per second' */
export function headlineTitle(outcomes) {
  const [first] = outcomes.filter(isMeasured);
  return first === undefined ? 'nothing measured' : labelText(measureTitle(headlineMeasure(first), ' in '));
}

/** @param {Outcome[]} outcomes   of one scenario @returns {string} what pictures of its headline are called: 'throughput' */
export function headlineFileName(outcomes) {
  const [first] = outcomes.filter(isMeasured);
  if (first === undefined) return 'throughput';
  const { unit, name } = headlineMeasure(first);
  return unit === 'per second' ? 'throughput' : name;
}

/** @param {Outcome | null} outcome @returns {MeasuredValue | null} what is marked beside the headline, on the same axis */
function findSecondMeasure(outcome) {
  if (!isMeasured(outcome)) return null;
  const values = Object.values(outcome.measures).filter((measure) => measure.kind === 'value');
  return values.find(({ beside }) => beside === outcome.headline) ?? null;
}

/** @param {Outcome[]} outcomes @returns {LegendItem[]} none: nothing is marked beside */
function besideLegend(outcomes) {
  const [measure] = outcomes.flatMap((outcome) => findSecondMeasure(outcome) ?? []);
  if (measure === undefined) return [];
  return [
    { text: labelText(measureTitle(measure)), swatch: { kind: 'symbol', symbol: 'diamond', isHollow: true } },
  ];
}

/** @param {MeasuredOutcome} outcome @param {boolean} isNarrow */
function valueText(outcome, isNarrow) {
  const { cell, ratio } = outcome;
  const isReference = ratio?.to === seriesLabel(cell);
  const versus =
    ratio === null || isNarrow ? '' : isReference ? '   reference' : `   ${formatRatioInterval(ratio)}`;
  return `${formatNumber(readHeadline(outcome).estimate)}${versus}`;
}

/** @param {Exclude<Outcome, MeasuredOutcome>} outcome @param {RowsFrame} frame @returns {string} with its reason, where there is room for all of it */
function gapReasonText(outcome, { isNarrow, reasonPx = Infinity }) {
  const why = outcome.status === 'skipped' ? outcome.reason : outcome.message;
  const text = `${gapText(outcome)}: ${printable(why)}`;
  return isNarrow || textPx(text) > reasonPx - 2 * VALUE_GAP_PX ? gapText(outcome) : text;
}

/** @param {Row} row @param {number} index @param {RowsFrame} frame @param {PublishedOf} publishedOf @returns {Mark[]} */
function rowMarks({ outcome }, index, frame, publishedOf) {
  if (outcome === null) return [];
  const { greatest, areInColumn, isNarrow } = frame;
  const at = { datasetIndex: 0, index };
  const sizePx = isNarrow ? MARK_PX.narrow : MARK_PX.wide;
  const published = publishedOf(outcome);
  const beside = findSecondMeasure(outcome)?.estimate ?? null;
  const words = isMeasured(outcome)
    ? { text: valueText(outcome, isNarrow), colour: ink }
    : { text: gapReasonText(outcome, frame), colour: mutedInk };
  const value = isMeasured(outcome) ? (areInColumn ? greatest : readHeadline(outcome).high) : 0;
  const own = { colour: ink, fill: background };
  /** @type {Mark[]} */
  const marks = [];
  if (published !== null) marks.push({ ...at, ...own, value: published, symbol: 'tick', sizePx });
  if (beside !== null) marks.push({ ...at, ...own, value: beside, symbol: 'diamond' });
  return [...marks, { ...at, value, dx: VALUE_GAP_PX, halo: background, ...words }];
}

/** @param {Outcome[]} outcomes   of one panel @param {PublishedOf} publishedOf @param {boolean} isNarrow @returns {RowsFrame} */
function rowsFrame(outcomes, publishedOf, isNarrow) {
  const highs = outcomes.filter(isMeasured).map((outcome) => readHeadline(outcome).high);
  const marked = outcomes
    .flatMap((outcome) => [publishedOf(outcome), findSecondMeasure(outcome)?.estimate ?? null])
    .filter((value) => value !== null);
  const greatest = Math.max(1, ...highs, ...marked.map((value) => 1.02 * value));
  return { greatest, areInColumn: marked.length > 0, isNarrow };
}

/** @param {Row[]} rows @param {RowsFrame} frame @returns {number} pixels that values need */
function valuePx(rows, { isNarrow }) {
  const widths = rows.map(({ outcome }) => (isMeasured(outcome) ? textPx(valueText(outcome, isNarrow)) : 0));
  return Math.ceil(Math.max(0, ...widths)) + VALUE_GAP_PX + 4;
}

/**
 * @param {Row[]} rows           of one payload and one shape
 * @param {RowsFrame} frame
 * @param {PublishedOf} publishedOf
 * @param {{ labelPx?: number, rightPx?: number }} [places]   as barsOfRows takes them; rightPx left out: what the values need
 * @returns {Configuration}
 */
function throughputRows(rows, frame, publishedOf, { labelPx, rightPx } = {}) {
  const { greatest, isNarrow } = frame;
  const outcomes = rows.map(({ outcome }) => outcome);
  const looks = rows.map(({ look, outcome }) => look && rankedLook(look, outcome));
  const title = headlineTitle(outcomes.flatMap((outcome) => outcome ?? []));
  const data = rows.map(({ label, outcome }) =>
    rowPoint(label, isMeasured(outcome) ? readHeadline(outcome) : null),
  );
  const whiskers = { colour: ink, halo: background, capPx: isNarrow ? 7 : 10 };
  const { step } = linearEnd(greatest);
  const axis = { title: isNarrow ? '' : title, step: isNarrow ? 2 * step : step, max: greatest };
  return barsOfRows(rows, {
    x: linearAxis(axis),
    datasets: [barsOf(title, data, looks, { whiskers })],
    marks: rows.flatMap((row, index) => rowMarks(row, index, frame, publishedOf)),
    labelPx,
    rightPx: rightPx ?? valuePx(rows, frame),
  });
}
