// A comparison as Markdown: for a pull request, an issue, or the summary of a build, which takes a limited size.

import { markdownList, markdownRow, markdownText } from '../../format/markdown-text.js';
import { formatCount } from '../../format/numbers.js';
import { cellName, placeNamer } from '../text/groups.js';
import { comparisonColumns } from './comparison-columns.js';
import { headLines, meanLines, noteLines, warningLines } from './comparison-notes.js';
import { formatConclusions, tallyText } from './comparison-words.js';

/** @import { ComparedMeasure, ComparedRow, Comparison } from '../../types/index.js' */

// By this line an action that keeps one comment up to date finds its own again.
const MARKER = '<!-- ipc-bench compare -->';
// What changes nothing goes first when there is no room.
const KEPT_FIRST = ['slower', 'faster', 'inconclusive', 'same'];

/**
 * @param {Comparison} comparison
 * @param {ComparedMeasure} measure
 * @returns {{ head: string[], rows: Map<ComparedRow, string> }}
 */
function makeTable(comparison, measure) {
  const [, ...columns] = comparisonColumns(comparison, measure);
  const placeOf = placeNamer(comparison.rows);
  const titles = [
    'transport/codec',
    'at',
    ...columns.map(({ span, title }) => (span === '' ? title : `${span}: ${title}`)),
  ];
  const rows = comparison.rows
    .filter((row) => row.measure.name === measure.name)
    .map((row) => {
      const cells = [cellName(row.cell), placeOf(row.cell), ...columns.map(({ text }) => text(row))];
      return /** @type {const} */ ([row, markdownRow(cells.map(markdownText))]);
    });
  return {
    head: [markdownRow(titles.map(markdownText)), markdownRow([':--', ':--', ...columns.map(() => ':--')])],
    rows: new Map(rows),
  };
}

/**
 * @param {ReturnType<typeof makeTable>[]} tables
 * @param {number} bytes
 * @returns {Set<ComparedRow>} as many rows as fit, the most important ones
 */
function fittingRows(tables, bytes) {
  const all = tables.flatMap(({ rows }) => [...rows]);
  const ranked = all.toSorted(
    ([left], [right]) => KEPT_FIRST.indexOf(left.verdict) - KEPT_FIRST.indexOf(right.verdict),
  );
  /** @type {Set<ComparedRow>} */
  const kept = new Set();
  let left = bytes;
  for (const [row, line] of ranked) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    kept.add(row);
  }
  return kept;
}

/**
 * @param {Comparison} comparison
 * @param {number} [greatestBytes] rows are left out until it fits, and a note says so
 * @returns {string} '' where not even the words fit
 */
export function comparisonMarkdown(comparison, greatestBytes = Number.POSITIVE_INFINITY) {
  const measures = new Map(comparison.rows.map(({ measure }) => [measure.name, measure]));
  const tables = [...measures.values()].map((measure) => makeTable(comparison, measure));
  const count = comparison.rows.length;
  const textWith = (/** @type {Set<ComparedRow> | null} */ kept) => {
    const left = kept === null ? 0 : count - kept.size;
    const note = `${formatCount(left)} of ${formatCount(count)} rows are left out here: the summary may not be larger. --markdown FILE writes all of them.`;
    const lines = [
      MARKER,
      `## ${markdownText(`ipc-bench compare: ${tallyText(comparison)}`)}`,
      '',
      ...markdownList(formatConclusions(comparison)),
      ...markdownList(warningLines(comparison)),
      ...tables.flatMap(({ head, rows }) => [
        ...head,
        ...[...rows].flatMap(([row, line]) => (kept === null || kept.has(row) ? [line] : [])),
        '',
      ]),
      ...markdownList(left === 0 ? [] : [note]),
      ...markdownList([...meanLines(comparison), ...noteLines(comparison), ...headLines(comparison)]),
    ];
    return `${lines.join('\n').trimEnd()}\n`;
  };
  const whole = textWith(null);
  if (Buffer.byteLength(whole) <= greatestBytes) return whole;
  // The note is longest when every row is left out.
  const frame = Buffer.byteLength(textWith(new Set()));
  return frame > greatestBytes ? '' : textWith(fittingRows(tables, greatestBytes - frame));
}
