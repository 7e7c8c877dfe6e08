// Table, conclusion and environment as Markdown, to be pasted into an issue or a README.

import { conclusions } from '../lib/format/conclusion.js';
import { groupsOf } from '../lib/format/groups.js';
import { markdownText } from '../lib/format/markdown-text.js';
import { notesOf } from '../lib/format/notes.js';
import { columnsByModel } from '../lib/format/open-columns.js';
import { environmentFacts, surroundingLines } from '../lib/format/surroundings.js';

/** @typedef {import('../lib/format/columns.js').Column} Column */

/** @param {string[]} cells @returns {string} */
function rowOf(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** @param {string[]} texts @returns {string[]} a list, and the empty line that ends it */
function listOf(texts) {
  return texts.length === 0 ? [] : [...texts.map((text) => `- ${markdownText(text)}`), ''];
}

/**
 * @param {import('../lib/format/groups.js').Group} group
 * @param {Column[]} columns
 * @returns {string[]}
 */
function tableOf({ place, measured }, columns) {
  // Markdown has no titles over several columns: each one says all of its own.
  const titles = columns.map(({ span, title }) => markdownText(span === '' ? title : `${span}: ${title}`));
  return [
    `## ${markdownText(place)}`,
    '',
    rowOf(titles),
    rowOf(columns.map(({ align }) => (align === 'left' ? ':--' : '--:'))),
    ...measured.map((outcome) => rowOf(columns.map(({ text }) => markdownText(text(outcome))))),
    '',
  ];
}

/** @type {import('../lib/types.js').Report} */
export default {
  name: 'markdown',
  summary: 'table, conclusion and environment, to be pasted into an issue',
  render(results, { title }) {
    const columnsIn = columnsByModel(results);
    const groups = groupsOf(results).filter(({ measured }) => measured.length > 0);
    const facts = environmentFacts(results.environment).map(({ name, value }) => `${name}: ${value}`);
    const lines = [
      `# ${markdownText(title ?? 'Results of ipc-bench')}`,
      '',
      ...listOf(surroundingLines(results)),
      ...groups.flatMap((group) => tableOf(group, columnsIn(group))),
      ...listOf(notesOf(results)),
      '## Conclusion',
      '',
      ...listOf(conclusions(results)),
      '## Environment',
      '',
      ...listOf(facts),
    ];
    const content = `${lines.join('\n').trimEnd()}\n`;
    return [{ name: 'results.md', mediaType: 'text/markdown; charset=utf-8', content }];
  },
};
