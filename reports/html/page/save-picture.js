/// <reference lib="dom" />
// The picture of --png, out of the page: painted by the same code, in the same places and at the same size, on the browser's canvas.

import { paintOnCanvas } from '../../../lib/report/charts/render/paint.js';
import { recoloured } from '../../../lib/report/charts/style/colours.js';
import { chartOn, createCanvas } from './browser-canvas.js';
import { saveFile } from './document.js';

/** @import { Picture } from '../../../lib/report/charts/render/pictures.js' */

/** @param {Picture} picture   in light colours @param {'light' | 'dark'} theme   of --theme */
export function savePicture(picture, theme) {
  const figure = { ...recoloured(picture.figure, theme), theme };
  const layout = recoloured(picture.layout, theme);
  const drawPanel = (
    /** @type {any} */ chart,
    /** @type {any} */ { width, height },
    /** @type {any} */ take,
  ) => {
    const drawn = chartOn(createCanvas(width, height), chart);
    take(drawn.canvas);
    drawn.destroy();
  };
  const canvas = paintOnCanvas({ ...picture, figure, layout }, { createCanvas, drawPanel });
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(blob, `${figure.name}.png`);
  }, 'image/png');
}
