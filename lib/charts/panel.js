// A Chart.js configuration → a picture of it, through chartjs-node-canvas.

import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { chartOf } from './chart-of.js';

/** @import { Configuration } from './chart-axes.js' */
/** @import { Style } from './chart-of.js' */

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
 * @param {{ width: number, height: number }} size   pixels of the layout
 * @param {Style} style
 * @returns {Buffer} a PNG with a transparent background
 */
export function drawPanel(configuration, { width, height }, style) {
  return canvasOf(width, height).renderToBufferSync(chartOf(configuration, style));
}
