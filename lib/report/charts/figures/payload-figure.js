// The figure of a sweep over payloads.

import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { messageOfGroups } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { countedPayload } from '../text/short-texts.js';
import { formatWhere } from './figure.js';
import { findEnds, linesFigure, linesOf } from './lines-figure.js';
import { byPayload, byShape, makeSeries, splitIntoPanels } from './series.js';
import { headlineFileName, headlineTitle } from './throughput-figure.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { Figure, Sheet } from '../scene-types.js' */

const MOST_PANELS = 12; // beyond these there is a figure for each shape

/** @param {Sheet} sheet @returns {Figure[]} */
export function payloadFigures(sheet) {
  const { outcomes } = sheet.slice;
  const shapes = byShape(outcomes);
  const { axisName } = countedPayload(sheet.results, outcomes[0].cell);
  const name = `${headlineFileName(outcomes)}-by-${axisName}`;
  const groups = splitIntoPanels(makeSeries(sheet.results, outcomes));
  if (shapes.length === 1 || shapes.length * groups.length <= MOST_PANELS)
    return payloadFigure(sheet, outcomes, name);
  return shapes.flatMap((ofShape) => payloadFigure(sheet, ofShape, `${name}-${shapeLabel(ofShape[0].cell)}`));
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {string} name @returns {Figure[]} */
function payloadFigure(sheet, outcomes, name) {
  const { results } = sheet;
  const counted = byPayload(outcomes).map(([{ cell }]) => countedPayload(results, cell));
  const [{ title, plural, format }] = counted;
  const shapes = byShape(outcomes);
  const places = shapes.map((ofShape) => ({
    title: shapes.length > 1 ? shapeLabel(ofShape[0].cell) : '',
    lines: linesOf(
      ofShape,
      ({ cell }) => countedPayload(results, cell).count,
      (outcome) => (isMeasured(outcome) ? readHeadline(outcome) : null),
    ),
  }));
  const ends = findEnds(places);
  if (ends === null) return [];
  const figure = linesFigure(sheet, outcomes, {
    name,
    title: `${capitalised(headlineTitle(outcomes))} against ${title}${formatWhere(results, outcomes)}`,
    message: messageOfGroups(
      byPayload(outcomes).flatMap((ofPayload) => byShape(ofPayload)),
      shapes.length === 1 ? plural : `combinations of ${title} and concurrency`,
      results,
    ),
    places,
    across: { title: `${title}, log scale`, values: counted.map(({ count }) => count), format },
    upwards: { title: `${headlineTitle(outcomes)}, log scale`, ...ends },
    notes: gapNotes(outcomes),
  });
  return [figure];
}
