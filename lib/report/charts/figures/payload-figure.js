// The figure of a sweep over payloads: one panel where that is readable, else small multiples on the same scales.

import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { kindsIn } from '../../text/transport-kinds.js';
import { floorLines, floorSeries } from '../scene/baseline-marks.js';
import { countedPayload } from '../scene/pieces.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { logEnds } from '../text/quantity-words.js';
import { columnPx, columnsFor, formatWhere, legendOf, MOST_COLUMNS, makeFigure } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import { namesRightPx } from './line-names.js';
import { linePanel, PANEL_PX, TITLED_PANEL_PX } from './line-panel.js';
import { byPayload, byShape, makeSeries } from './series.js';
import { areTooMany, splitIntoPanels } from './small-multiples.js';
import { headlineFileName, headlineTitle } from './throughput-rows.js';

/** @import { Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */

/**
 * @param {number} shapes
 * @param {number} parts
 * @param {boolean} hasManyLines    then there must be room for their names
 * @returns {number} a row per shape where codecs stand side by side
 */
function countColumns(shapes, parts, hasManyLines) {
  if (hasManyLines) return 2;
  if (parts > 1) return Math.min(parts, MOST_COLUMNS);
  return columnsFor(shapes);
}

/** @param {Results} results @param {Outcome[]} outcomes */
function makeFrame(results, outcomes) {
  const measured = outcomes.filter(isMeasured).map(readHeadline);
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
    upwardsOf: (/** @type {Outcome} */ outcome) => (isMeasured(outcome) ? readHeadline(outcome) : null),
    marksOf: flagMarks(outcomes),
  };
}

/** @param {Sheet} sheet @returns {Figure[]} one for all shapes, unless that were more panels than anybody looks through */
export function payloadFigures(sheet) {
  const { outcomes } = sheet.slice;
  const shapes = byShape(outcomes);
  const { axisName } = countedPayload(sheet.results, outcomes[0].cell);
  const name = `${headlineFileName(outcomes)}-by-${axisName}`;
  if (shapes.length === 1 || !areTooMany(makeSeries(sheet.results, outcomes, sheet.theme))) {
    return [payloadFigure(sheet, outcomes, name)];
  }
  return shapes.map((ofShape) => payloadFigure(sheet, ofShape, `${name}-${shapeLabel(ofShape[0].cell)}`));
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {string} name @returns {Figure} */
function payloadFigure(sheet, outcomes, name) {
  const { theme, results } = sheet;
  const { title: counted, plural } = countedPayload(results, outcomes[0].cell);
  const series = makeSeries(results, outcomes, theme);
  const shapes = byShape(outcomes);
  const parts = splitIntoPanels(series);
  const columns = countColumns(shapes.length, parts.length, areTooMany(series));
  const isSingle = shapes.length * parts.length === 1;
  const hasNames = columns < MOST_COLUMNS;
  const found = makeFrame(results, outcomes);
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
  return makeFigure(sheet, outcomes, {
    name,
    title: `${capitalised(headlineTitle(outcomes))} against ${counted}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(
      combinations,
      shapes.length === 1 ? plural : `combinations of ${counted} and concurrency`,
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
