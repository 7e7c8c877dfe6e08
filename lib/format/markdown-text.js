// Escapes text of unknown origin for Markdown, so that it is never read as markup or HTML, and nothing in it becomes a link.

import { printable } from './printable.js';

/**
 * What GitHub and other renderers link although it is escaped: mentions, mail addresses, URLs, and numbers of issues. A version such as
 * `node@22` is none of these.
 */
const LINKED =
  /((?:(?<!\w)@(?=\w)|@[\w-]+(?:\.[\w-]+)*\.(?=[a-z])|[a-z][a-z\d+.-]{0,30}:\/\/|www\.|#(?=\d))[^\s`|<>(),;]*)/i;

/** @param {string} text @returns {string} text for a line or a table cell, in which everything that renderers would link is inline code */
export function markdownText(text) {
  const parts = printable(text).split(LINKED);
  return parts.map((part, index) => (index % 2 === 1 ? `\`${part}\`` : escapeMarkup(part))).join('');
}

/** @param {string} text */
function escapeMarkup(text) {
  return text
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
