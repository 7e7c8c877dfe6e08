// Pictures of a page: where each will be drawn, what it says until then, and the data that it is drawn from.

import { FORMATS } from '../../lib/report/charts/text/quantity-words.js';
import { html } from './markup.js';

/** @import { Picture } from '../../lib/report/charts/render/pictures.js' */
/** @import { Markup } from './markup.js' */
/** @import { Configuration, Figure } from '../../lib/report/charts/scene-types.js' */
/** @typedef {{ title: string, configuration: Configuration, said: (string | null)[][] }} ReadablePanel   said: at each point of each data set */

/** @param {Figure} figure @param {number} index @returns {Markup} to which a link can lead */
export function placedPicture({ title, message, altText }, index) {
  return html`<div id="picture-${index}"><figure class="picture" data-picture="${index}">
<figcaption><h3>${title}</h3><p>${message}.</p></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Picture: ${title}"><p class="alt">${altText}</p></div>
</figure></div>`;
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
