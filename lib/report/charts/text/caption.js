// What a picture takes along to where it is shown, as Markdown to paste: the line that shows it, with its alt text, and
// below it what is seen, where and how it was measured, and how to measure it again.

import { unended } from '../../../format/lists.js';
import { markdownText } from '../../../format/markdown-text.js';
import { printable } from '../../../format/printable.js';
import { formatCommand } from '../../../options/print-config.js';

/** @import { Results } from '../../../types/index.js' */
/** @import { Figure } from '../figures/figure.js' */

/** @param {string} path   a file's @returns {string} as the target of a link, whatever letters it has */
function linkTarget(path) {
  return encodeURI(path).replace(/[()?#]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

/** @param {string[]} texts @returns {string} sentences */
const sentences = (texts) => texts.map((text) => `${markdownText(unended(text))}.`).join(' ');

/** @param {string} command @returns {string} as code, whatever quotes it has */
function codeText(command) {
  const longest = Math.max(0, ...[...command.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${command}\`` : `${fence} ${command} ${fence}`;
}

/**
 * @param {Figure} figure
 * @param {Results} results
 * @param {string} path   of its picture
 * @returns {string}
 */
export function formatCaption({ altText, title, message, notes, footer }, results, path) {
  const [manner, ...rest] = footer;
  const again = codeText(printable(formatCommand(results.options)));
  return [
    `![${markdownText(altText)}](${linkTarget(path)})`,
    '',
    `**${markdownText(unended(title))}.** ${sentences([message, ...notes])}`,
    `How: ${sentences([manner])} Where: ${sentences(rest)} Again: ${again}.`,
    '',
  ].join('\n');
}
