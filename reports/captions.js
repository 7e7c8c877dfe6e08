// Markdown to paste: for each picture an image with its alt text and a caption, and at the end the sentences that all pictures share and
// the command that measures them again. Sentences that only neighbouring pictures share are below the last of these pictures.

import { join } from 'node:path/posix';
import { groupedBy, unended } from '../lib/format/lists.js';
import { markdownText } from '../lib/format/markdown-text.js';
import { darkName, pictureElement } from '../lib/format/picture-element.js';
import { printable } from '../lib/format/printable.js';

/** @import { Figure } from '../lib/report/charts/chart-types.js' */

/** @param {string[]} texts */
const sentences = (texts) => texts.map((text) => `${markdownText(unended(text))}.`).join(' ');

/** @param {string} command @returns {string} inline code, fenced by one backtick more than the longest row of backticks in the command */
function codeText(command) {
  const longest = Math.max(0, ...[...command.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${command}\`` : `${fence} ${command} ${fence}`;
}

/**
 * @param {Figure} figure
 * @param {string[]} own   sentences on this picture alone
 * @param {string} element
 */
function formatCaption({ title, message }, own, element) {
  return [element, '', `**${markdownText(unended(title))}.** ${sentences([message, ...own])}`, ''].join('\n');
}

/**
 * @param {string[][]} texts   sentences of each picture
 * @param {number} index
 * @returns {string[]} sentences below this picture, without those that the next picture has too
 */
function sentencesBelow(texts, index) {
  const ended = texts[index].filter((text) => texts[index + 1]?.includes(text) !== true);
  const groups = groupedBy(ended, (text) => {
    const first = texts.slice(0, index + 1).findLastIndex((own) => !own.includes(text)) + 1;
    return index - first;
  });
  return [...groups]
    .sort(([one], [other]) => one - other)
    .flatMap(([above, [first, ...others]]) => [spanText(above) + first, ...others]);
}

/** @param {number} above   number of pictures above that share the sentences @returns {string} */
function spanText(above) {
  if (above === 0) return '';
  return above === 1 ? 'This picture and the one above – ' : `This picture and the ${above} above – `;
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'captions',
  summary: 'Markdown to paste: each picture with its alt text and a caption',
  option: { flag: 'captions', rank: 8 },
  async render(results, { pictureLinks = { folder: '', ending: '.png' }, ...options }) {
    const { makeFigures } = await import('../lib/report/charts/figures/figures.js');
    const { linesBelow } = await import('../lib/report/charts/figures/footer.js');
    const { formatCommand } = await import('../lib/options/written-options.js');
    const { PICTURE_SIZES } = await import('../lib/options/picture-options.js');
    const { folder, ending } = pictureLinks;
    const { size, isInBothThemes } = options.picture ?? {};
    const pathOf = (/** @type {string} */ name) => join(folder, `${name}${ending}`);
    const figures = makeFigures(results, options);
    const texts = figures.map((figure) => {
      const [how, where] = linesBelow(figure);
      return [...figure.notes, `How: ${how}`, `Where: ${where}`];
    });
    const shared = new Set(texts[0]?.filter((text) => texts.every((own) => own.includes(text))));
    const further = texts.map((own) => own.filter((text) => !shared.has(text)));
    const captions = figures.map((figure, index) => {
      const { name, altText: alt, widthPx } = figure;
      const paths = { light: pathOf(name), dark: isInBothThemes ? pathOf(darkName(name)) : null };
      const shownPx = size === undefined ? widthPx : PICTURE_SIZES[size].widthPx;
      const element = pictureElement(paths, alt, shownPx);
      return formatCaption(figure, sentencesBelow(further, index), element);
    });
    const again = `Again: ${codeText(printable(formatCommand(results)))}.`;
    const content = [...captions, [...[sentences([...shared])].filter(Boolean), again].join(' '), ''].join(
      '\n',
    );
    return [{ name: 'captions.md', mediaType: 'text/markdown', content }];
  },
};
