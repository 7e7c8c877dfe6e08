// A Chart.js configuration → a picture of it, through chartjs-node-canvas.

import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { fillStyle } from './fills.js';
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

/**
 * @param {Configuration} configuration
 * @param {{ width: number, height: number }} size   CSS pixels
 * @param {string} background
 * @returns {Buffer} a PNG with a transparent background
 */
export function drawPanel({ type, data, options, marks }, { width, height }, background) {
  const datasets = data.datasets.map(({ fills, ...dataset }) => {
    if (fills === undefined) return dataset;
    const styles = fills.map((/** @type {import('./fills.js').FillChoice | null} */ choice) =>
      choice === null ? background : fillStyle(choice, background),
    );
    return { ...dataset, backgroundColor: styles };
  });
  const configuration = {
    type,
    data: { ...data, datasets },
    options: { ...options },
    plugins: [whiskersPlugin, marksPlugin(marks)],
  };
  return canvasOf(width, height).renderToBufferSync(/** @type {any} */ (configuration));
}
