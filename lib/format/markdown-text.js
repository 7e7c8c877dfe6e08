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

/** @param {readonly string[]} cells    Markdown already @returns {string} */
export function markdownRow(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** @param {readonly string[]} texts @returns {string[]} a list, and the empty line that ends it */
export function markdownList(texts) {
  return texts.length === 0 ? [] : [...texts.map((text) => `- ${markdownText(text)}`), ''];
}
