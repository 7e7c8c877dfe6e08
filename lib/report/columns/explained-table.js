// Where a round trip's time goes, as a table: a row for each explained cell of a group, a column for each part, in µs.

import { formatNumber, orNothing } from '../../format/numbers.js';
import { explanationIn, explanationNotes, shownParts, shownUs } from '../text/explained.js';
import { cellName } from '../text/groups.js';

/** @import { Explanation, Results } from '../../types/index.js' */
/** @import { Group } from '../text/groups.js' */
/** @typedef {{ span: string, title: string, align: 'left' | 'right', text: (row: Explanation) => string }} ExplainedColumn */

/** @type {Readonly<Record<string, string>>} */
const WORDS = Object.freeze({
  loop: 'loop = event loop and callbacks',
  systemCalls: 'calls = system calls',
  other: 'other = harness and garbage collection',
  others: 'others = waiting for other round trips',
  remainder: 'rest = remainder of the median, negative where the parts exceed it',
});

/**
 * @param {Results} results
 * @param {Group} group
 * @returns {{ heading: string, columns: ExplainedColumn[], rows: Explanation[], notes: string[] } | null} null: nothing of it is explained
 */
export function explainedTable(results, { place, measured }) {
  const rows = measured
    .flatMap((outcome) => explanationIn(results, outcome) ?? [])
    .sort((left, right) => left.wholeUs.estimate - right.wholeUs.estimate);
  if (rows.length === 0) return null;
  const parts = shownParts(rows);
  const words = parts.flatMap(({ name }) => WORDS[name] ?? []);
  const columns = parts.map((part) => ({
    span: '',
    title: part.short,
    align: /** @type {const} */ ('right'),
    text: (/** @type {Explanation} */ row) => orNothing(shownUs(row, part), formatNumber),
  }));
  return {
    heading: `Where the time of a round trip goes, in µs, ${place}`,
    columns: [
      { span: '', title: 'transport/codec', align: 'left', text: ({ cell }) => cellName(cell) },
      { span: '', title: 'p50', align: 'right', text: ({ wholeUs }) => formatNumber(wholeUs.estimate) },
      ...columns,
    ],
    rows,
    notes: [`${words.join('; ')}.`, ...explanationNotes(rows)],
  };
}
