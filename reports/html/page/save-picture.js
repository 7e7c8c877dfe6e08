/// <reference lib="dom" />
// The picture of --png, out of the page: painted by the same code, in the same places and at the same size, on the browser's canvas.

import { paintPicture } from '../../../lib/report/charts/render/paint.js';
import { pixelFill } from '../../../lib/report/charts/scene/pixel-fills.js';
import { COLOURS } from '../../../lib/report/charts/style/colours.js';
import { createCanvas } from './browser-canvas.js';
import { panelPicture } from './panels.js';
import { recoloured } from './recoloured.js';
import { saveFile } from './save-file.js';

/** @import { Picture } from '../../../lib/report/charts/render/pictures.js' */

/** @param {Picture} picture @returns {Promise<HTMLCanvasElement>} */
async function paintedPicture(picture) {
  const { figure, layout, zoom, scale } = picture;
  const density = zoom * scale;
  const { theme } = figure;
  const [width, height] = [figure.widthPx, layout.heightPx].map((px) => Math.round(px * density));
  const canvas = createCanvas(width, height);
  const context = /** @type {any} */ (canvas.getContext('2d'));
  context.scale(density, density);
  const fillOf = (/** @type {any} */ choice) => pixelFill(choice, COLOURS[theme].background, density);
  const paintPanel = (/** @type {any} */ configuration, /** @type {any} */ { x, y, ...box }) => {
    const panel = panelPicture(configuration, box, { theme, density });
    context.save();
    context.resetTransform(); // pixel on pixel: nothing gets soft
    context.drawImage(panel.canvas, Math.round(x * density), Math.round(y * density));
    context.restore();
    panel.free();
  };
  await paintPicture({ context, fillOf, paintPanel }, picture);
  return canvas;
}

/** @param {Picture} picture   in light colours @param {'light' | 'dark'} theme   of --theme */
export async function savePicture(picture, theme) {
  const figure = { ...recoloured(picture.figure, theme), theme };
  const canvas = await paintedPicture({ ...picture, figure, layout: recoloured(picture.layout, theme) });
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(blob, `${figure.name}.png`);
  }, 'image/png');
}
