// A Chart.js configuration → a picture of it, through chartjs-node-canvas.

import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { marksPlugin } from './marks.js';
import { whiskersPlugin } from './whiskers.js';

/** @import { Configuration } from './chart-axes.js' */

/** @type {Map<string, ChartJSNodeCanvas>} */
const canvases = new Map();

/** @param {number} width @param {number} height */
function canvasOf(width, height) {
  const key = `${width}x${height}`;
  const canvas =
    canvases.get(key) ??
    // One per size: each loads a chart.js of its own.
    new ChartJSNodeCanvas({ width, height });
  canvases.set(key, canvas);
  return canvas;
}

/** @typedef {{ density: number, background: string, fillOf: (choice: import('./fills.js').FillChoice) => string | object }} Style */

/** @param {Configuration} configuration @param {Style} style @returns {any} as Chart.js takes it */
export function chartOf({ type, data, options, marks }, { density, background, fillOf }) {
  const datasets = data.datasets.map(({ fills, ...dataset }) => {
    if (fills === undefined) return dataset;
    const styles = fills.map((/** @type {import('./fills.js').FillChoice | null} */ choice) =>
      choice === null ? background : fillOf(choice),
    );
    return { ...dataset, backgroundColor: styles };
  });
  return {
    type,
    data: { ...data, datasets },
    options: { ...options, devicePixelRatio: density },
    plugins: [whiskersPlugin, marksPlugin(marks)],
  };
}

/**
 * @param {Configuration} configuration
 * @param {{ width: number, height: number }} size   pixels of the layout
 * @param {Style} style
 * @returns {Buffer} a PNG with a transparent background
 */
export function drawPanel(configuration, { width, height }, style) {
  return canvasOf(width, height).renderToBufferSync(chartOf(configuration, style));
}
