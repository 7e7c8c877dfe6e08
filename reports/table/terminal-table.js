// The results for the terminal: the tables, the answer below them, further conclusions and notes.

import { styleText } from 'node:util';
import { printable } from '../../lib/format/printable.js';
import { MAX_WIDTH, wrapped } from '../../lib/format/wrapped.js';
import { linesOfPanels, panelsOfRows } from '../../lib/report/columns/aligned.js';
import { bestLegend, columnsOfGroups } from '../../lib/report/columns/columns.js';
import { explainedTable } from '../../lib/report/columns/explained-table.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { verdictGrids } from '../../lib/report/columns/verdict-grid.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { explainedHeading } from '../../lib/report/text/names.js';
import { makeBriefNotes, makeNotes } from '../../lib/report/text/notes.js';
import { surroundingLines } from '../../lib/report/text/surroundings.js';

/** @import { ColumnChoice } from '../../lib/report/columns/columns.js' */
/** @import { RowGroup } from '../../lib/report/findings/groups.js' */
/** @import { MeasuredOutcome, ReportOptions, Results } from '../../lib/types/index.js' */

const INDENT = ' '; // indent of rows below a heading
const REMARK_INDENT = '  ';

/**
 * @param {Results} results
 * @param {RowGroup} group
 * @param {ColumnChoice[]} shown
 * @param {number} columns
 * @param {(format: 'bold' | 'dim', text: string) => string} styled
 */
function linesOfGroup(results, group, shown, columns, styled) {
  const sections = sectionsOfGroup(results, group);
  const ordered = sections.flatMap(({ rows }) => rows);
  const indent = sections.some(({ heading }) => heading !== null) ? INDENT : '';
  const { panels, remarksOf } = placeRemarks(shown, ordered, columns, indent);
  let isFirst = true;
  const lines = linesOfPanels(panels, styled, (all) => {
    const rest = [...all];
    /** @param {MeasuredOutcome} outcome */
    const withRemarks = (outcome) => [...rest.splice(0, 1), ...(isFirst ? remarksOf(outcome) : [])];
    const formatted = sections.flatMap(({ heading, rows }) => [
      ...(heading === null ? [] : [styled('dim', heading)]),
      ...rows.flatMap(withRemarks),
    ]);
    isFirst = false;
    return formatted;
  });
  const heading = wrapped(explainedHeading(group) + bestLegend(group), columns);
  return [...heading.map((line) => styled('bold', line)), ...lines];
}

/**
 * Places remarks in the last column, or below their rows on a narrow screen, where a further panel would repeat all names for a few
 * words.
 * @param {ColumnChoice[]} shown
 * @param {MeasuredOutcome[]} rows
 * @param {number} columns
 * @param {string} indent
 * @returns {{ panels: ReturnType<typeof panelsOfRows>, remarksOf: (row: MeasuredOutcome) => string[] }} remarksOf: the lines below a row
 */
function placeRemarks(shown, rows, columns, indent) {
  const beside = panelsOfRows(shown, rows, columns, indent);
  const remarks = shown.find(({ isRemarks }) => isRemarks);
  if (remarks === undefined) return { panels: beside, remarksOf: () => [] };
  const without = shown.filter((column) => column !== remarks);
  const panels = panelsOfRows(without, rows, columns, indent);
  // The column exists if a row of any group has a remark.
  const hasRemarks = rows.some((row) => remarks.text(row) !== '');
  if (hasRemarks && beside.length === panels.length) return { panels: beside, remarksOf: () => [] };
  return {
    panels,
    remarksOf: (row) => {
      const text = remarks.text(row);
      const before = `${indent}${REMARK_INDENT}`;
      return text === '' ? [] : wrapped(`(${text})`, columns - before.length).map((line) => before + line);
    },
  };
}

/** @param {string[][]} parts @returns {string[]} the lines of all parts, separated by empty lines */
function parted(parts) {
  return parts
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

/** @param {Results} results @param {ReportOptions} options */
export function terminalTable(
  results,
  { colour = false, columns = MAX_WIDTH, title, hasNotes = false, furtherColumns = [] },
) {
  /** @param {'bold' | 'dim'} format @param {string} text */
  const styled = (format, text) => (colour ? styleText(format, text, { validateStream: false }) : text);
  /** @param {string[]} texts */
  const paragraphs = (texts) => texts.flatMap((text) => wrapped(text, Math.min(columns, MAX_WIDTH)));
  const shownIn = columnsOfGroups(results, furtherColumns);
  const groups = groupRows(results).filter(({ measured }) => measured.length > 0);
  const [answer, ...rest] = conclusions(results, { isBrief: !hasNotes });
  const boldAnswer = paragraphs([answer]).map((line) => styled('bold', line));
  const grids = verdictGrids(results);
  const notes = hasNotes ? makeNotes(results) : makeBriefNotes(results);
  const head = [
    ...(title === undefined ? [] : [styled('bold', printable(title))]),
    ...(hasNotes ? paragraphs(surroundingLines(results)) : []),
  ];
  const lines = parted([
    head,
    ...groups.map((group) => linesOfGroup(results, group, shownIn(group), columns, styled)),
    ...groups.map((group) => {
      const table = explainedTable(results, group);
      if (table === null) return [];
      const lines = linesOfPanels(panelsOfRows(table.columns, table.rows, columns), styled);
      return [
        styled('bold', table.heading),
        ...lines,
        ...paragraphs(table.notes).map((line) => styled('dim', line)),
      ];
    }),
    ...(grids.length === 0 ? [[...boldAnswer, ...paragraphs(rest)]] : [boldAnswer]),
    ...grids.map(({ columns: ofGrid, sections, legend }) => {
      const rows = sections.flatMap((section) => section.rows);
      const lines = linesOfPanels(panelsOfRows(ofGrid, rows, columns, INDENT), styled, (all) => {
        const rest = [...all];
        return sections.flatMap((section) => [
          ...paragraphs([section.heading]).map((line) => styled('dim', line)),
          ...rest.splice(0, section.rows.length),
        ]);
      });
      return [...lines, ...paragraphs([legend]).map((line) => styled('dim', line))];
    }),
    ...(grids.length === 0 ? [] : [paragraphs(rest)]),
    paragraphs(notes).map((line) => styled('dim', line)),
  ]);
  return `${lines.join('\n')}\n`;
}
