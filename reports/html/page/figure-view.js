/// <reference lib="dom" />
// A figure in the page: legend, panels and notes. It is drawn when it comes near, anew when the theme changes, and given up when it
// is far away: a run of 500 cells has more pictures than a browser should hold.

import { pixelFill } from '../../../lib/report/charts/scene/fills.js';
import { linesBelow } from '../../../lib/report/charts/scene/layout.js';
import { drawLegendItem } from '../../../lib/report/charts/scene/legend.js';
import { COLOURS, recoloured } from '../../../lib/report/charts/style/colours.js';
import { createCanvas } from './browser-canvas.js';
import { element, listOf } from './document.js';
import { drawPanels } from './panels.js';
import { drawnTheme } from './theme.js';

/** @import { Theme } from '../../../lib/report/charts/scene-types.js' */

/** @typedef {{ draw: () => void, drop: () => void, redraw: () => void }} View */

/** @type {Record<string, number>} */
const SWATCH_PX = { bar: 18, line: 36, symbol: 14, text: 14 };
const ROW_PX = 20;
const LEAST_PX = 720; // as in page.css: what is narrower scrolls
const DENSITY = 2;

/** @param {any} item   in the colours of the theme @param {Theme} theme @returns {HTMLElement} */
function legendItem(item, theme) {
  const canvas = createCanvas(SWATCH_PX[item.swatch.kind] * DENSITY, ROW_PX * DENSITY);
  canvas.setAttribute('aria-hidden', 'true');
  const context = /** @type {any} */ (canvas.getContext('2d'));
  context.scale(DENSITY, DENSITY);
  const colours = COLOURS[theme];
  const fillOf = (/** @type {any} */ choice) => pixelFill(choice, colours.background, DENSITY);
  drawLegendItem(context, { ...item, text: '' }, { x: 1, y: ROW_PX / 2 }, { colours, fillOf });
  return element('li', {}, [canvas, ` ${item.text}`]);
}

/** @param {any} figure @returns {HTMLElement[]} those of a picture in a line each, and the others on demand */
function makeNotes(figure) {
  const { notes } = figure;
  const shown = figure.below === undefined ? notes.slice(0, 1) : linesBelow(figure);
  const first = shown.map((/** @type {string} */ line) => element('p', { class: 'small muted' }, [line]));
  const rest = figure.below === undefined ? notes.slice(1) : notes;
  if (rest.length === 0) return first;
  const summary = element('summary', {}, [`Notes to this picture (${rest.length})`]);
  return [...first, element('details', { class: 'small muted' }, [summary, listOf(rest)])];
}

/** @type {Set<View>} */
const views = new Set();
/** @type {WeakMap<Element, View>} */
const viewOf = new WeakMap();
let isForPaper = false;
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const view = viewOf.get(target);
      if (isIntersecting) view?.draw();
      else if (!isForPaper) view?.drop();
    }
  },
  { rootMargin: '600px' },
);

/** @param {HTMLElement} frame   a <figure> with a .scroll @param {any} figure   plain, in light colours */
export function showFigure(frame, figure) {
  const box = /** @type {HTMLElement} */ (frame.querySelector('.scroll'));
  const legend = element('ul', { class: 'legend' });
  if (figure.legend.length > 0) box.before(legend);
  box.after(...makeNotes(figure));
  for (const alt of box.querySelectorAll('.alt')) alt.classList.add('unseen');
  const rows = Math.ceil(figure.panels.length / figure.columns);
  // About as high as it will be, so that nothing below it jumps.
  const share = Math.min(1, Math.max(box.clientWidth, LEAST_PX) / figure.widthPx);
  box.style.minHeight = `${Math.round(rows * figure.panelPx * share)}px`;
  let isDrawn = false;
  let free = () => {};
  const view = {
    draw() {
      if (isDrawn) return;
      isDrawn = true;
      const theme = drawnTheme();
      const title = frame.querySelector('h3')?.textContent ?? figure.title;
      const drawn = { ...recoloured(figure, theme), theme, title };
      legend.replaceChildren(...drawn.legend.map((/** @type {any} */ item) => legendItem(item, theme)));
      free = drawPanels(box, drawn);
      box.style.minHeight = '';
    },
    drop() {
      if (!isDrawn) return;
      // As high as before, so that nothing jumps.
      box.style.minHeight = `${box.offsetHeight}px`;
      free();
      isDrawn = false;
    },
    redraw() {
      if (!isDrawn) return;
      view.drop();
      view.draw();
    },
  };
  views.add(view);
  viewOf.set(frame, view);
  observer.observe(frame);
}

/** @param {HTMLElement} place   whose figures are not shown any more */
export function forgetFigures(place) {
  for (const frame of place.querySelectorAll('figure')) {
    const view = viewOf.get(frame);
    observer.unobserve(frame);
    view?.drop();
    if (view !== undefined) views.delete(view);
  }
}

export function redrawFigures() {
  for (const view of views) view.redraw();
}

/** @param {boolean} isWanted   all of them, since paper has no scrolling; else those that come near */
export function drawForPaper(isWanted) {
  isForPaper = isWanted;
  if (isWanted) for (const view of views) view.draw();
}
