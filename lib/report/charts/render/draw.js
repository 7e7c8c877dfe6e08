// A picture in pixels → a PNG.

import { createCanvas } from '@napi-rs/canvas';
import { mixTint } from '../scene/fills.js';
import { drawPanel } from '../scene/panel.js';
import { pixelFill } from '../scene/pixel-fills.js';
import { COLOURS } from '../style/palette.js';
import { paintPicture } from './paint.js';
import { makePicture } from './pictures.js';
import { encodePng } from './png.js';

/** @import { Figure } from '../figures/figure.js' */
/** @import { FillChoice } from '../scene/fills.js' */
/** @import { Picture } from './pictures.js' */

/** @param {import('../style/palette.js').Theme} theme @returns {string[]} of words, bars and their tints */
function flatColours(theme) {
  const { background, ink, mutedInk, grid, hues } = COLOURS[theme];
  const fills = Object.values(hues).flatMap((hue) => [hue, mixTint(hue, background)]);
  return [background, ink, mutedInk, grid, ...fills];
}

/** @param {Picture} picture @returns {Promise<Uint8Array>} a PNG; the same picture always gives the same bytes */
export async function drawPicture(picture) {
  const { figure, layout, zoom, scale } = picture;
  const density = zoom * scale;
  const { background } = COLOURS[figure.theme];
  const [width, height] = [figure.widthPx, layout.heightPx].map((px) => Math.round(px * density));
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const fillOf = (/** @type {FillChoice} */ choice) => pixelFill(choice, background, density);
  context.scale(density, density);
  await paintPicture(
    {
      context,
      fillOf,
      paintPanel(configuration, { x, y, ...box }) {
        drawPanel(configuration, box, { density, fillOf, background }, (panel) => {
          context.save();
          context.resetTransform(); // pixel on pixel: nothing gets soft
          context.drawImage(panel, Math.round(x * density), Math.round(y * density));
          context.restore();
        });
      },
    },
    picture,
  );
  const { data } = context.getImageData(0, 0, width, height);
  return encodePng(data, { width, height }, flatColours(figure.theme));
}

/** @param {Figure} figure @returns {Promise<Uint8Array>} as it is drawn where nobody asks for anything else */
export function drawFigure(figure) {
  return drawPicture(makePicture(figure));
}
