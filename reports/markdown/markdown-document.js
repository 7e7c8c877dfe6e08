// Table, conclusion and environment as Markdown, to be pasted into an issue or a README.

import {
  markdownCells,
  markdownHead,
  markdownHeading,
  markdownList,
  markdownText,
} from '../../lib/format/markdown-text.js';
import { columnsOfGroups } from '../../lib/report/columns/columns.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { environmentFacts, surroundingLines } from '../../lib/report/columns/surroundings.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { explainedTable } from '../../lib/report/text/explained.js';
import { groupRows } from '../../lib/report/text/groups.js';
import { makeNotes } from '../../lib/report/text/notes.js';

/** @param {string} heading @param {Parameters<typeof markdownHead>[0]} columns @param {string[]} rows */
function headedTable(heading, columns, rows) {
  return [`## ${markdownText(heading)}`, '', ...markdownHead(columns), ...rows, ''];
}

/** @param {import('../../lib/types/results-file.js').Results} results @param {{ title?: string }} options */
export function markdownDocument(results, { title }) {
  const columnsIn = columnsOfGroups(results);
  const groups = groupRows(results).filter(({ measured }) => measured.length > 0);
  const facts = environmentFacts(results.environment).map(({ name, value }) => `${name}: ${value}`);
  const lines = [
    `# ${markdownText(title ?? 'Results of ipc-bench')}`,
    '',
    ...markdownList(surroundingLines(results)),
    ...groups.flatMap((group) => {
      const columns = columnsIn(group);
      const rows = sectionsOfGroup(results, group).flatMap((section) => [
        ...(section.heading === null ? [] : [markdownHeading(columns, section.heading)]),
        ...section.rows.map((outcome) => markdownCells(columns, outcome)),
      ]);
      return headedTable(group.place, columns, rows);
    }),
    ...groups.flatMap((group) => {
      const table = explainedTable(results, group);
      if (table === null) return [];
      const rows = table.rows.map((row) => markdownCells(table.columns, row));
      return [...headedTable(table.heading, table.columns, rows), ...markdownList(table.notes)];
    }),
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
