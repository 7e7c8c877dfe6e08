// Pictures of a page: each as an SVG, which needs no script, with its words, and the data from which scripts draw it anew for the width
// and the theme that it has there.

import { renderSvg } from '../../lib/report/charts/render/svg.js';
import { innerPx, linesBelow, MARGIN_PX } from '../../lib/report/charts/scene/layout.js';
import { FORMATS } from '../../lib/report/charts/text/quantity-words.js';
import { html, Markup } from './markup.js';
import { themedSvg } from './page-assets.js';

/** @import { Picture } from '../../lib/report/charts/render/pictures.js' */
/** @import { Configuration, Figure } from '../../lib/report/charts/scene-types.js' */
/** @typedef {{ title: string, configuration: Configuration, said: (string | null)[][] }} ReadablePanel   said: at each point of each data set */

const MOST_SVG_CHARACTERS = 1_000_000; // of a page; the pictures beyond are words until a script draws them
const BRIEF_CHARACTERS = 240; // about two lines

/**
 * @param {Picture[]} pictures
 * @returns {Promise<Markup[]>} each with an address to which a link can lead. The first one has no message: the answer above it is one
 */
export async function placedPictures(pictures) {
  /** @type {Markup[]} */
  const placed = [];
  let left = MOST_SVG_CHARACTERS;
  for (const [index, picture] of pictures.entries()) {
    const svg = left > 0 ? await inlineSvg(picture) : '';
    placed.push(placedPicture(picture.figure, index, svg.length <= left ? svg : ''));
    left -= svg.length;
  }
  return placed;
}

/** @param {Figure} figure @param {number} index @param {string} svg */
function placedPicture(figure, index, svg) {
  const { title, message, altText } = figure;
  const said = index === 0 ? null : html`<p>${message}.</p>`;
  const alt = html`<p class="${svg === '' ? 'alt' : 'alt unseen'}">${altText}</p>`;
  return html`<div id="picture-${index}"><figure class="picture" data-picture="${index}">
<figcaption><h3>${title}</h3>${said}</figcaption>
<div class="drawn">${new Markup(svg)}${alt}</div>
${notesBelow(figure)}
</figure></div>`;
}

/** @param {Picture} picture @returns {Promise<string>} its legend and panels: the page has its words */
async function inlineSvg({ figure, layout, ...rest }) {
  const { widthPx, panels, columns } = figure;
  const words = { title: [], message: [], below: [] };
  const svg = await renderSvg({ ...rest, figure, layout: { ...layout, ...words }, isTransparent: true });
  const { legendTop, panelsTop, panelPx, panelTitlePx } = layout;
  const bottom = panelsTop + Math.ceil(panels.length / columns) * (panelPx + panelTitlePx);
  const box = [MARGIN_PX, legendTop, innerPx(widthPx), bottom - legendTop].map(Math.round);
  return themedSvg(`<svg viewBox="${box.join(' ')}" aria-hidden="true">${svg.slice(svg.indexOf('<defs>'))}`);
}

/** @param {Figure} figure @returns {Markup} how and where it was measured, and what else is to be known, on request where that is long */
function notesBelow(figure) {
  const { notes } = figure;
  const linesOf = (/** @type {string[]} */ texts) =>
    html`${texts.map((text) => html`<p class="small muted">${text}</p>`)}`;
  const shown = linesOf(linesBelow(figure));
  if (notes.join(' ').length <= BRIEF_CHARACTERS) return html`${shown}${linesOf(notes)}`;
  const items = notes.map((text) => html`<li>${text}</li>`);
  return html`${shown}<details class="small muted"><summary>Notes to this picture (${notes.length})</summary><ul>${items}</ul></details>`;
}

/** @param {Picture[]} pictures @returns {string} JSON for the scripts */
export function pictureData(pictures) {
  return JSON.stringify(pictures.map((picture) => ({ ...picture, figure: readableFigure(picture.figure) })));
}

/**
 * @template {Pick<Figure, 'panels'>} Drawn
 * @param {Drawn} figure
 * @returns {Omit<Drawn, 'panels'> & { panels: ReadablePanel[] }} with the words at each of its points, which pointers and keys read
 */
export function readableFigure(figure) {
  const panels = figure.panels.map(({ title, configuration }) => ({
    title,
    configuration,
    said: configuration.data.datasets.map((dataset) =>
      dataset.data.map((/** @type {any} */ point, /** @type {number} */ index) =>
        formatPoint(configuration, dataset, point, index),
      ),
    ),
  }));
  return { ...figure, panels };
}

/**
 * @param {Configuration} configuration
 * @param {any} dataset
 * @param {any} point
 * @param {number} index
 * @returns {string | null} 'unix/json: 46.2k (45k–47.5k) round trips per second'; null: nothing is there
 */
function formatPoint({ data, options }, dataset, point, index) {
  const [along, across] = options.indexAxis === 'y' ? ['x', 'y'] : ['y', 'x'];
  if (point[along] === null) return null;
  const { title, format } = options.scales[along];
  const formatValue = FORMATS[/** @type {keyof typeof FORMATS} */ (format)];
  const ends = [[point[`${along}Min`]].flat(), [point[`${along}Max`]].flat()];
  const texts = [point[along]].flat().map((value, place) => {
    const [low, high] = ends.map((of) => of[place] ?? null);
    const hasInterval = low !== null && high !== null && low < high;
    return formatValue(value) + (hasInterval ? ` (${formatValue(low)}–${formatValue(high)})` : '');
  });
  const acrossFormat = /** @type {keyof typeof FORMATS} */ (options.scales[across].format);
  const names = [
    ...(data.labels === undefined ? [] : [data.labels[index]]),
    ...(data.labels === undefined || data.datasets.length > 1 ? [dataset.label] : []),
    ...(data.labels === undefined ? [FORMATS[acrossFormat](point[across])] : []),
  ];
  const unit = title.text === '' && data.datasets.length === 1 ? dataset.label : title.text;
  return `${names.join(', ')}: ${[texts.join(' to '), unit].filter((text) => text !== '').join(' ')}`;
}
