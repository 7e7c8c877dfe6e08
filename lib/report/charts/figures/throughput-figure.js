// The figure of one payload: rows where there is one shape, groups of bars where there are several.

import { axesIn, isUsual } from '../../../cell/axes.js';
import { rankingScore } from '../../../cell/headline.js';
import { shapeTick } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { columnPx } from '../scene/layout.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes, publishedNotes } from '../text/footer.js';
import { linearEnd } from '../text/quantity-words.js';
import { countedPayload } from '../text/short-texts.js';
import { formatWhere, legendOf, MOST_COLUMNS, makeFigure } from './figure.js';
import { floorFinder, floorLegend, floorNumbers, reachOfFloors } from './floor-marks.js';
import { makeOnePanel, namesPx, panelPerShape, rowsByClass } from './rows.js';
import { byShape, makeSeries } from './series.js';
import { areTooMany, splitIntoPanels } from './small-multiples.js';
import { HOLLOW_BARS, throughputBars } from './throughput-bars.js';
import {
  besideLegend,
  greatestShown,
  headlineFileName,
  headlineTitle,
  rowsFrame,
  throughputRows,
  valuePx,
} from './throughput-rows.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { Annotations } from './throughput-rows.js' */
/** @import { Figure, LegendItem, Parts, Series, Sheet } from '../scene-types.js' */

/** @typedef {Omit<Parts, 'name' | 'title' | 'message'>} OwnParts */
/** @typedef {{ sheet: Sheet, outcomes: Outcome[], series: Series[], annotations: Annotations }} Drawn */

const BARS_PX = 240;
const PUBLISHED_KEYS = /** @type {const} */ (['transport', 'codec', 'workers', 'loops', 'payloadBytes']);
/** @type {LegendItem} */
const PUBLISHED_ITEM = {
  text: 'published, on another machine',
  swatch: { kind: 'symbol', symbol: 'diamond', isHollow: true },
};

/** @param {MeasuredOutcome} outcome */
const costOf = (outcome) => -rankingScore(outcome);

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

/** @param {Drawn} drawn @returns {OwnParts} */
function makeBars({ sheet: { widthPx }, outcomes, series, annotations }) {
  const parts = splitIntoPanels(series);
  const hasTitles = parts.length === 1;
  const isOver = outcomes.some(({ cell }) => cell.connections !== undefined);
  const groupsTitle = `workers × concurrent loops ${isOver ? 'on each of so many connections' : 'in each'}`;
  const rates = linearEnd(reachOfFloors(greatestShown(outcomes, annotations), outcomes, annotations.floorIn));
  const groups = byShape(outcomes).map(([{ cell }]) => shapeTick(cell));
  const frame = { groups, groupOf: shapeTick, groupsTitle, rates, widthPx, hasTitles };
  return {
    legend: [...legendOf(series, 'bar'), ...floorLegend(outcomes, annotations.floorIn, rates.max, true)],
    panelPx: BARS_PX,
    panels: parts.map((part) => ({
      title: part.title,
      configuration: throughputBars(outcomes, part.series, frame, annotations),
    })),
    unrankedAs: HOLLOW_BARS,
    notes: [...(hasTitles ? [] : [`↑ ${headlineTitle(outcomes)}   → ${groupsTitle}`]), ...gapNotes(outcomes)],
  };
}

/** @param {Drawn} drawn @returns {OwnParts} */
function onePanel({ sheet: { results, widthPx }, outcomes, series, annotations }) {
  const rows = rowsByClass(results, outcomes, series, costOf, { isAlone: true })(outcomes);
  const reasonPx = columnPx(1, namesPx(rows), widthPx);
  const frame = { ...rowsFrame(outcomes, annotations, false), reasonPx };
  const legend = floorLegend(outcomes, annotations.floorIn, frame.greatest, false);
  return { legend, ...makeOnePanel(rows, throughputRows(rows, frame, annotations)), notes: [] };
}

/** @param {Drawn} drawn @returns {OwnParts} where there are more bars than a group can hold: a row for each series, and a panel for each shape */
function smallMultiples({ sheet: { results }, outcomes, series, annotations }) {
  const shapes = byShape(outcomes);
  const frame = rowsFrame(outcomes, annotations, true);
  const all = shapes.map(rowsByClass(results, outcomes, series, costOf));
  const rightPx = Math.max(...all.map((rows) => valuePx(rows, frame)));
  const panels = panelPerShape(outcomes, all, Math.min(shapes.length, MOST_COLUMNS), (rows, labelPx) =>
    throughputRows(rows, frame, annotations, { labelPx, rightPx }),
  );
  const legend = floorLegend(outcomes, annotations.floorIn, frame.greatest, false);
  return { legend, ...panels, notes: [`→ ${headlineTitle(outcomes)}`, ...gapNotes(outcomes)] };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function throughputFigure(sheet, outcomes) {
  const { results } = sheet;
  const shapes = byShape(outcomes);
  const publishedOf = publishedFinder(results);
  const annotations = { publishedOf, floorIn: floorFinder(results) };
  const series = makeSeries(results, outcomes);
  const layOut = shapes.length === 1 ? onePanel : areTooMany(series) ? smallMultiples : makeBars;
  const parts = layOut({ sheet, outcomes, series, annotations });
  const published = outcomes.some((outcome) => publishedOf(outcome) !== null) ? results.published : null;
  return makeFigure(sheet, outcomes, {
    ...parts,
    name: `${headlineFileName(outcomes)}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${capitalised(headlineTitle(outcomes))}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(shapes, 'concurrency levels', results),
    legend: [...parts.legend, ...besideLegend(outcomes), ...(published === null ? [] : [PUBLISHED_ITEM])],
    notes: [
      ...parts.notes,
      ...floorNumbers(results, outcomes),
      ...(published === null ? [] : publishedNotes(published)),
    ],
  });
}
