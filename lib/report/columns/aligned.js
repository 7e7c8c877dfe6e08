// Aligns rows of text into columns of a given width. Columns that do not fit into a panel continue in the next one below,
// which begins with the first column again: no column is dropped, however narrow the screen is.

import { shortened } from '../../format/lists.js';
import { displayWidth, MAX_WIDTH, wrapped } from '../../format/wrapped.js';
import { sum, sumBy } from '../../statistics/sum.js';

/** @import { Column } from './columns.js' */
/** @typedef {Pick<Column, 'span' | 'title' | 'align'> & { width: number, cells: string[] }} Block   a column with aligned texts */

/**
 * @template Row
 * @typedef {Pick<Column<Row>, 'span' | 'title' | 'align' | 'text' | 'isRemarks'>} ShownColumn
 */
/**
 * @template Row
 * @typedef {{ heading: string | null, rows: Row[] }} TableSection   heading: null if none is needed
 */

const GAP = '  ';
const INDENT = ' '; // of rows below a heading
const REMARK_INDENT = '  ';
const MIN_NAME_WIDTH = 16;
const MAX_NAME_WIDTH = 60;
const ROOM_BESIDE_NAME = 26; // width of a gap and an estimate with its interval

/** @param {string[]} texts */
function greatestWidth(texts) {
  return texts.reduce((greatest, text) => Math.max(greatest, displayWidth(text)), 0);
}

/** @param {string} text @param {number} width @param {boolean} toTheRight */
function padded(text, width, toTheRight) {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return toTheRight ? space + text : text + space;
}

/** @param {Pick<Column, 'span' | 'title' | 'align'>} column @param {string[]} texts    one for each row @returns {Block} */
function makeBlock({ span, title, align }, texts) {
  const firstWords = texts.map((text) => text.split(' ')[0]);
  const firstWidth = greatestWidth(firstWords);
  const lined =
    align === 'first word'
      ? texts.map(
          (text, index) => padded(firstWords[index], firstWidth, true) + text.slice(firstWords[index].length),
        )
      : texts;
  const width = greatestWidth([title, ...lined]);
  return { span, title, align, width, cells: lined.map((text) => padded(text, width, align === 'right')) };
}

/** @param {Block[]} blocks */
function totalWidth(blocks) {
  return sumBy(blocks, ({ width }) => width) + GAP.length * Math.max(0, blocks.length - 1);
}

/** @param {Block[]} blocks @returns {Block[][]} neighbours with the same span */
function bySpan(blocks) {
  /** @type {Block[][]} */
  const spans = [];
  for (const block of blocks) {
    const last = spans.at(-1);
    if (last !== undefined && block.span !== '' && last[0].span === block.span) last.push(block);
    else spans.push([block]);
  }
  return spans;
}

/**
 * @param {Block[]} blocks
 * @returns {number} width of a panel in characters; a span that is wider than its columns counts instead of them
 */
function panelWidth(blocks) {
  const spans = bySpan(blocks);
  const widths = spans.map((span) => Math.max(totalWidth(span), displayWidth(span[0].span)));
  return sum(widths) + GAP.length * (spans.length - 1);
}

/** @param {Block[][]} units @param {number} room @returns {Block[][]} as few panels as possible */
function filledPanels(units, room) {
  /** @type {Block[][]} */
  const panels = [[]];
  for (const unit of units) {
    const panel = /** @type {Block[]} */ (panels.at(-1));
    if (panel.length > 0 && panelWidth([...panel, ...unit]) > room) panels.push([...unit]);
    else panel.push(...unit);
  }
  return panels;
}

/** @param {Block[]} blocks    every panel begins with the first one @param {number} columns @returns {Block[][]} */
function splitIntoPanels([first, ...rest], columns) {
  const room = columns - first.width - GAP.length;
  // A span that is wider than a panel is split.
  const units = bySpan(rest).flatMap((span) =>
    totalWidth(span) > room ? span.map((block) => [block]) : [span],
  );
  let panels = filledPanels(units, room);
  // The narrowest layout with as few panels fills all panels about equally.
  for (let narrower = Math.min(room, panelWidth(rest)) - 1; narrower > 0; narrower -= 1) {
    const candidate = filledPanels(units, narrower);
    if (candidate.length > panels.length) break;
    panels = candidate;
  }
  return panels.map((panel) => [first, ...panel]);
}

