/// <reference lib="dom" />
// The page comes to life: pictures, tables, pages of cells, themes and what can be saved.

import { FONT_FAMILY } from '../../../lib/report/charts/style/letters.js';
import { showAddress } from './cell-view.js';
import { byId, element, embedded, embeddedText, saveFile } from './document.js';
import { drawForPaper, redrawFigures, showFigure } from './figure-view.js';
import { savePicture } from './save-picture.js';
import { letSortAndFilter } from './sorting.js';
import { offerThemes } from './theme.js';

/** @param {HTMLElement} copy   a button behind what it copies */
function letCopy(copy) {
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    const text = /** @type {HTMLElement} */ (copy.parentElement?.querySelector('code'));
    getSelection()?.selectAllChildren(text); // can be copied by hand, where a browser forbids the rest
    await navigator.clipboard.writeText(text.textContent ?? '');
    copy.textContent = 'Copied';
  });
}

/** Paper has no scrolling, and nothing on it opens. */
function preparePrinting() {
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  addEventListener('beforeprint', () => {
    drawForPaper(true);
    opened = [...document.querySelectorAll('details')].filter(({ open }) => !open);
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    drawForPaper(false);
    for (const details of opened) details.open = false;
  });
}

async function start() {
  letSortAndFilter();
  for (const tools of document.querySelectorAll('.tools')) tools.removeAttribute('hidden');
  for (const copy of document.querySelectorAll('[data-copy]')) letCopy(/** @type {HTMLElement} */ (copy));
  const facts = await embedded('facts');
  offerThemes(byId('theme'), redrawFigures);
  for (const save of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-file]'))) {
    const { file = '' } = save.dataset;
    save.addEventListener('click', async () => {
      saveFile(new Blob([await embeddedText(`file-${file}`)], { type: 'application/json' }), file);
    });
  }
  // A canvas takes a font only once it is there.
  await Promise.all([400, 600].map((weight) => document.fonts.load(`${weight} 12px ${FONT_FAMILY}`)));
  addEventListener('hashchange', () => showAddress(true));
  await showAddress(false);
  const pictures = await embedded('pictures');
  for (const frame of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll('figure[data-picture]')
  )) {
    const picture = pictures[Number(frame.dataset.picture)];
    showFigure(frame, picture.figure);
    const save = element('button', { type: 'button', class: 'save' }, ['Save picture']);
    save.addEventListener('click', () => savePicture(picture, facts.theme));
    /** @type {HTMLElement} */ (frame.querySelector('.drawn')).after(save);
  }
  preparePrinting();
  document.documentElement.dataset.ready = 'true';
}

start();
