// Markdown to paste for each picture: an image with its alt text, and a caption that ends with the command which measures it again.

import { join } from 'node:path/posix';
import { unended } from '../lib/format/lists.js';
import { markdownText } from '../lib/format/markdown-text.js';
import { darkName, linkTarget, pictureElement } from '../lib/format/picture-element.js';
import { printable } from '../lib/format/printable.js';

/** @import { Figure } from '../lib/report/charts/scene-types.js' */

/** @param {string[]} texts */
const sentences = (texts) => texts.map((text) => `${markdownText(unended(text))}.`).join(' ');

/** @param {string} command @returns {string} as code, fenced by more backticks than the command has */
function codeText(command) {
  const longest = Math.max(0, ...[...command.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${command}\`` : `${fence} ${command} ${fence}`;
}

/**
 * @param {Figure} figure
 * @param {[how: string, where: string]} below
 * @param {string} command
 * @param {{ light: string, dark: string | null }} paths
 */
function formatCaption({ altText, title, message, notes }, [how, where], command, { light, dark }) {
  return [
    dark === null
      ? `![${markdownText(altText)}](${linkTarget(light)})`
      : pictureElement({ light, dark }, altText),
    '',
    `**${markdownText(unended(title))}.** ${sentences([message, ...notes])}`,
    `How: ${sentences([how])} Where: ${sentences([where])} Again: ${codeText(command)}.`,
    '',
  ].join('\n');
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'captions',
  summary: 'Markdown to paste: each picture with its alt text and a caption',
  option: { flag: 'captions', rank: 8 },
  async render(results, { picturePlace = { folder: '', ending: '.png' }, ...options }) {
    const { makeFigures } = await import('../lib/report/charts/figures/figures.js');
    const { linesBelow } = await import('../lib/report/charts/scene/layout.js');
    const { formatCommand } = await import('../lib/options/print-config.js');
    const { folder, ending } = picturePlace;
    const command = printable(formatCommand(results));
    const placeOf = (/** @type {string} */ name) => join(folder, `${name}${ending}`);
    const captions = makeFigures(results, options).map((figure) => {
      const dark = options.picture?.isInBothThemes ? placeOf(darkName(figure.name)) : null;
      return formatCaption(figure, linesBelow(figure), command, { light: placeOf(figure.name), dark });
    });
    return [{ name: 'captions.md', mediaType: 'text/markdown', content: captions.join('\n') }];
  },
};