/** @param {Block[]} panel @returns {{ head: string[], rows: string[] }} two lines of titles, and the rows */
function linesOfPanel(panel) {
  const spans = bySpan(panel).map((blocks) => {
    const [{ span, align }] = blocks;
    const excess = displayWidth(span) - totalWidth(blocks);
    // A span wider than its columns pushes them to the right.
    const wide =
      excess <= 0 ? blocks : [{ ...blocks[0], width: blocks[0].width + excess }, ...blocks.slice(1)];
    const titles = wide.map(({ title, width, align: side }) => padded(title, width, side === 'right'));
    const isRight = align === 'right';
    const rows = blocks[0].cells.map((_, row) =>
      wide.map(({ cells, width }) => padded(cells[row], width, isRight)).join(GAP),
    );
    return { span: padded(span, totalWidth(wide), isRight), titles: titles.join(GAP), rows };
  });
  /** @param {string[]} parts */
  const line = (parts) => parts.join(GAP).trimEnd();
  return {
    head: [line(spans.map(({ span }) => span)), line(spans.map(({ titles }) => titles))],
    rows: panel[0].cells.map((_, row) => line(spans.map(({ rows }) => rows[row]))),
  };
}

/**
 * @template Row
 * @param {ShownColumn<Row>[]} shown   the first column has the names
 * @param {Row[]} rows
 * @param {number} columns      width of the screen
 * @param {string} indent       before each name
 * @returns {ReturnType<typeof linesOfPanel>[]} panels from top to bottom; long names are shortened to leave room for one column of numbers
 */
function panelsOfRows(shown, rows, columns, indent) {
  const room = columns - indent.length - ROOM_BESIDE_NAME;
  const nameWidth = Math.max(MIN_NAME_WIDTH, Math.min(MAX_NAME_WIDTH, room));
  const blocks = shown.map((column, index) => {
    const texts = rows.map((row) => column.text(row));
    return makeBlock(column, index === 0 ? texts.map((text) => indent + shortened(text, nameWidth)) : texts);
  });
  return splitIntoPanels(blocks, columns).map(linesOfPanel);
}

/**
 * Places remarks in the last column, or below their rows on a narrow screen, where a further panel would repeat all names for a few
 * words.
 * @template Row
 * @param {ShownColumn<Row>[]} shown
 * @param {Row[]} rows
 * @param {number} columns
 * @param {string} indent
 * @returns {{ panels: ReturnType<typeof panelsOfRows>, remarksOf: (row: Row) => string[] }} remarksOf: the lines below a row
 */
function placeRemarks(shown, rows, columns, indent) {
  const beside = panelsOfRows(shown, rows, columns, indent);
  const remarks = shown.find(({ isRemarks }) => isRemarks);
  if (remarks === undefined) return { panels: beside, remarksOf: () => [] };
  const without = shown.filter((column) => column !== remarks);
  const panels = panelsOfRows(without, rows, columns, indent);
  // The column exists if a row of any table has a remark.
  const hasRemarks = rows.some((row) => remarks.text(row) !== '');
  if (hasRemarks && beside.length === panels.length) return { panels: beside, remarksOf: () => [] };
  const before = indent + REMARK_INDENT;
  return {
    panels,
    remarksOf(row) {
      const text = remarks.text(row);
      return text === '' ? [] : wrapped(`(${text})`, columns - before.length).map((line) => before + line);
    },
  };
}

/**
 * @template Row
 * @param {ShownColumn<Row>[]} shown   the first column has the names
 * @param {TableSection<Row>[]} sections
 * @param {number} columns      width of the screen
 * @param {(style: 'dim', text: string) => string} styled
 * @param {(line: string, row: Row) => string} [formatRow]
 * @returns {string[]} the lines of all panels, separated by empty lines
 */
export function linesOfTable(shown, sections, columns, styled, formatRow = (line) => line) {
  const ordered = sections.flatMap(({ rows }) => rows);
  const indent = sections.some(({ heading }) => heading !== null) ? INDENT : '';
  const { panels, remarksOf } = placeRemarks(shown, ordered, columns, indent);
  return panels.flatMap(({ head, rows: lines }, panel) => {
    /** @param {Row} row */
    const linesOfRow = (row) => [
      formatRow(lines[ordered.indexOf(row)], row),
      ...(panel === 0 ? remarksOf(row) : []),
    ];
    return [
      ...(panel === 0 ? [] : ['']),
      ...head.filter((line) => line !== '').map((line) => styled('dim', line)),
      ...sections.flatMap(({ heading, rows }) => [
        ...(heading === null ? [] : wrapped(heading, Math.min(columns, MAX_WIDTH))).map((line) =>
          styled('dim', line),
        ),
        ...rows.flatMap(linesOfRow),
      ]),
    ];
  });
}
