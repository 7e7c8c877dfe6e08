// A picture in pixels → a PNG, with its panels through chartjs-node-canvas.

import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { mixTint } from '../scene/fills.js';
import { COLOURS } from '../style/colours.js';
import { paintOnCanvas } from './paint.js';
import { makePicture } from './pictures.js';
import { encodePng } from './png.js';
import { loadCanvas } from './text-ruler.js';

/** @import { Picture } from './pictures.js' */
/** @import { Figure, Theme } from '../scene-types.js' */

/** One for all sizes: each further instance would load a chart.js of its own. */
class PanelCanvas extends ChartJSNodeCanvas {
  /**
   * @param {any} chart
   * @param {{ width: number, height: number }} size   pixels of the layout
   * @param {(canvas: any) => void} take   its picture on a transparent background, which is cleared afterwards
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

/** @param {Theme} theme @returns {string[]} of words, bars and their tints */
function flatColours(theme) {
  const { hues, ...others } = COLOURS[theme];
  const fills = Object.values(hues).flatMap((hue) => [hue, mixTint(hue, others.background)]);
  return [...Object.values(others), ...fills];
}

/** @param {Picture} picture @returns {Promise<Uint8Array>} a PNG; the same picture always gives the same bytes */
export async function drawPicture(picture) {
  const { createCanvas } = loadCanvas();
  const canvas = paintOnCanvas(picture, {
    createCanvas: (width, height) => createCanvas(width, height),
    drawPanel(chart, size, take) {
      panelCanvas ??= new PanelCanvas(size);
      panelCanvas.draw(chart, size, take);
    },
  });
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  return encodePng(data, { width, height }, flatColours(picture.figure.theme));
}

/** @param {Figure} figure @returns {Promise<Uint8Array>} as it is drawn where nobody asks for anything else */
export const drawFigure = (figure) => drawPicture(makePicture(figure));
