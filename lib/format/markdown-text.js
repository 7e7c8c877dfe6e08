// Text of unknown origin inside Markdown: shown as it is, never read as markup or HTML. Rows and lists are made of it.

import { printable } from './printable.js';

/** @param {string} text @returns {string} for the middle of a line, of a table's cell too */
export function markdownText(text) {
  return printable(text)
    .replace(/[\\`*_{}[\]#|~$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** @param {readonly string[]} cells   Markdown already */
export function markdownRow(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** @param {readonly string[]} texts @returns {string[]} a list, and the empty line that ends it */
export function markdownList(texts) {
  return texts.length === 0 ? [] : [...texts.map((text) => `- ${markdownText(text)}`), ''];
}

/** @param {readonly { span: string, title: string, align: string }[]} columns @returns {string[]} each with its whole title, since Markdown has no titles over several columns */
export function markdownHead(columns) {
  const titles = columns.map(({ span, title }) => markdownText(span === '' ? title : `${span}: ${title}`));
  return [markdownRow(titles), markdownRow(columns.map(({ align }) => (align === 'left' ? ':--' : '--:')))];
}

/** @template Row @param {readonly { text: (row: Row) => string }[]} columns @param {Row} row */
export function markdownCells(columns, row) {
  return markdownRow(columns.map(({ text }) => markdownText(text(row))));
}

/** @param {readonly unknown[]} columns @param {string} heading @returns {string} a row of its own, so that all rows share their columns */
export function markdownHeading(columns, heading) {
  return markdownRow(columns.map((_, index) => (index === 0 ? `**${markdownText(heading)}**` : '')));
}
