// Pictures of a page: where each will be drawn, what it says until then, and the data that it is drawn from.

import { plainFigure } from '../../lib/report/charts/figures/plain-figure.js';
import { html } from './markup.js';

/** @import { Figure } from '../../lib/report/charts/figures/figure.js' */
/** @import { Picture } from '../../lib/report/charts/render/pictures.js' */
/** @import { Markup } from './markup.js' */

/** @param {Figure} figure @param {number} index @returns {Markup} to which a link can lead */
export function placedPicture({ title, message, altText }, index) {
  return html`<div id="picture-${index}"><figure class="picture" data-picture="${index}">
<figcaption><h3>${title}</h3><p>${message}.</p></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Picture: ${title}"><p class="alt">${altText}</p></div>
</figure></div>`;
}

/** @param {Picture[]} pictures @returns {string} JSON for the scripts */
export function pictureData(pictures) {
  return JSON.stringify(pictures.map((picture) => ({ ...picture, figure: plainFigure(picture.figure) })));
}
