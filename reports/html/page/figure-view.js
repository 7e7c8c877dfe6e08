/// <reference lib="dom" />
// A figure in the page: legend and panels. It is drawn when it comes near, anew when the theme or its width changes, and given up when
// it is far away, where its SVG is seen again: a run of 500 cells has more pictures than a browser should hold.

import { pixelFill } from '../../../lib/report/charts/scene/fills.js';
import { drawLegendItem } from '../../../lib/report/charts/scene/legend.js';
import { COLOURS, recoloured } from '../../../lib/report/charts/style/colours.js';
import { createCanvas } from './browser-canvas.js';
import { element } from './document.js';
import { fitFigure } from './fit-figure.js';
import { drawPanels } from './panels.js';
import { drawnTheme } from './theme.js';

/** @import { Theme } from '../../../lib/report/charts/scene-types.js' */

/** @typedef {{ draw: () => void, drop: () => void, redraw: () => void, fit: () => void }} View   fit: anew, where its width has changed */

/** @type {Record<string, number>} */
const SWATCH_PX = { bar: 18, line: 36, symbol: 14, text: 14 };
const ROW_PX = 20;
const NEAR_PX = 5_000; // a screenshot of the whole page does not scroll
const DENSITY = 2;

/** @param {any} item   in the colours of the theme @param {Theme} theme @returns {HTMLElement} */
function legendItem(item, theme) {
  const canvas = createCanvas(SWATCH_PX[item.swatch.kind] * DENSITY, ROW_PX * DENSITY);
  canvas.setAttribute('aria-hidden', 'true');
  const context = /** @type {any} */ (canvas.getContext('2d'));
  context.scale(DENSITY, DENSITY);
  const colours = COLOURS[theme];
  const surface = { background: colours.background, density: DENSITY, createCanvas };
  const fillOf = (/** @type {any} */ choice) => pixelFill(choice, surface);
  drawLegendItem(context, { ...item, text: '' }, { x: 1, y: ROW_PX / 2 }, { colours, fillOf });
  return element('li', {}, [canvas, ` ${item.text}`]);
}

/** @type {Map<Element, View>} by their frames */
const views = new Map();
let isForPaper = false;
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const view = views.get(target);
      if (isIntersecting) view?.draw();
      else if (!isForPaper) view?.drop();
    }
  },
  { rootMargin: `${NEAR_PX}px` },
);
const resizing = new ResizeObserver((entries) => {
  for (const { target } of entries) views.get(target)?.fit();
});

/** @param {HTMLElement} frame   a <figure> with a .drawn @param {any} figure   plain, in light colours */
export function showFigure(frame, figure) {
  const box = /** @type {HTMLElement} */ (frame.querySelector('.drawn'));
  const legend = element('ul', { class: 'legend' });
  for (const alt of box.querySelectorAll('.alt')) alt.classList.add('unseen');
  // What has no picture yet is about as high as it will be: else all that follow would be near.
  if (box.querySelector('svg') === null) box.style.minHeight = `${figure.panels.length * figure.panelPx}px`;
  let drawnPx = 0; // 0: it is not drawn
  let free = () => {};
  const view = {
    draw() {
      if (drawnPx > 0 || box.clientWidth === 0) return;
      drawnPx = box.clientWidth;
      const theme = drawnTheme();
      const title = frame.querySelector('h3')?.textContent ?? figure.title;
      const fitted = fitFigure({ ...recoloured(figure, theme), theme, title }, drawnPx);
      legend.replaceChildren(...fitted.legend.map((/** @type {any} */ item) => legendItem(item, theme)));
      if (fitted.legend.length > 0) box.before(legend);
      box.style.minHeight = box.style.height = '';
      free = drawPanels(box, fitted, drawnPx);
    },
    drop() {
      if (drawnPx === 0) return;
      // As high as before, so that nothing jumps.
      box.style.height = `${box.offsetHeight}px`;
      free();
      legend.remove();
      drawnPx = 0;
    },
    redraw() {
      if (drawnPx === 0) return;
      view.drop();
      view.draw();
    },
    fit() {
      if (box.clientWidth > 0 && box.clientWidth !== drawnPx) view.redraw();
    },
  };
  views.set(frame, view);
  observer.observe(frame);
  resizing.observe(frame);
}

/** @param {HTMLElement} place   whose figures are not shown any more */
export function forgetFigures(place) {
  for (const frame of place.querySelectorAll('figure')) {
    observer.unobserve(frame);
    resizing.unobserve(frame);
    views.get(frame)?.drop();
    views.delete(frame);
  }
}

export function redrawFigures() {
  for (const view of views.values()) view.redraw();
}

/** @param {boolean} isWanted   all that have no SVG, since paper has no scrolling; else those that come near */
export function drawForPaper(isWanted) {
  isForPaper = isWanted;
  if (!isWanted) return;
  for (const [frame, view] of views) if (frame.querySelector('svg') === null) view.draw();
}
