/// <reference lib="dom" />
// The panels of a figure on canvases: drawn by Chart.js from the configurations of the pictures, read by pointer and by keys.

import { fillStyle } from '../../../lib/charts/fills.js';
import { marksPlugin } from '../../../lib/charts/marks.js';
import { livingScales } from '../../../lib/charts/plain-scales.js';
import { whiskersPlugin } from '../../../lib/charts/whiskers.js';
import { element } from './element.js';
import { hideTip, showTip } from './tip.js';

/** @typedef {import('../../../lib/charts/plain-figure.js').PlainPanel} PlainPanel */
/** @typedef {{ dataset: number, index: number, text: string }} Point */

const INNER_PX = 912; // of the pictures
const GAP_PX = 16;
const DENSITY = 2;

/** @param {PlainPanel['configuration']} configuration @param {string} background */
function chartOf({ type, data, options, marks }, background) {
  const datasets = data.datasets.map(({ fills, ...dataset }) => {
    if (fills === undefined) return dataset;
    const styles = fills.map((/** @type {any} */ choice) =>
      choice === null ? background : fillStyle(choice, background),
    );
    return { ...dataset, backgroundColor: styles };
  });
  return {
    type,
    data: { ...data, datasets },
    options: {
      ...options,
      scales: livingScales(options.scales),
      ...{ devicePixelRatio: DENSITY, responsive: false, animation: false },
    },
    plugins: [whiskersPlugin, marksPlugin(marks)],
  };
}

/** @param {any} chart @param {Point} point @returns {{ x: number, y: number }} where it is in the window */
function placeOf(chart, { dataset, index }) {
  const { x, y } = chart.getDatasetMeta(dataset).data[index];
  const { left, top, width } = chart.canvas.getBoundingClientRect();
  const scale = width / chart.width;
  return { x: left + x * scale, y: top + y * scale };
}

/** @param {any} chart @param {PlainPanel} panel */
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
    showTip(points[current].text, placeOf(chart, points[current]));
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
 * @param {{ title: string, panels: PlainPanel[], columns: number, labelPx: number, panelPx: number }} figure   in the colours of the theme
 * @param {string} background
 * @returns {() => void} frees what the browser holds for them
 */
export function drawPanels(place, { title, panels, columns, labelPx, panelPx }, background) {
  const widthPx = Math.floor((INNER_PX - labelPx - (columns - 1) * GAP_PX) / columns);
  const widths = Array.from({ length: columns }, (_, column) => (column === 0 ? widthPx + labelPx : widthPx));
  const grid = element('div', { class: 'panels' });
  grid.style.gridTemplateColumns = widths.map((width) => `${width}fr`).join(' ');
  place.append(grid);
  const charts = panels.map((panel, index) => {
    const label = `${panel.title === '' ? title : panel.title}. Arrow keys read its values.`;
    const canvas = element('canvas', { tabindex: '0', role: 'img', 'aria-label': label });
    Object.assign(canvas, { width: widths[index % columns], height: panelPx });
    grid.append(
      element(
        'div',
        {},
        panel.title === '' ? [canvas] : [element('p', { class: 'panel-title' }, [panel.title]), canvas],
      ),
    );
    const chart = new /** @type {any} */ (globalThis).Chart(canvas, chartOf(panel.configuration, background));
    canvas.removeAttribute('style'); // as wide as the page allows, and not as Chart.js says
    letRead(chart, panel);
    return chart;
  });
  return () => {
    for (const chart of charts) chart.destroy();
    grid.remove();
  };
}
