// A table of the parts of a round trip: a row for each explained cell of a group, a column for each part, in µs.

import { explanationIn, explanationNotes, shownParts, shownUs } from '../text/explained.js';
import { cellName } from '../text/names.js';
import { numberColumn, textColumn } from './columns.js';

/** @import { Explanation, Results } from '../../types/index.js' */
/** @import { RowGroup } from '../findings/groups.js' */
/** @import { Column } from './columns.js' */

/**
 * @param {Results} results
 * @param {RowGroup} group
 * @returns {{ heading: string, columns: Column<Explanation>[], rows: Explanation[], notes: string[] } | null} the shortest
 *   round trip first; null if no row is explained
 */
export function explainedTable(results, { heading, measured }) {
  const rows = measured
    .flatMap((outcome) => explanationIn(results, outcome) ?? [])
    .sort((left, right) => left.wholeUs.estimate - right.wholeUs.estimate);
  if (rows.length === 0) return null;
  const parts = shownParts(rows);
  const words = parts.flatMap(({ short, title }) => (short === title ? [] : `${short} = ${title}`));
  /** @type {Column<Explanation>[]} */
  const ofParts = parts.map((part) => numberColumn('', part.short, (row) => shownUs(row, part)));
  return {
    heading: `Where the time of a round trip goes, in µs, ${heading}`,
    columns: [
      textColumn('transport/codec', ({ cell }) => cellName(cell)),
      numberColumn('', 'p50 per launch', ({ wholeUs }) => wholeUs.estimate),
      ...ofParts,
    ],
    rows,
    notes: [`${words.join('; ')}.`, ...explanationNotes(rows)],
  };
}
