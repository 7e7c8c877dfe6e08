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
import { sumBy } from '../../statistics/sum.js';
import { linesOfPanels, panelsOfRows } from '../columns/aligned.js';
import { estimateColumn, numberColumn, textColumn } from '../columns/columns.js';
import { headingNamer } from '../findings/groups.js';
import { cellName } from '../text/names.js';
import { effectText } from '../text/phrases/comparison-phrases.js';
import {
  differenceLines,
  environmentLine,
  formatConclusions,
  hasFound,
  headLines,
  isCounted,
  meanLines,
  noteLines,
  rowsInTable,
  tallyText,
  verdictRank,
  verdictText,
  warningLines,
} from './comparison-words.js';

/** @import { Column } from '../columns/columns.js' */
/** @import { ComparedMeasure, ComparedRow, Comparison, Estimate } from '../../types/index.js' */

/** @typedef {'bold' | 'dim' | 'red' | 'green' | 'yellow'} Style */

const MIN_P_SHOWN = 0.001;
const REMARK_INDENT = '  ';
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
  /** @param {Style} style @param {string} text */
  const styled = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const allRows = rowsInTable(comparison);
  const headingOf = headingNamer(allRows);
  const paragraph = (/** @type {string[]} */ lines) => lines.flatMap((line) => wrapped(line, columns));
  const yellow = (/** @type {string[]} */ lines) => paragraph(lines).map((line) => styled('yellow', line));
  const byHeading = groupedBy(allRows, ({ measure, cell }) => `${measure.name} ${groupLabel(cell)}`);
  const groups = [...byHeading.values()].flatMap((rows) => {
    const all = comparisonColumns({ ...comparison, rows }, rows[0].measure);
    const panels = panelsOfRows(
      all.filter(({ isRemarks }) => !isRemarks),
      rows,
      columns,
    );
    const remarks = all.find(({ isRemarks }) => isRemarks);
    let isFirst = true;
    const lines = linesOfPanels(panels, styled, (ofRows) => {
      const shown = ofRows.flatMap((line, index) => {
        const style = styleOf(rows[index]);
        const remark = isFirst ? (remarks?.text(rows[index]) ?? '') : '';
        const below = remark === '' ? [] : wrapped(`(${remark})`, columns - REMARK_INDENT.length);
        return [
          style === null ? line : styled(style, line),
          ...below.map((text) => styled('dim', REMARK_INDENT + text)),
        ];
      });
      isFirst = false;
      return shown;
    });
    return ['', styled('bold', headingOf(rows[0].cell)), ...lines];
  });
  const below = paragraph([...meanLines(comparison), ...noteLines(comparison)]);
  const lines = [
    ...yellow(differenceLines(comparison)),
    ...paragraph(headLines(comparison)),
    ...yellow(warningLines(comparison)),
    ...groups,
    ...(below.length === 0 ? [] : ['', ...below]),
    '',
    ...paragraph(formatConclusions(comparison)),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * @param {Pick<Comparison, 'rows' | 'minEffect' | 'old' | 'new'>} comparison
 * @param {ComparedMeasure} measure   the measure of the table; `rows` may also contain rows of other tables
 * @returns {Column<ComparedRow>[]}
 */
export function comparisonColumns({ rows, minEffect, old, new: newSide }, measure) {
  const { title, unit } = measure;
  const span = isCounted(measure) ? title : `${title}, ${unit}`;
  const ratioSpan = isCounted(measure) ? 'throughput ratio' : 'speed ratio';
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
export function costColumns(rows) {
  const sides = rows.flatMap(({ costs }) => [costs.old, costs.new]);
  const roles = new Set(
    sides.flatMap(({ cpuUsPerOperation }) =>
      Object.keys(cpuUsPerOperation).filter((role) => cpuUsPerOperation[role] !== null),
    ),
  );
  /**
   * @param {string} span
   * @param {string} title
   * @param {(costs: ComparedRow['costs']['old']) => number | null | undefined} read
   * @param {(value: number) => string} format
   * @returns {Column<ComparedRow>}
   */
  const bothColumn = (span, title, read, format) => ({
    span,
    title,
    align: 'right',
    text: ({ costs }) =>
      [costs.old, costs.new].map((side) => orNothing(read(side) ?? null, format)).join(' → '),
    value: ({ costs }) => read(costs.new),
  });
  const cpu = `CPU µs per ${printable(commonOperation(rows).one)}`;
  return [
    ...[...roles].map((role) =>
      bothColumn(cpu, printable(role), ({ cpuUsPerOperation }) => cpuUsPerOperation[role], formatNumber),
    ),
    ...(sides.some(({ peakRssBytes }) => peakRssBytes !== null)
      ? [bothColumn('', 'peak memory', ({ peakRssBytes }) => peakRssBytes, formatMemory)]
      : []),
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

/** @param {Comparison} comparison @param {ComparedMeasure} measure */
function makeTable(comparison, measure) {
  const allRows = rowsInTable(comparison);
  const [name, ...columns] = comparisonColumns({ ...comparison, rows: allRows }, measure);
  const headingOf = headingNamer(allRows);
  const rows = allRows.filter((row) => row.measure.name === measure.name);
  /** @type {Column<ComparedRow>[]} */
  const all = [
    name,
    textColumn('at', ({ cell }) => headingOf(cell)),
    numberColumn('', 'n', ({ ratio }) => ratio.n, formatCount),
    ...columns,
    ...costColumns(rows),
  ];
  return { head: markdownHead(all), rows: new Map(rows.map((row) => [row, markdownCells(all, row)])) };
}

/**
 * @param {Map<ComparedRow, string>} lines
 * @param {number} bytes
 * @returns {Map<ComparedRow, string>} as many lines as fit, the most important first
 */
function selectFitting(lines, bytes) {
  /** @type {Map<ComparedRow, string>} */
  const kept = new Map();
  let left = bytes;
  for (const [row, line] of [...lines].toSorted(([one], [other]) => verdictRank(one) - verdictRank(other))) {
    left -= countBytes([line]);
    if (left < 0) break;
    kept.set(row, line);
  }
  return kept;
}

/** @param {Iterable<string>} lines @returns {number} bytes, with the line breaks */
function countBytes(lines) {
  return sumBy(lines, (line) => Buffer.byteLength(line) + 1);
}

/** @param {number} left @param {number} all */
function leftOutNote(left, all) {
  return markdownList([
    `${formatCount(left)} of ${formatCount(all)} rows are left out here: the summary may not be larger. --markdown FILE writes all of them.`,
  ]);
}

/**
 * @param {Comparison} comparison
 * @param {number} [greatestBytes]   rows are omitted until the document fits, and a note contains their number
 * @returns {string} '' if the document is too long even without any row
 */
export function comparisonMarkdown(comparison, greatestBytes = Number.POSITIVE_INFINITY) {
  const measures = new Map(rowsInTable(comparison).map(({ measure }) => [measure.name, measure]));
  const tables = [...measures.values()].map((measure) => makeTable(comparison, measure));
  const above = [
    MARKER,
    `## ${markdownText(`ipc-bench compare: ${tallyText(comparison)}`)}`,
    '',
    ...markdownList(differenceLines(comparison)),
    ...markdownList(formatConclusions(comparison)),
    ...markdownList(warningLines(comparison)),
  ];
  const below = markdownList([
    ...meanLines(comparison),
    ...noteLines(comparison),
    ...headLines(comparison),
    environmentLine(comparison),
  ]).slice(0, -1); // the document does not end with an empty line
  const all = new Map(tables.flatMap(({ rows }) => [...rows]));
  const room =
    greatestBytes - countBytes([...above, ...tables.flatMap(({ head }) => [...head, '']), ...below]);
  let kept = all;
  if (countBytes(all.values()) > room) {
    // The note is longest when every row is left out.
    const roomForRows = room - countBytes(leftOutNote(all.size, all.size));
    if (roomForRows < 0) return '';
    kept = selectFitting(all, roomForRows);
  }
  const lines = [
    ...above,
    ...tables.flatMap(({ head, rows }) => [
      ...head,
      ...[...rows].flatMap(([row, line]) => (kept.has(row) ? [line] : [])),
      '',
    ]),
    ...(kept.size === all.size ? [] : leftOutNote(all.size - kept.size, all.size)),
    ...below,
  ];
  return `${lines.join('\n')}\n`;
}
