// The pictures of where the answer changes, beside a recommendation.

import { join } from 'node:path';
import { darkName, pictureElement } from '../format/picture-element.js';
import { crossoverFigure } from '../report/charts/figures/crossover-figure.js';
import { inTheme } from '../report/charts/figures/figures.js';
import { drawFigure } from '../report/charts/render/png.js';
import { FIGURE_PX } from '../report/charts/scene/layout.js';
import { isOpen } from '../report/text/groups.js';
import { writeAtomically } from '../results/atomic-file.js';

/** @import { Recommendation, Source } from '../types/index.js' */
/** @import { Figure, Slice, Theme } from '../report/charts/scene-types.js' */

/**
 * @param {Recommendation} recommendation
 * @param {Source[]} sources
 * @param {string} folder
 * @param {Theme | 'both'} theme
 * @returns {Promise<{ paths: string[], elements: string[] }>} elements: to be pasted, where both themes are drawn
 */
export async function saveCrossovers({ turns }, sources, folder, theme) {
  /** @type {string[]} */
  const paths = [];
  /** @type {string[]} */
  const elements = [];
  for (const turn of turns) {
    const [{ run, outcome }] = turn.choice.at.measured;
    const { cell } = outcome;
    /** @type {Slice} */
    const slice = { cell, model: isOpen(outcome) ? 'open' : 'closed', parts: [], outcomes: [] };
    const sheet = { results: sources[run].results, slice, title: '', widthPx: FIGURE_PX };
    const suffix = turns.length === 1 ? '' : `-${turn.side}`;
    const figure = crossoverFigure(sheet, turn, suffix);
    const saved = await saveFigure(figure, folder, theme);
    paths.push(...saved.paths);
    elements.push(...saved.elements);
  }
  return { paths, elements };
}

/** @param {Figure} figure   in light colours @param {string} folder @param {Theme | 'both'} theme @returns {Promise<{ paths: string[], elements: string[] }>} */
export async function saveFigure(figure, folder, theme) {
  const pathOf = (/** @type {string} */ name) => join(folder, `${name}.png`);
  const [light, dark] = [pathOf(figure.name), pathOf(darkName(figure.name))];
  const drawn = theme === 'both' ? { light, dark } : { [theme]: light };
  for (const [own, path] of Object.entries(drawn)) {
    const [coloured] = inTheme([figure], /** @type {Theme} */ (own));
    await writeAtomically(path, await drawFigure(coloured));
  }
  const elements = theme === 'both' ? [pictureElement({ light, dark }, figure.altText)] : [];
  return { paths: Object.values(drawn), elements };
}
