// A Chart.js configuration → a canvas with it, through chartjs-node-canvas.

import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { toChartConfiguration } from './chart-configuration.js';

/** @import { Canvas } from '@napi-rs/canvas' */
/** @import { Configuration } from './chart-axes.js' */
/** @import { Style } from './chart-configuration.js' */

/** One for all sizes: each further instance would load a chart.js of its own. */
class PanelCanvas extends ChartJSNodeCanvas {
  /**
   * @param {any} chart
   * @param {{ width: number, height: number }} size
   * @param {(canvas: Canvas) => void} take   it, before it is cleared
   */
  draw(chart, { width, height }, take) {
    Object.assign(this, { _width: width, _height: height });
    // What it offers beside this encodes a picture, which would have to be decoded to be painted.
    const drawn = /** @type {any} */ (this).renderChart(chart);
    take(drawn.canvas);
    drawn.destroy();
  }
}

/** @type {PanelCanvas | undefined} */
let panelCanvas;

/**
 * @param {Configuration} configuration
 * @param {{ width: number, height: number }} size   pixels of the layout
 * @param {Style} style
 * @param {(canvas: Canvas) => void} take   its picture on a transparent background, which is gone afterwards
 */
export function drawPanel(configuration, size, style, take) {
  panelCanvas ??= new PanelCanvas(size);
  panelCanvas.draw(toChartConfiguration(configuration, style), size, take);
}
