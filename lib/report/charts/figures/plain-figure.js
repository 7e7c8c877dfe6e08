// A figure as plain data, for a page that draws it anew: with the words that stand at each of its points.

import { plainScales } from './plain-scales.js';

/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Figure, Panel } from './figure.js' */
/** @typedef {{ title: string, configuration: Configuration, said: (string | null)[][] }} PlainPanel   said: at each point of each data set */
/** @typedef {Omit<Figure, 'panels'> & { panels: PlainPanel[] }} PlainFigure */

/**
 * @template {Pick<Figure, 'panels'>} Drawn
 * @param {Drawn} figure
 * @returns {Omit<Drawn, 'panels'> & { panels: PlainPanel[] }}
 * @throws {TypeError} a function is left that no page could call
 */
export function plainFigure(figure) {
  const plain = { ...figure, panels: figure.panels.map(plainPanel) };
  assertPlain(plain, 'figure');
  return plain;
}

/** @param {Panel} panel @returns {PlainPanel} */
function plainPanel({ title, configuration }) {
  const { data, options } = configuration;
  const scales = plainScales(options.scales, data.labels?.length ?? 0);
  return {
    title,
    configuration: { ...configuration, options: { ...options, scales } },
    said: data.datasets.map((dataset) =>
      dataset.data.map((/** @type {any} */ point, /** @type {number} */ index) =>
        formatTooltip(configuration, dataset, point, index),
      ),
    ),
  };
}

/**
 * @param {Configuration} configuration
 * @param {any} dataset
 * @param {any} point
 * @param {number} index
 * @returns {string | null} 'unix/json: 46.2k (45k–47.5k) round trips per second'; null: nothing is there
 */
function formatTooltip({ data, options }, dataset, point, index) {
  const along = options.indexAxis === 'y' ? 'x' : 'y';
  if (point[along] === null) return null;
  const across = along === 'x' ? 'y' : 'x';
  const { title, ticks } = options.scales[along];
  const values = [point[along]].flat();
  const ends = [[point[`${along}Min`]].flat(), [point[`${along}Max`]].flat()];
  const texts = values.map((value, place) => {
    const [low, high] = ends.map((of) => of[place] ?? null);
    const hasInterval = low !== null && high !== null && low < high;
    return ticks.callback(value) + (hasInterval ? ` (${ticks.callback(low)}–${ticks.callback(high)})` : '');
  });
  const names = [
    ...(data.labels === undefined ? [] : [data.labels[index]]),
    ...(data.labels === undefined || data.datasets.length > 1 ? [dataset.label] : []),
    ...(data.labels === undefined ? [options.scales[across].ticks.callback(point[across])] : []),
  ];
  return `${names.join(', ')}: ${[texts.join(' to '), title.text].filter((text) => text !== '').join(' ')}`;
}

/** @param {unknown} value @param {string} path */
function assertPlain(value, path) {
  if (typeof value === 'function') throw new TypeError(`${path} is a function: a page cannot call it`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, own] of Object.entries(value)) assertPlain(own, `${path}.${key}`);
}
