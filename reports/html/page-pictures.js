// Pictures of a page: inline SVG in the colours of the page's theme, with their words in HTML.

import { innerPx, MARGIN_PX } from '../../lib/report/charts/figures/figure.js';
import { linesBelow } from '../../lib/report/charts/figures/footer.js';
import { renderSvg } from '../../lib/report/charts/pictures/svg.js';
import { html, Markup } from './markup.js';
import { themedSvg } from './page-assets.js';

/** @import { Picture } from '../../lib/report/charts/chart-types.js' */
/** @import { Figure } from '../../lib/report/charts/chart-types.js' */

const BRIEF_CHARACTERS = 240; // about two lines

/**
 * @param {Picture[]} pictures
 * @param {readonly string[]} [notes]   notes that the page has elsewhere
 * @returns {Markup[]} each with an id for links. The first has no message, since the answer is above it. A text that the page has elsewhere,
 *   or that an earlier picture has, is left out
 */
export function placedPictures(pictures, notes = []) {
  const shown = new Set(notes);
  return pictures.map((picture, index) => {
    const { figure } = picture;
    const [how, where] = linesBelow(figure);
    /** @param {string[]} texts */
    const unshown = (texts) => texts.filter((text) => !shown.has(text));
    const lines = [how, ...unshown([where])];
    const own = unshown(figure.notes);
    for (const text of [where, ...own]) shown.add(text);
    return placedPicture(figure, index, inlineSvg(picture), html`${paragraphs(lines)}${foldedNotes(own)}`);
  });
}

/** @param {Figure} figure @param {number} index @param {string} svg @param {Markup} below */
function placedPicture(figure, index, svg, below) {
  const { title, message, altText } = figure;
  const sentence = index === 0 ? null : html`<p>${message}.</p>`;
  return html`<div id="picture-${index}"><figure class="picture">
<figcaption><h3>${title}</h3>${sentence}</figcaption>
<div class="drawn" tabindex="0" role="region" aria-label="Picture: ${title}">${new Markup(svg)}<p class="unseen">${altText}</p></div>
${below}
</figure></div>`;
}

/** @param {Picture} picture @returns {string} legend and panels only, since the page has the texts */
function inlineSvg(picture) {
  const { figure, boxes, legendTop } = picture;
  const lines = picture.lines.filter(({ style }) => style === 'panel');
  const svg = renderSvg({ ...picture, lines, isTransparent: true });
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  const box = [MARGIN_PX, legendTop, innerPx(figure.widthPx), bottom - legendTop].map(Math.round);
  return themedSvg(`<svg viewBox="${box.join(' ')}" aria-hidden="true">${svg.slice(svg.indexOf('<defs>'))}`);
}

/** @param {string[]} texts @returns {Markup} */
const paragraphs = (texts) => html`${texts.map((text) => html`<p class="small muted">${text}</p>`)}`;

/** @param {string[]} notes   of a picture @returns {Markup} folded if they are long */
function foldedNotes(notes) {
  if (notes.join(' ').length <= BRIEF_CHARACTERS) return paragraphs(notes);
  const items = notes.map((text) => html`<li>${text}</li>`);
  return html`<details class="small muted"><summary>Notes to this picture (${notes.length})</summary><ul>${items}</ul></details>`;
}
