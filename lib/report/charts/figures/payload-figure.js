// The figure of a sweep over payloads: one panel where that is readable, else small multiples on the same scales.

import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { columnPx } from '../scene/layout.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { countedPayload, joinTexts } from '../text/short-texts.js';
import { columnsFor, formatWhere, legendOf, MOST_COLUMNS, makeFigure } from './figure.js';
import { findEnds, linePanel, namesRightPx, referenceOf, titledPanels } from './line-panel.js';
import { areTooMany, byPayload, byShape, makeSeries, splitIntoPanels } from './series.js';
import { headlineFileName, headlineTitle } from './throughput-figure.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { Ends, Interval } from './line-panel.js' */
/** @import { Figure, Sheet } from '../scene-types.js' */

/** @param {number} shapes @param {number} parts @param {boolean} hasManyLines   then there must be room for their names */
function countColumns(shapes, parts, hasManyLines) {
  if (hasManyLines) return 2;
  return parts > 1 ? Math.min(parts, MOST_COLUMNS) : columnsFor(shapes);
}

/** @param {Outcome} outcome @returns {Interval | null} */
const readHeadlineInterval = (outcome) => (isMeasured(outcome) ? readHeadline(outcome) : null);

/** @param {Sheet} sheet @returns {Figure[]} one for all shapes, unless that were more panels than anybody looks through */
export function payloadFigures(sheet) {
  const { outcomes } = sheet.slice;
  const shapes = byShape(outcomes);
  const { axisName } = countedPayload(sheet.results, outcomes[0].cell);
  const name = `${headlineFileName(outcomes)}-by-${axisName}`;
  if (shapes.length === 1 || !areTooMany(makeSeries(sheet.results, outcomes))) {
    return [payloadFigure(sheet, outcomes, name)];
  }
  return shapes.map((ofShape) => payloadFigure(sheet, ofShape, `${name}-${shapeLabel(ofShape[0].cell)}`));
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {string} name @returns {Figure} */
function payloadFigure(sheet, outcomes, name) {
  const { results } = sheet;
  const counted = byPayload(outcomes).map(([{ cell }]) => countedPayload(results, cell));
  const [{ title, plural, format }] = counted;
  const titles = { across: `${title}, log scale`, upwards: `${headlineTitle(outcomes)}, log scale` };
  const series = makeSeries(results, outcomes);
  const shapes = byShape(outcomes);
  const parts = splitIntoPanels(series);
  const columns = countColumns(shapes.length, parts.length, areTooMany(series));
  const widthPx = columnPx(columns, 0, sheet.widthPx);
  const acrossOf = (/** @type {Outcome} */ { cell }) => countedPayload(results, cell).count;
  const ends = /** @type {Ends} */ (findEnds(outcomes.map(readHeadlineInterval)));
  const named = parts.flatMap((part) => part.series);
  const namesPx = columns < MOST_COLUMNS ? namesRightPx(named, widthPx) : null;
  const titled = titledPanels(shapes.length * parts.length, titles, widthPx - (namesPx ?? 0));
  const frame = {
    across: { title: titles.across, values: counted.map(({ count }) => count), format },
    upwards: { title: titles.upwards, ends },
    acrossOf,
    upwardsOf: readHeadlineInterval,
    widthPx,
    namesPx,
    reference: referenceOf(outcomes),
    ...titled,
  };
  const combinations = byPayload(outcomes).flatMap((ofPayload) => byShape(ofPayload));
  return makeFigure(sheet, outcomes, {
    name,
    title: `${capitalised(headlineTitle(outcomes))} against ${title}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(
      combinations,
      shapes.length === 1 ? plural : `combinations of ${title} and concurrency`,
      results,
    ),
    legend: namesPx === null ? legendOf(series, 'line') : [],
    columns,
    panelPx: titled.heightPx,
    panels: shapes.flatMap((ofShape) =>
      parts.map((part) => ({
        title: joinTexts(shapes.length > 1 ? shapeLabel(ofShape[0].cell) : '', part.title),
        configuration: linePanel(ofShape, part.series, frame),
      })),
    ),
    ...(titled.hasTitles ? {} : { axes: `↑ ${titles.upwards}   → ${titles.across}` }),
    notes: gapNotes(outcomes),
  });
}
