// Text of unknown origin inside Markdown: shown as it is, never read as markup or HTML.

import { printable } from './printable.js';

/**
 * @param {string} text
 * @returns {string} for the middle of a line, of a table's cell too
 */
export function markdownText(text) {
  return printable(text)
    .replace(/[\\`*_{}[\]#|~$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
