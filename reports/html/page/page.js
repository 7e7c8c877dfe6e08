/// <reference lib="dom" />
// The page comes to life: pictures, tables, pages of cells, themes and what can be saved.

import { FONT_FAMILY } from '../../../lib/charts/font-family.js';
import { showAddress } from './cell-view.js';
import { byId } from './element.js';
import { embedded, embeddedText } from './embedded.js';
import { drawAllFigures, redrawFigures, showFigure } from './figure-view.js';
import { saveFile } from './save-file.js';
import { letSortAndFilter } from './sorting.js';
import { offerThemes } from './theme.js';

async function start() {
  letSortAndFilter();
  for (const tools of document.querySelectorAll('.tools')) tools.removeAttribute('hidden');
  const facts = await embedded('facts');
  offerThemes(byId('theme'), redrawFigures);
  byId('raw').addEventListener('click', async () => {
    saveFile(new Blob([await embeddedText('results')], { type: 'application/json' }), facts.name);
  });
  // A canvas takes a font only once it is there.
  await Promise.all([400, 600].map((weight) => document.fonts.load(`${weight} 12px ${FONT_FAMILY}`)));
  addEventListener('hashchange', () => showAddress(facts, true));
  await showAddress(facts, false);
  const figures = await embedded('pictures');
  for (const frame of document.querySelectorAll('figure[data-picture]')) {
    const place = Number(/** @type {HTMLElement} */ (frame).dataset.picture);
    showFigure(/** @type {HTMLElement} */ (frame), figures[place], facts);
  }
  addEventListener('beforeprint', drawAllFigures);
  document.documentElement.dataset.ready = 'true';
}

start();
