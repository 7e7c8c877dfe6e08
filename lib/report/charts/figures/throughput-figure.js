// The figure of one payload: rows where there is one shape, groups of bars where there are several.

import { axesIn } from '../../../cell/axes.js';
import { isUsual } from '../../../cell/axis.js';
import { rankingScore, readHeadline } from '../../../cell/headline.js';
import { shapeTick } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { kindsIn } from '../../text/transport-kinds.js';
import { floorFinder, floorLegend, floorNumbers, reachOfFloors } from '../scene/baseline-marks.js';
import { countedPayload } from '../scene/pieces.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes, publishedNotes } from '../text/footer.js';
import { linearEnd } from '../text/quantity-words.js';
import { columnPx, formatWhere, legendOf, MOST_COLUMNS, makeFigure } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import { makeOnePanel, namesPx, panelPerShape, rowsByClass, rowsOfPanels } from './rows.js';
import { besideLegend, findSecondMeasure } from './second-measure.js';
import { byShape, makeSeries } from './series.js';
import { areTooMany, splitIntoPanels } from './small-multiples.js';
import { shapesTitle, throughputBars } from './throughput-bars.js';
import { headlineFileName, headlineTitle, rowsFrame, throughputRows, valuePx } from './throughput-rows.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { LegendItem } from '../scene/legend.js' */
/** @import { Annotations } from './throughput-rows.js' */

/** @typedef {Pick<Figure, 'legend' | 'columns' | 'labelPx' | 'panelPx' | 'panels' | 'notes'>} OwnParts */

const BARS_PX = 240;
const PUBLISHED_KEYS = /** @type {const} */ (['transport', 'codec', 'workers', 'loops', 'payloadBytes']);

/** @param {MeasuredOutcome} outcome */
const costOf = (outcome) => -rankingScore(outcome);

/** @type {LegendItem} */
const PUBLISHED_ITEM = {
  text: 'published, on another machine',
  swatch: { kind: 'symbol', symbol: 'diamond', isHollow: true },
};

/** @param {import('../../../types/results-file.js').Results} results @returns {(outcome: Outcome) => number | null} */
function publishedFinder({ published }) {
  // How their processes were placed and waited is not known: it is not asked for.
  const sameAxes = axesIn(['series', 'payload']).filter(({ usual }) => usual !== undefined);
  return ({ cell }) => {
    if (published === null || !sameAxes.every((axis) => isUsual(axis, cell))) return null;
    const found = published.results.find((row) => PUBLISHED_KEYS.every((key) => row[key] === cell[key]));
    return found?.roundTripsPerSecond ?? null;
  };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {Annotations} annotations @returns {OwnParts} */
function makeBars({ results, theme, widthPx }, outcomes, annotations) {
  const series = makeSeries(results, outcomes, theme);
  const highs = outcomes.filter(isMeasured).map((outcome) => readHeadline(outcome).high);
  const published = outcomes.map((outcome) => annotations.publishedOf(outcome) ?? 0);
  const besides = outcomes.map((outcome) => findSecondMeasure(outcome)?.estimate ?? 0);
  const parts = splitIntoPanels(series);
  const frame = {
    groups: byShape(outcomes).map(([{ cell }]) => shapeTick(cell)),
    groupOf: shapeTick,
    groupsTitle: shapesTitle(outcomes),
    rates: linearEnd(
      reachOfFloors(Math.max(1, ...highs, ...besides, ...published), outcomes, annotations.floorIn),
    ),
    widthPx,
    hasTitles: parts.length === 1,
  };
  return {
    legend: [
      ...legendOf(series, 'bar'),
      ...floorLegend(outcomes, annotations.floorIn, frame.rates.max, true),
    ],
    columns: 1,
    labelPx: 0,
    panelPx: BARS_PX,
    panels: parts.map((part) => ({
      title: part.title,
      configuration: throughputBars(outcomes, part.series, frame, annotations),
    })),
    notes: [
      ...(parts.length === 1 ? [] : [`↑ ${headlineTitle(outcomes)}   → ${shapesTitle(outcomes)}`]),
      ...gapNotes(outcomes),
    ],
  };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {Annotations} annotations @returns {OwnParts} */
function onePanel({ results, theme, widthPx }, outcomes, annotations) {
  const series = makeSeries(results, outcomes, theme);
  const rows = rowsByClass(results, outcomes, series, costOf);
  const reasonPx = columnPx(1, namesPx(rows), widthPx);
  const frame = { ...rowsFrame(outcomes, annotations, false), reasonPx };
  const configuration = throughputRows(rows, frame, annotations);
  const legend = floorLegend(outcomes, annotations.floorIn, frame.greatest, false);
  return { legend, ...makeOnePanel(rows, configuration), notes: [] };
}

/**
 * More bars than a group can hold: a row for each series, and a panel for each shape.
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes
 * @param {Annotations} annotations
 * @returns {OwnParts}
 */
function smallMultiples({ results, theme }, outcomes, annotations) {
  const shapes = byShape(outcomes);
  const series = makeSeries(results, outcomes, theme);
  const frame = rowsFrame(outcomes, annotations, true);
  const rowsIn = rowsOfPanels(results, outcomes, series, costOf);
  const all = shapes.map(rowsIn);
  const columns = Math.min(shapes.length, MOST_COLUMNS);
  const rightPx = Math.max(...all.map((rows) => valuePx(rows, frame, annotations)));
  const panels = panelPerShape(shapes, all, columns, (rows, labelPx) =>
    throughputRows(rows, frame, annotations, { labelPx, rightPx }),
  );
  const legend = floorLegend(outcomes, annotations.floorIn, frame.greatest, false);
  return { legend, ...panels, notes: [`→ ${headlineTitle(outcomes)}`, ...gapNotes(outcomes)] };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function throughputFigure(sheet, outcomes) {
  const { results, theme } = sheet;
  const shapes = byShape(outcomes);
  const publishedOf = publishedFinder(results);
  const annotations = { theme, marksOf: flagMarks(outcomes), publishedOf, floorIn: floorFinder(results) };
  const hasManyRows = areTooMany(makeSeries(results, outcomes, theme));
  const layOut = shapes.length === 1 ? onePanel : hasManyRows ? smallMultiples : makeBars;
  const parts = layOut(sheet, outcomes, annotations);
  const published = outcomes.some((outcome) => publishedOf(outcome) !== null) ? results.published : null;
  return makeFigure(sheet, outcomes, {
    ...parts,
    name: `${headlineFileName(outcomes)}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${capitalised(headlineTitle(outcomes))}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(shapes, 'concurrency levels', kindsIn(results)),
    legend: [
      ...parts.legend,
      ...besideLegend(outcomes, theme),
      ...(published === null ? [] : [PUBLISHED_ITEM]),
    ],
    notes: [
      ...parts.notes,
      ...floorNumbers(results, outcomes),
      ...(published === null ? [] : publishedNotes(published)),
    ],
  });
}
