/// <reference lib="dom" />
// The panels of a figure on canvases: drawn by Chart.js from the configurations of the pictures, read by pointer and by keys.

import { toChartConfiguration } from '../../../lib/report/charts/scene/chart-configuration.js';
import { pixelFill } from '../../../lib/report/charts/scene/fills.js';
import { COLUMN_GAP_PX, panelWidthPx } from '../../../lib/report/charts/scene/layout.js';
import { COLOURS } from '../../../lib/report/charts/style/colours.js';
import { chartOn, createCanvas } from './browser-canvas.js';
import { byId, element } from './document.js';

/** @import { ReadablePanel } from '../page-pictures.js' */
/** @import { Figure } from '../../../lib/report/charts/scene-types.js' */
/** @typedef {{ dataset: number, index: number, text: string }} Point */

const DENSITY = 2;
const AWAY_PX = 14; // of a tip from its point

/** @param {string} text   the value at a point, told to screen readers as well @param {{ x: number, y: number }} at   in the window */
export function showTip(text, { x, y }) {
  const tip = byId('tip');
  tip.hidden = false;
  if (tip.textContent !== text) tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(x + AWAY_PX, document.documentElement.clientWidth - width - 4);
  const below = y + AWAY_PX + height < innerHeight;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${below ? y + AWAY_PX : Math.max(4, y - AWAY_PX - height)}px`;
}

export function hideTip() {
  byId('tip').hidden = true;
}

/** @param {any} chart @param {Point} point @returns {{ x: number, y: number }} where it is in the window */
function locatePoint(chart, { dataset, index }) {
  const { x, y } = chart.getDatasetMeta(dataset).data[index];
  const { left, top, width } = chart.canvas.getBoundingClientRect();
  const scale = width / chart.width;
  return { x: left + x * scale, y: top + y * scale };
}

/** @param {any} chart @param {ReadablePanel} panel */
function letRead(chart, { said, configuration }) {
  const { canvas } = chart;
  const axis = configuration.data.labels === undefined ? 'xy' : (configuration.options.indexAxis ?? 'x');
  const points = said.flatMap((texts, dataset) =>
    texts.flatMap((text, index) => (text === null ? [] : [{ dataset, index, text }])),
  );
  if (configuration.data.labels !== undefined) points.sort((one, other) => one.index - other.index);
  let current = -1;
  canvas.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => {
    const found = chart.getElementsAtEventForMode(event, 'nearest', { intersect: false, axis }, false);
    const text = found
      .map((/** @type {any} */ { datasetIndex, index }) => said[datasetIndex][index])
      .find(Boolean);
    if (text === undefined) hideTip();
    else showTip(text, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('blur', hideTip);
  const tell = (/** @type {number} */ next) => {
    if (points.length === 0) return;
    current = (next + points.length) % points.length;
    showTip(points[current].text, locatePoint(chart, points[current]));
  };
  canvas.addEventListener('focus', () => tell(Math.max(0, current)));
  canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') hideTip();
    if (step === undefined) return;
    event.preventDefault();
    tell(current + step);
  });
}

/**
 * @param {HTMLElement} place   that they fill
 * @param {Omit<Figure, 'panels'> & { panels: ReadablePanel[] }} figure  in the colours of its theme
 * @param {number} placePx
 * @returns {() => void} frees what the browser holds for them
 */
export function drawPanels(place, { title, panels, columns, labelPx, panelPx, theme }, placePx) {
  const widthPx = panelWidthPx(columns, labelPx, placePx);
  const widths = Array.from({ length: columns }, (_, column) => (column === 0 ? widthPx + labelPx : widthPx));
  const grid = element('div', { class: 'panels' });
  grid.style.gridTemplateColumns = widths.map((width) => `${width}fr`).join(' ');
  grid.style.columnGap = `${COLUMN_GAP_PX}px`;
  place.append(grid);
  const { background } = COLOURS[theme];
  const fillOf = (/** @type {any} */ choice) =>
    pixelFill(choice, { background, density: DENSITY, createCanvas });
  const charts = panels.map((panel, index) => {
    const canvas = createCanvas(widths[index % columns], panelPx);
    const label = `${panel.title === '' ? title : panel.title}. Arrow keys read its values.`;
    for (const [name, value] of Object.entries({ tabindex: '0', role: 'img', 'aria-label': label }))
      canvas.setAttribute(name, value);
    const head = panel.title === '' ? [] : [element('p', { class: 'panel-title' }, [panel.title])];
    grid.append(element('div', {}, [...head, canvas]));
    const chart = chartOn(
      canvas,
      toChartConfiguration(panel.configuration, { density: DENSITY, background, fillOf }),
    );
    canvas.removeAttribute('style'); // as wide as the page allows, and not as Chart.js says
    letRead(chart, panel);
    return chart;
  });
  return () => {
    for (const chart of charts) chart.destroy();
    grid.remove();
  };
}
