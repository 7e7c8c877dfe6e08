// The figure of one payload: rows where there is one shape, groups of bars where there are several.

import { shapeLabel } from '../labels.js';
import { AXIS_PX, FIGURE_PX, figureOf, whereOf } from './figure.js';
import { flagMarks, gapNotes, publishedNotes } from './footer.js';
import { linearEnd } from './quantities.js';
import { byShape, isMeasured, panelsOf, seriesOf } from './series.js';
import { RATES_TITLE, SHAPES_TITLE, throughputBars } from './throughput-bars.js';
import { throughputRows } from './throughput-rows.js';
import { messageOfGroups } from './words.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('./figure.js').Figure} Figure
 * @typedef {import('./figure.js').Sheet} Sheet
 * @typedef {import('./legend.js').LegendItem} LegendItem
 * @typedef {import('./throughput-rows.js').Annotations} Annotations
 */

const ROW_PX = 27;
const BARS_PX = 240;

/** @type {LegendItem} */
const PUBLISHED_ITEM = {
  text: 'published, on another machine',
  swatch: { kind: 'symbol', symbol: 'diamond', isHollow: true },
};

/** @param {import('../types.js').Results} results @returns {(outcome: Outcome) => number | null} */
function publishedFinder({ published }) {
  return ({ cell }) => {
    if (published === null || Object.keys(cell.settings).length > 0) return null;
    const found = published.results.find(
      ({ transport, codec, workers, loops, payloadBytes }) =>
        transport === cell.transport &&
        codec === cell.codec &&
        workers === cell.workers &&
        loops === cell.loops &&
        payloadBytes === cell.payloadBytes,
    );
    return found?.roundTripsPerSecond ?? null;
  };
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes
 * @param {Annotations} annotations
 * @returns {Pick<Figure, 'legend' | 'panelPx' | 'panels' | 'notes'>}
 */
function barsOf({ theme }, outcomes, annotations) {
  const series = seriesOf(outcomes, theme);
  const highs = outcomes.filter(isMeasured).map(({ roundTripsPerSecond }) => roundTripsPerSecond.high);
  const published = outcomes.map((outcome) => annotations.publishedOf(outcome) ?? 0);
  const parts = panelsOf(series);
  const frame = {
    shapes: byShape(outcomes).map(([{ cell }]) => shapeLabel(cell)),
    rates: linearEnd(Math.max(1, ...highs, ...published)),
    widthPx: FIGURE_PX,
    hasTitles: parts.length === 1,
  };
  return {
    legend: series.map(({ text, look }) => ({ text, swatch: { kind: 'bar', look } })),
    panelPx: BARS_PX,
    panels: parts.map((part) => ({
      title: part.title,
      configuration: throughputBars(outcomes, part.series, frame, annotations),
    })),
    notes: [...(parts.length === 1 ? [] : [`↑ ${RATES_TITLE}   → ${SHAPES_TITLE}`]), ...gapNotes(outcomes)],
  };
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes
 * @param {Annotations} annotations
 * @returns {Pick<Figure, 'legend' | 'panelPx' | 'panels' | 'notes'>}
 */
function rowsOf({ theme }, outcomes, annotations) {
  const { rows, configuration } = throughputRows(outcomes, seriesOf(outcomes, theme), annotations);
  return { legend: [], panelPx: rows * ROW_PX + AXIS_PX, panels: [{ title: '', configuration }], notes: [] };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function throughputFigure(sheet, outcomes) {
  const { results, theme } = sheet;
  const shapes = byShape(outcomes);
  const publishedOf = publishedFinder(results);
  const annotations = { theme, marksOf: flagMarks(outcomes), publishedOf };
  const parts = (shapes.length === 1 ? rowsOf : barsOf)(sheet, outcomes, annotations);
  const published = outcomes.some((outcome) => publishedOf(outcome) !== null) ? results.published : null;
  return figureOf(sheet, outcomes, {
    ...parts,
    name: `throughput-${outcomes[0].cell.payloadBytes}B`,
    title: `Round trips per second${whereOf(outcomes)}`,
    message: messageOfGroups(shapes, 'shapes'),
    columns: 1,
    labelPx: 0,
    legend: published === null ? parts.legend : [...parts.legend, PUBLISHED_ITEM],
    notes: published === null ? parts.notes : [...parts.notes, ...publishedNotes(published)],
  });
}
