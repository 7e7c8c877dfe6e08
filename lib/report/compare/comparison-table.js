// A comparison as a table with the conclusion in words: for the terminal, and as Markdown for a pull request, an issue, or the
// summary of a build, whose size is limited.

import { styleText } from 'node:util';
import { commonOperation } from '../../cell/headline.js';
import { groupLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { markdownCells, markdownHead, markdownList, markdownText } from '../../format/markdown-text.js';
import {
  formatCount,
  formatMemory,
  formatNumber,
  formatRatioInterval,
  NOTHING,
  orNothing,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { faultTexts, isFault } from '../../format/result-flags.js';
import { MAX_WIDTH, wrapped } from '../../format/wrapped.js';
import { linesOfTable } from '../columns/aligned.js';
import { estimateColumn, numberColumn, textColumn } from '../columns/columns.js';
import { placeNamer } from '../findings/scope.js';
import { isRate } from '../text/measure-words.js';
import { cellName } from '../text/names.js';
import { effectText } from '../text/phrases/comparison-phrases.js';
import {
  conclusionsOf,
  differenceLines,
  footLines,
  hasFound,
  headLines,
  meanLines,
  noteLines,
  rowsInTable,
  tallyText,
  verdictText,
  warningLines,
} from './comparison-words.js';

/** @import { Column } from '../columns/columns.js' */
/** @import { ComparedMeasure, ComparedRow, Comparison, Estimate } from '../../types/index.js' */

/** @typedef {'bold' | 'dim' | 'red' | 'green' | 'yellow'} Style */

const MIN_P_SHOWN = 0.001;
/** @type {Readonly<Record<ComparedRow['verdict'], Style | null>>} */
const STYLES = { slower: 'red', faster: 'green', inconclusive: 'yellow', same: null };
// An action that keeps one comment up to date finds its comment by this line.
const MARKER = '<!-- ipc-bench compare -->';

/** @param {ComparedRow} row @returns {Style | null} */
function styleOf({ verdict, isControl, isBeyond }) {
  if (isControl) return isBeyond ? 'yellow' : 'dim';
  return STYLES[verdict];
}

/** @param {Comparison} comparison @param {{ colour?: boolean, columns?: number }} [screen] @returns {string} */
export function comparisonTable(comparison, { colour = false, columns: wide = MAX_WIDTH } = {}) {
  const columns = Math.min(wide, MAX_WIDTH);
  /** @param {Style | null} style @param {string} text */
  const styled = (style, text) =>
    colour && style !== null ? styleText(style, text, { validateStream: false }) : text;
  const headingOf = placeNamer(rowsInTable(comparison));
  const paragraph = (/** @type {string[]} */ lines) => lines.flatMap((line) => wrapped(line, columns));
  const yellow = (/** @type {string[]} */ lines) => paragraph(lines).map((line) => styled('yellow', line));
  const tables = groupedBy(
    rowsInTable(comparison),
    ({ measure, cell }) => `${measure.name} ${groupLabel(cell)}`,
  );
  const below = paragraph([...meanLines(comparison), ...noteLines(comparison)]);
  const lines = [
    ...yellow(differenceLines(comparison)),
    ...paragraph(headLines(comparison)),
    ...yellow(warningLines(comparison)),
    ...[...tables.values()].flatMap((rows) => [
      '',
      styled('bold', headingOf(rows[0].cell)),
      ...linesOfTable(
        comparisonColumns({ ...comparison, rows }),
        [{ heading: null, rows }],
        columns,
        styled,
        (line, row) => styled(styleOf(row), line),
      ),
    ]),
    ...(below.length === 0 ? [] : ['', ...below]),
    '',
    ...paragraph(conclusionsOf(comparison)),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * @param {Pick<Comparison, 'rows' | 'minEffect' | 'old' | 'new'>} comparison   the rows of one measure
 * @returns {Column<ComparedRow>[]}
 */
function comparisonColumns({ rows, minEffect, old, new: newSide }) {
  const [{ measure }] = rows;
  const { title, unit } = measure;
  const span = isRate(measure) ? title : `${title}, ${unit}`;
  const ratioSpan = isRate(measure) ? 'throughput ratio' : 'speed ratio';
  const sides = `${newSide.name}/${old.name} (95 %)`;
  const hasFaults = rows.some(({ flags }) => [...flags.old, ...flags.new].some(isFault));
  /** @type {Column<ComparedRow>} */
  const remarks = textColumn('remarks', (row) => remarksText(row, [old.name, newSide.name]));
  return [
    textColumn('transport/codec', ({ cell }) => cellName(cell)),
    estimateColumn(span, old.name, (row) => row.old, levelText),
    estimateColumn(span, newSide.name, (row) => row.new, levelText),
    estimateColumn(ratioSpan, sides, ({ ratio }) => ratio, formatRatioInterval),
    textColumn('verdict', (row) => verdictText(row, minEffect)),
    ...(rows.some(({ p }) => p !== null) ? [P_COLUMN] : []),
    ...(rows.some(hasFound) ? [FINDS_COLUMN] : []),
    ...(hasFaults ? [{ ...remarks, isRemarks: /** @type {const} */ (true) }] : []),
  ];
}

/**
 * @param {ComparedRow[]} rows
 * @returns {Column<ComparedRow>[]} CPU time of each role and memory, old → new
 */
function costColumns(rows) {
  /**
   * @param {string} span
   * @param {string} title
   * @param {(costs: ComparedRow['costs']['old']) => number | null | undefined} read
   * @param {(value: number) => string} format
   * @returns {Column<ComparedRow>[]} none if no side of a row has a value
   */
  const bothColumn = (span, title, read, format) => {
    const isKnown = rows.some(({ costs }) => (read(costs.old) ?? read(costs.new) ?? null) !== null);
    /** @param {ComparedRow} row */
    const text = ({ costs }) =>
      [costs.old, costs.new].map((side) => orNothing(read(side) ?? null, format)).join(' → ');
    return isKnown ? [{ span, title, align: 'right', text, value: ({ costs }) => read(costs.new) }] : [];
  };
  const cpu = `CPU µs per ${printable(commonOperation(rows).one)}`;
  const roles = new Set(
    rows.flatMap(({ costs }) =>
      [costs.old, costs.new].flatMap((side) => Object.keys(side.cpuUsPerOperation)),
    ),
  );
  return [
    ...[...roles].flatMap((role) =>
      bothColumn(cpu, printable(role), ({ cpuUsPerOperation }) => cpuUsPerOperation[role], formatNumber),
    ),
    ...bothColumn('', 'peak memory', ({ peakRssBytes }) => peakRssBytes, formatMemory),
  ];
}

/** @param {Estimate} level */
const levelText = ({ estimate }) => formatNumber(estimate);

/** @type {Column<ComparedRow>} */
const P_COLUMN = {
  span: '',
  title: 'p',
  align: 'left',
  text: ({ adjustedP }) => pText(adjustedP),
  value: ({ adjustedP }) => adjustedP,
};
/** @type {Column<ComparedRow>} */
const FINDS_COLUMN = {
  span: '',
  title: 'finds',
  align: 'right',
  text: (row) => (hasFound(row) ? `≥ ${effectText(Number(row.detectableRatio))}` : NOTHING),
  value: ({ detectableRatio }) => detectableRatio,
};

/** @param {number | null} p @returns {string} '0.012', '<0.001' */
function pText(p) {
  if (p === null) return NOTHING;
  return p < MIN_P_SHOWN ? `<${MIN_P_SHOWN}` : p.toFixed(3);
}

/** @param {ComparedRow} row @param {string[]} names @returns {string} 'not stable', 'old: may still be warming up; new: not stable' */
function remarksText({ flags, operation }, names) {
  const [before, after] = [flags.old, flags.new].map((codes) => faultTexts(codes, operation).join(', '));
  if (before === after) return before;
  return [before, after].flatMap((text, side) => (text === '' ? [] : `${names[side]}: ${text}`)).join('; ');
}

/**
 * @param {Comparison} comparison
 * @returns {{ measure: ComparedMeasure, columns: Column<ComparedRow>[], rows: ComparedRow[] }[]} a table of each measure with all columns,
 *   for documents
 */
export function comparisonTables(comparison) {
  const headingOf = placeNamer(rowsInTable(comparison));
  const byMeasure = groupedBy(rowsInTable(comparison), ({ measure }) => measure.name);
  return [...byMeasure.values()].map((rows) => {
    const [name, ...columns] = comparisonColumns({ ...comparison, rows });
    /** @type {Column<ComparedRow>[]} */
    const ofRow = [
      textColumn('at', ({ cell }) => headingOf(cell)),
      numberColumn('', 'n', ({ ratio }) => ratio.n, formatCount),
    ];
    return {
      measure: rows[0].measure,
      columns: [name, ...ofRow, ...columns, ...costColumns(rows)],
      rows,
    };
  });
}

/**
 * @param {Comparison} comparison
 * @param {number} [greatestBytes]   a longer document has a note instead of its tables
 * @returns {string} '' if the document is too long even without tables
 */
export function comparisonMarkdown(comparison, greatestBytes = Number.POSITIVE_INFINITY) {
  const tables = comparisonTables(comparison).flatMap(({ columns, rows }) => [
    ...markdownHead(columns),
    ...rows.map((row) => markdownCells(columns, row)),
    '',
  ]);
  /** @param {string[]} ofRows */
  const withRows = (ofRows) =>
    `${[
      MARKER,
      `## ${markdownText(`ipc-bench compare: ${tallyText(comparison)}`)}`,
      '',
      ...markdownList(differenceLines(comparison)),
      ...markdownList(conclusionsOf(comparison)),
      ...markdownList(warningLines(comparison)),
      ...ofRows,
      ...markdownList(footLines(comparison)).slice(0, -1), // the document does not end with an empty line
    ].join('\n')}\n`;
  const count = formatCount(rowsInTable(comparison).length);
  const note = `The table of ${count} rows is left out here: the summary may not be larger. --markdown FILE writes it.`;
  const fitting = [tables, markdownList([note])]
    .map(withRows)
    .find((text) => Buffer.byteLength(text) <= greatestBytes);
  return fitting ?? '';
}
