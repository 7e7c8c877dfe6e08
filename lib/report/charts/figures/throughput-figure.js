// The figure of one payload: a row for each series, and a panel for each shape.

import { axesIn, isUsual } from '../../../cell/axes.js';
import { capitalised } from '../../../format/lists.js';
import { columnPx } from '../scene/layout.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes, publishedNotes } from '../text/footer.js';
import { countedPayload } from '../text/short-texts.js';
import { formatWhere, makeFigure } from './figure.js';
import { floorFinder, floorLegend, floorNumbers } from './floor-marks.js';
import { makeOnePanel, namesPx, panelPerShape, rowColumns, rowsByClass } from './rows.js';
import { byShape, makeSeries } from './series.js';
import {
  besideLegend,
  headlineFileName,
  headlineTitle,
  rowsFrame,
  throughputRows,
  valuePx,
} from './throughput-rows.js';

/** @import { Outcome, Results } from '../../../types/index.js' */
/** @import { PublishedFigures } from '../../../types/comparisons.js' */
/** @import { Annotations } from './throughput-rows.js' */
/** @import { Figure, LegendItem, Parts, Series, Sheet } from '../scene-types.js' */

/** @typedef {Omit<Parts, 'name' | 'title' | 'message' | 'notes'>} OwnParts */
/** @typedef {{ sheet: Sheet, outcomes: Outcome[], series: Series[], annotations: Annotations }} Drawn */

const PUBLISHED_KEYS = /** @type {const} */ (['transport', 'codec', 'workers', 'loops', 'payloadBytes']);
/** @param {Results} results @returns {(outcome: Outcome) => number | null} */
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
function onePanel({ sheet: { results, widthPx }, outcomes, series, annotations }) {
  const rows = rowsByClass(results, outcomes, series)(outcomes);
  const reasonPx = columnPx(1, namesPx(rows), widthPx);
  const frame = { ...rowsFrame(outcomes, annotations, false), reasonPx };
  const legend = floorLegend(outcomes, annotations.floorIn, () => frame.greatest);
  return { legend, ...makeOnePanel(rows, throughputRows(rows, frame, annotations)) };
}

/** @param {Drawn} drawn @returns {OwnParts} a panel for each shape, on a scale of its own: eight loops do many times as much as one */
function smallMultiples({ sheet: { results, widthPx }, outcomes, series, annotations }) {
  const shapes = byShape(outcomes);
  const frames = shapes.map((ofShape) => rowsFrame(ofShape, annotations, true));
  const all = shapes.map(rowsByClass(results, outcomes, series));
  const rightPx = Math.max(...all.map((rows, index) => valuePx(rows, frames[index])));
  const columns = rowColumns(shapes.length, all[0], widthPx);
  const panels = panelPerShape(outcomes, all, columns, (rows, labelPx, index) =>
    throughputRows(rows, frames[index], annotations, { labelPx, rightPx }),
  );
  const greatestOf = (/** @type {Outcome} */ outcome) =>
    frames[shapes.findIndex((ofShape) => ofShape.includes(outcome))].greatest;
  return {
    legend: floorLegend(outcomes, annotations.floorIn, greatestOf),
    ...panels,
    axes: `→ ${headlineTitle(outcomes)}, a scale for each panel`,
  };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function throughputFigure(sheet, outcomes) {
  const { results } = sheet;
  const shapes = byShape(outcomes);
  const publishedOf = publishedFinder(results);
  const annotations = { publishedOf, floorIn: floorFinder(results) };
  const series = makeSeries(results, outcomes);
  const parts = (shapes.length === 1 ? onePanel : smallMultiples)({ sheet, outcomes, series, annotations });
  const published = outcomes.some((outcome) => publishedOf(outcome) !== null) ? results.published : null;
  return makeFigure(sheet, outcomes, {
    ...parts,
    name: `${headlineFileName(outcomes)}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${capitalised(headlineTitle(outcomes))}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(shapes, 'concurrency levels', results),
    legend: [
      ...parts.legend,
      ...besideLegend(outcomes),
      ...(published === null ? [] : [publishedItem(published)]),
    ],
    notes: [
      ...gapNotes(outcomes),
      ...floorNumbers(results, outcomes),
      ...(published === null ? [] : publishedNotes(published)),
    ],
  });
}
