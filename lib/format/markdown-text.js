// Escapes text of unknown origin for Markdown, so that it is never read as markup or HTML.

import { printable } from './printable.js';

/** @param {string} text @returns {string} text for use within a line or a table cell */
export function markdownText(text) {
  return printable(text)
    .replace(/[\\`*_{}[\]#|~$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** @param {readonly string[]} cells   already escaped */
export function markdownRow(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** @param {readonly string[]} texts @returns {string[]} a list, followed by an empty line */
export function markdownList(texts) {
  return texts.length === 0 ? [] : [...texts.map((text) => `- ${markdownText(text)}`), ''];
}

/**
 * @param {readonly { span: string, title: string, align: string }[]} columns
 * @returns {string[]} the head rows of a table, with the title of a span in each of its columns, since Markdown has no column spans
 */
export function markdownHead(columns) {
  const titles = columns.map(({ span, title }) => markdownText(span === '' ? title : `${span}: ${title}`));
  return [markdownRow(titles), markdownRow(columns.map(({ align }) => (align === 'left' ? ':--' : '--:')))];
}

/** @template Row @param {readonly { text: (row: Row) => string }[]} columns @param {Row} row */
export function markdownCells(columns, row) {
  return markdownRow(columns.map(({ text }) => markdownText(text(row))));
}

/**
 * @param {readonly unknown[]} columns
 * @param {string} heading
 * @returns {string} the heading as a row of the table, so that all groups have the same columns
 */
export function markdownHeading(columns, heading) {
  return markdownRow(columns.map((_, index) => (index === 0 ? `**${markdownText(heading)}**` : '')));
}
