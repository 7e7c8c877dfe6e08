// The answer, the table of the screen, and the environment folded away, as Markdown for an issue or a README.

import { groupedBy } from '../../lib/format/lists.js';
import {
  markdownCells,
  markdownHead,
  markdownHeading,
  markdownList,
  markdownText,
} from '../../lib/format/markdown-text.js';
import { bestLegend, columnsOfGroups, textColumn } from '../../lib/report/columns/columns.js';
import { explainedTable } from '../../lib/report/columns/explained-table.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { verdictGrids } from '../../lib/report/columns/verdict-grid.js';
import { measuredGroups } from '../../lib/report/findings/groups.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import { environmentFacts, surroundingLines } from '../../lib/report/text/surroundings.js';

/** @import { ReportOptions } from '../../lib/types/reports.js' */

/** @param {string} heading @param {Parameters<typeof markdownHead>[0]} columns @param {string[]} rows */
function headedTable(heading, columns, rows) {
  return [`## ${markdownText(heading)}`, '', ...markdownHead(columns), ...rows, ''];
}

/** @param {string} summary @param {string[]} lines   Markdown */
function folded(summary, lines) {
  return [`<details><summary>${summary}</summary>`, '', ...lines, '</details>'];
}

/**
 * @param {import('../../lib/types/results-file.js').Results} results
 * @param {Pick<ReportOptions, 'title' | 'furtherColumns'>} options
 */
export function markdownDocument(results, { title, furtherColumns = [] }) {
  const columnsIn = columnsOfGroups(results, furtherColumns);
  const groups = measuredGroups(results);
  const facts = environmentFacts(results.environment).map(({ name, value }) => `${name}: ${value}`);
  const tables = [...groupedBy(groups, columnsIn)].flatMap(([columns, alike]) => {
    if (alike.length === 1) {
      const [group] = alike;
      const rows = sectionsOfGroup(results, group).flatMap((section) => [
        ...(section.heading === null ? [] : [markdownHeading(columns, section.heading)]),
        ...section.rows.map((outcome) => markdownCells(columns, outcome)),
      ]);
      return headedTable(group.heading + bestLegend(group), columns, rows);
    }
    const headings = new Map(alike.flatMap(({ heading, measured }) => measured.map((row) => [row, heading])));
    /** @type {typeof columns[number]} */
    const headingColumn = textColumn('at', (row) => headings.get(row) ?? '');
    const all = [columns[0], headingColumn, ...columns.slice(1)];
    const rows = alike
      .flatMap((group) => sectionsOfGroup(results, group).flatMap((section) => section.rows))
      .map((outcome) => markdownCells(all, outcome));
    return headedTable(`Results${bestLegend(alike[0])}`, all, rows);
  });
  const [answer, ...rest] = conclusions(results, { isBrief: true });
  const notes = makeNotes(results, { isBrief: true });
  const lines = [
    `# ${markdownText(title ?? 'Results of ipc-bench')}`,
    '',
    ...markdownList([answer]),
    ...verdictGrids(results).flatMap(({ columns, sections, legend }) => [
      ...markdownHead(columns),
      ...sections.flatMap(({ heading, rows }) => [
        markdownHeading(columns, heading),
        ...rows.map((row) => markdownCells(columns, row)),
      ]),
      '',
      markdownText(legend),
      '',
    ]),
    ...markdownList(rest),
    ...tables,
    ...groups.flatMap((group) => {
      const table = explainedTable(results, group);
      if (table === null) return [];
      const rows = table.rows.map((row) => markdownCells(table.columns, row));
      return [...headedTable(table.heading, table.columns, rows), ...markdownList(table.notes)];
    }),
    ...markdownList(notes),
    ...folded('Notes and environment', [
      ...markdownList(
        [...surroundingLines(results), ...makeNotes(results)].filter((note) => !notes.includes(note)),
      ),
      ...markdownList(facts),
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
