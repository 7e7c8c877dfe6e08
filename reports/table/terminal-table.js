// The results for the terminal: the tables, the answer below them, further conclusions and notes.

import { styleText } from 'node:util';
import { printable } from '../../lib/format/printable.js';
import { MAX_WIDTH, wrapped } from '../../lib/format/wrapped.js';
import { linesOfTable } from '../../lib/report/columns/aligned.js';
import { bestLegend, columnsOfGroups } from '../../lib/report/columns/columns.js';
import { explainedTable } from '../../lib/report/columns/explained-table.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { verdictGrids } from '../../lib/report/columns/verdict-grid.js';
import { measuredGroups } from '../../lib/report/findings/groups.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { explainedHeading } from '../../lib/report/text/names.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import { surroundingLines } from '../../lib/report/text/surroundings.js';

/** @import { ReportOptions, Results } from '../../lib/types/index.js' */

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
  const groups = measuredGroups(results);
  const [answer, ...rest] = conclusions(results, { isBrief: !hasNotes });
  const boldAnswer = paragraphs([answer]).map((line) => styled('bold', line));
  const grids = verdictGrids(results);
  const head = [
    ...(title === undefined ? [] : [styled('bold', printable(title))]),
    ...(hasNotes ? paragraphs(surroundingLines(results)) : []),
  ];
  const lines = parted([
    head,
    ...groups.map((group) => [
      ...wrapped(explainedHeading(group) + bestLegend(group), columns).map((line) => styled('bold', line)),
      ...linesOfTable(shownIn(group), sectionsOfGroup(results, group), columns, styled),
    ]),
    ...groups.map((group) => {
      const table = explainedTable(results, group);
      if (table === null) return [];
      const { heading, rows } = table;
      return [
        styled('bold', heading),
        ...linesOfTable(table.columns, [{ heading: null, rows }], columns, styled),
        ...paragraphs(table.notes).map((line) => styled('dim', line)),
      ];
    }),
    ...(grids.length === 0 ? [[...boldAnswer, ...paragraphs(rest)]] : [boldAnswer]),
    ...grids.map(({ columns: ofGrid, sections, legend }) => [
      ...linesOfTable(ofGrid, sections, columns, styled),
      ...paragraphs([legend]).map((line) => styled('dim', line)),
    ]),
    ...(grids.length === 0 ? [] : [paragraphs(rest)]),
    paragraphs(makeNotes(results, { isBrief: !hasNotes })).map((line) => styled('dim', line)),
  ]);
  return `${lines.join('\n')}\n`;
}
