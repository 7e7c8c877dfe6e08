// Table, conclusion and environment as Markdown, to be pasted into an issue or a README.

import { markdownList, markdownRow, markdownText } from '../../lib/format/markdown-text.js';
import { explainedTable } from '../../lib/report/columns/explained-table.js';
import { columnsOfGroups } from '../../lib/report/columns/open-columns.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { environmentFacts, surroundingLines } from '../../lib/report/columns/surroundings.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { groupRows } from '../../lib/report/text/groups.js';
import { makeNotes } from '../../lib/report/text/notes.js';

/** @import { Column } from '../../lib/report/columns/columns.js' */

/**
 * @param {import('../../lib/report/columns/sections.js').TableSection} section
 * @param {Column[]} columns
 * @returns {string[]} a heading is a row of its own, so that all rows share their columns
 */
function rowsOfSection({ heading, rows }, columns) {
  const lines = rows.map((outcome) => markdownRow(columns.map(({ text }) => markdownText(text(outcome)))));
  if (heading === null) return lines;
  return [
    markdownRow(columns.map((_, index) => (index === 0 ? `**${markdownText(heading)}**` : ''))),
    ...lines,
  ];
}

/** @param {Pick<Column, 'span' | 'title' | 'align'>[]} columns @returns {string[]} Markdown has no titles over several columns: each one says all of its own */
function formatHead(columns) {
  const titles = columns.map(({ span, title }) => markdownText(span === '' ? title : `${span}: ${title}`));
  return [markdownRow(titles), markdownRow(columns.map(({ align }) => (align === 'left' ? ':--' : '--:')))];
}

/**
 * @param {import('../../lib/types/results-file.js').Results} results
 * @param {import('../../lib/report/text/groups.js').Group} group
 * @param {Column[]} columns
 * @returns {string[]}
 */
function formatTable(results, group, columns) {
  return [
    `## ${markdownText(group.place)}`,
    '',
    ...formatHead(columns),
    ...sectionsOfGroup(results, group).flatMap((section) => rowsOfSection(section, columns)),
    '',
  ];
}

/** @param {ReturnType<typeof explainedTable>} table @returns {string[]} */
function formatExplainedTable(table) {
  if (table === null) return [];
  return [
    `## ${markdownText(table.heading)}`,
    '',
    ...formatHead(table.columns),
    ...table.rows.map((row) => markdownRow(table.columns.map(({ text }) => markdownText(text(row))))),
    '',
    ...markdownList(table.notes),
  ];
}

/**
 * @param {import('../../lib/types/results-file.js').Results} results
 * @param {{ title?: string }} options
 * @returns {string}
 */
export function markdownDocument(results, { title }) {
  const columnsIn = columnsOfGroups(results);
  const groups = groupRows(results).filter(({ measured }) => measured.length > 0);
  const facts = environmentFacts(results).map(({ name, value }) => `${name}: ${value}`);
  const lines = [
    `# ${markdownText(title ?? 'Results of ipc-bench')}`,
    '',
    ...markdownList(surroundingLines(results)),
    ...groups.flatMap((group) => formatTable(results, group, columnsIn(group))),
    ...groups.flatMap((group) => formatExplainedTable(explainedTable(results, group))),
    ...markdownList(makeNotes(results)),
    '## Conclusion',
    '',
    ...markdownList(conclusions(results)),
    '## Environment',
    '',
    ...markdownList(facts),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
