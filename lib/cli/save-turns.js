// A picture beside the answer of a command.

import { join } from 'node:path';
import { darkName, pictureElement } from '../format/picture-element.js';
import { inTheme } from '../report/charts/figures/figures.js';
import { drawFigure } from '../report/charts/render/png.js';
import { writeAtomically } from '../results/atomic-file.js';

/** @import { Figure, Theme } from '../report/charts/scene-types.js' */

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
