// Pictures of a page: inline SVG in the colours of the page's theme, with their words in HTML.

import { innerPx, MARGIN_PX } from '../../lib/report/charts/figures/figure.js';
import { linesBelow } from '../../lib/report/charts/figures/footer.js';
import { renderSvg } from '../../lib/report/charts/pictures/svg.js';
import { html, Markup } from './markup.js';
import { themedSvg } from './page-assets.js';

/** @import { Picture } from '../../lib/report/charts/chart-types.js' */
/** @import { Figure } from '../../lib/report/charts/chart-types.js' */

const BRIEF_CHARACTERS = 240; // about two lines

/** @param {Picture[]} pictures @returns {Markup[]} each with an id for links. The first has no message, since the answer is above it */
export const placedPictures = (pictures) =>
  pictures.map((picture, index) => placedPicture(picture.figure, index, inlineSvg(picture)));

/** @param {Figure} figure @param {number} index @param {string} svg */
function placedPicture(figure, index, svg) {
  const { title, message, altText } = figure;
  const sentence = index === 0 ? null : html`<p>${message}.</p>`;
  return html`<div id="picture-${index}"><figure class="picture">
<figcaption><h3>${title}</h3>${sentence}</figcaption>
<div class="drawn" tabindex="0" role="region" aria-label="Picture: ${title}">${new Markup(svg)}<p class="unseen">${altText}</p></div>
${notesBelow(figure)}
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

/** @param {Figure} figure @returns {Markup} how and where its rows were measured, and its notes, folded if they are long */
function notesBelow(figure) {
  const { notes } = figure;
  /** @param {string[]} texts */
  const linesOf = (texts) => html`${texts.map((text) => html`<p class="small muted">${text}</p>`)}`;
  const shown = linesOf(linesBelow(figure));
  if (notes.join(' ').length <= BRIEF_CHARACTERS) return html`${shown}${linesOf(notes)}`;
  const items = notes.map((text) => html`<li>${text}</li>`);
  return html`${shown}<details class="small muted"><summary>Notes to this picture (${notes.length})</summary><ul>${items}</ul></details>`;
}
