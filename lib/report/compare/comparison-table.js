// A comparison as a table for the terminal, with the conclusion in words below it.

import { styleText } from 'node:util';
import { groupLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { panelsOfRows, wrapped } from '../columns/aligned.js';
import { placeNamer } from '../text/groups.js';
import { comparisonColumns } from './comparison-columns.js';
import { headLines, meanLines, noteLines, warningLines } from './comparison-notes.js';
import { formatConclusions } from './comparison-words.js';

/** @import { ComparedRow, Comparison } from '../../types/index.js' */
/** @typedef {'bold' | 'dim' | 'red' | 'green' | 'yellow'} Look */
/** @typedef {(look: Look, text: string) => string} Styled */

/** @type {Readonly<Record<ComparedRow['verdict'], Look | null>>} */
const LOOKS = { slower: 'red', faster: 'green', inconclusive: 'yellow', same: null };

/**
 * @param {ComparedRow[]} rows of one group
 * @param {Comparison} comparison
 * @param {number} columns
 * @param {Styled} styled
 * @returns {string[]}
 */
function linesOfGroup(rows, comparison, columns, styled) {
  const shown = comparisonColumns({ ...comparison, rows }, rows[0].measure);
  const panels = panelsOfRows(shown, rows, columns);
  return panels.flatMap(({ head, rows: lines }, index) => [
    ...(index === 0 ? [] : ['']),
    ...head.map((line) => styled('dim', line)),
    ...lines.map((line, row) => {
      const look = LOOKS[rows[row].verdict];
      return look === null ? line : styled(look, line);
    }),
  ]);
}

/** @param {Comparison} comparison @param {{ colour?: boolean, columns?: number }} [screen] @returns {string} */
export function comparisonTable(comparison, { colour = false, columns = Number.POSITIVE_INFINITY } = {}) {
  /** @type {Styled} */
  const styled = (look, text) => (colour ? styleText(look, text, { validateStream: false }) : text);
  const placeOf = placeNamer(comparison.rows);
  const paragraph = (/** @type {string[]} */ lines) => lines.flatMap((line) => wrapped(line, columns));
  const warnings = paragraph(warningLines(comparison)).map((line) => styled('yellow', line));
  const byPlace = groupedBy(comparison.rows, ({ measure, cell }) => `${measure.name} ${groupLabel(cell)}`);
  const groups = [...byPlace.values()].flatMap((rows) => [
    '',
    styled('bold', placeOf(rows[0].cell)),
    ...linesOfGroup(rows, comparison, columns, styled),
  ]);
  const below = paragraph([...meanLines(comparison), ...noteLines(comparison)]);
  const lines = [
    ...paragraph(headLines(comparison)),
    ...warnings,
    ...groups,
    ...(below.length === 0 ? [] : ['', ...below]),
    '',
    ...paragraph(formatConclusions(comparison)),
  ];
  return `${lines.join('\n')}\n`;
}
