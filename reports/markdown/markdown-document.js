// Table, conclusion and environment as Markdown, to be pasted into an issue or a README.

import { explainedTable } from '../../lib/tables/explained-table.js';
import { notesOf } from '../../lib/tables/notes.js';
import { columnsOfGroups } from '../../lib/tables/open-columns.js';
import { sectionsOfGroup } from '../../lib/tables/sections.js';
import { environmentFacts, surroundingLines } from '../../lib/tables/surroundings.js';
import { conclusions } from '../../lib/verdicts/conclusion.js';
import { groupsOf } from '../../lib/verdicts/groups.js';
import { markdownList, markdownRow, markdownText } from '../../lib/words/markdown-text.js';

/** @import { Column } from '../../lib/tables/columns.js' */

/**
 * @param {import('../../lib/tables/sections.js').TableSection} section
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
function headOf(columns) {
  const titles = columns.map(({ span, title }) => markdownText(span === '' ? title : `${span}: ${title}`));
  return [markdownRow(titles), markdownRow(columns.map(({ align }) => (align === 'left' ? ':--' : '--:')))];
}

/**
 * @param {import('../../lib/types/results-file.js').Results} results
 * @param {import('../../lib/verdicts/groups.js').Group} group
 * @param {Column[]} columns
 * @returns {string[]}
 */
function tableOf(results, group, columns) {
  return [
    `## ${markdownText(group.place)}`,
    '',
    ...headOf(columns),
    ...sectionsOfGroup(results, group).flatMap((section) => rowsOfSection(section, columns)),
    '',
  ];
}

/** @param {ReturnType<typeof explainedTable>} table @returns {string[]} */
function explainedTableOf(table) {
  if (table === null) return [];
  return [
    `## ${markdownText(table.heading)}`,
    '',
    ...headOf(table.columns),
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
  const groups = groupsOf(results).filter(({ measured }) => measured.length > 0);
  const facts = environmentFacts(results).map(({ name, value }) => `${name}: ${value}`);
  const lines = [
    `# ${markdownText(title ?? 'Results of ipc-bench')}`,
    '',
    ...markdownList(surroundingLines(results)),
    ...groups.flatMap((group) => tableOf(results, group, columnsIn(group))),
    ...groups.flatMap((group) => explainedTableOf(explainedTable(results, group))),
    ...markdownList(notesOf(results)),
    '## Conclusion',
    '',
    ...markdownList(conclusions(results)),
    '## Environment',
    '',
    ...markdownList(facts),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
