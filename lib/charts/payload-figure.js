// The figure of a sweep over payloads: one panel where that is readable, else small multiples on the same scales.

import { headlineOf } from '../cell/headline.js';
import { shapeLabel } from '../cell/labels.js';
import { isMeasured } from '../verdicts/groups.js';
import { kindsIn } from '../verdicts/kinds.js';
import { capitalised } from '../words/lists.js';
import { messageOfGroups } from './chart-words.js';
import { columnPx, columnsFor, figureOf, legendOf, MOST_COLUMNS, whereOf } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import { floorLines, floorSeries } from './floor-marks.js';
import { gapNotes } from './footer.js';
import { namesRightPx } from './line-names.js';
import { linePanel, PANEL_PX, TITLED_PANEL_PX } from './line-panel.js';
import { countedPayload } from './pieces.js';
import { logEnds } from './quantity-words.js';
import { byPayload, byShape, seriesOf } from './series.js';
import { areTooMany, panelsOf } from './small-multiples.js';
import { headlineFileName, headlineTitle } from './throughput-rows.js';

/** @import { Outcome, Results } from '../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */

/**
 * @param {number} shapes
 * @param {number} parts
 * @param {boolean} hasManyLines    then there must be room for their names
 * @returns {number} a row per shape where codecs stand side by side
 */
function columnsOf(shapes, parts, hasManyLines) {
  if (hasManyLines) return 2;
  if (parts > 1) return Math.min(parts, MOST_COLUMNS);
  return columnsFor(shapes);
}

/** @param {Results} results @param {Outcome[]} outcomes */
function frameOf(results, outcomes) {
  const measured = outcomes.filter(isMeasured).map(headlineOf);
  const roomBelow = outcomes.every(isMeasured) ? 1 : 0.5; // for the marks of gaps
  const acrossOf = (/** @type {Outcome} */ { cell }) => countedPayload(results, cell).count;
  const floorsOf = (/** @type {Outcome[]} */ some) => floorLines(results, some, acrossOf);
  const floors = floorsOf(outcomes).flatMap(({ points }) => points.map(({ y }) => y));
  const { min, max } = logEnds([...measured.flatMap(({ low, high }) => [low * roomBelow, high]), ...floors]);
  const counted = byPayload(outcomes).map(([{ cell }]) => countedPayload(results, cell));
  const [{ title, tick }] = counted;
  return {
    across: { title: `${title}, log scale`, values: counted.map(({ count }) => count), text: tick },
    upwards: { title: `${headlineTitle(outcomes)}, log scale`, values: [min, max] },
    acrossOf,
    floorsOf,
    upwardsOf: (/** @type {Outcome} */ outcome) => (isMeasured(outcome) ? headlineOf(outcome) : null),
    marksOf: flagMarks(outcomes),
  };
}

/** @param {Sheet} sheet @returns {Figure[]} one for all shapes, unless that were more panels than anybody looks through */
export function payloadFigures(sheet) {
  const { outcomes } = sheet.slice;
  const shapes = byShape(outcomes);
  const { axisName } = countedPayload(sheet.results, outcomes[0].cell);
  const name = `${headlineFileName(outcomes)}-by-${axisName}`;
  if (shapes.length === 1 || !areTooMany(seriesOf(sheet.results, outcomes, sheet.theme))) {
    return [payloadFigure(sheet, outcomes, name)];
  }
  return shapes.map((ofShape) => payloadFigure(sheet, ofShape, `${name}-${shapeLabel(ofShape[0].cell)}`));
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {string} name @returns {Figure} */
function payloadFigure(sheet, outcomes, name) {
  const { theme, results } = sheet;
  const { title: counted, plural } = countedPayload(results, outcomes[0].cell);
  const series = seriesOf(results, outcomes, theme);
  const shapes = byShape(outcomes);
  const parts = panelsOf(series);
  const columns = columnsOf(shapes.length, parts.length, areTooMany(series));
  const isSingle = shapes.length * parts.length === 1;
  const hasNames = columns < MOST_COLUMNS;
  const found = frameOf(results, outcomes);
  const floors = found.floorsOf(outcomes).map((line) => floorSeries(line, theme));
  const flags = outcomes.map(found.marksOf);
  const frame = {
    ...found,
    theme,
    widthPx: columnPx(columns, 0, sheet.widthPx),
    namesPx: hasNames ? namesRightPx([...parts.flatMap((part) => part.series), ...floors], flags) : null,
    hasTitles: isSingle,
  };
  const panels = shapes.flatMap((ofShape) =>
    parts.map((part) => {
      const titles = [shapes.length > 1 ? shapeLabel(ofShape[0].cell) : '', part.title];
      const title = titles.filter((text) => text !== '').join(', ');
      return { title, configuration: linePanel(ofShape, part.series, frame) };
    }),
  );
  const combinations = byPayload(outcomes).flatMap((ofPayload) => byShape(ofPayload));
  return figureOf(sheet, outcomes, {
    name,
    title: `${capitalised(headlineTitle(outcomes))} against ${counted}${whereOf(results, outcomes)}`,
    message: messageOfGroups(
      combinations,
      shapes.length === 1 ? plural : `combinations of ${counted} and shape`,
      kindsIn(results),
    ),
    legend: hasNames ? [] : legendOf([...series, ...floors], 'line'),
    columns,
    labelPx: 0,
    panelPx: isSingle ? TITLED_PANEL_PX : PANEL_PX,
    panels,
    notes: [
      ...(isSingle ? [] : [`↑ ${headlineTitle(outcomes)}, log scale   → ${counted}, log scale`]),
      ...gapNotes(outcomes),
    ],
  });
}
