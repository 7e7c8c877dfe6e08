// The fills of bars as canvas styles. Hatches are drawn on a tile of device pixels, so that they stay sharp at 2×.

import { createCanvas } from '@napi-rs/canvas';

/** @typedef {{ colour: string, fill: import('../palette.js').Fill }} FillChoice */

const TILE_PX = 12; // device pixels
const TINT_SHARE = 0.35; // of the colour: the outline carries the contrast

/** @type {Record<'diagonal' | 'horizontal' | 'dots' | 'cross', (context: any) => void>} */
const STROKES = {
  diagonal(context) {
    for (const shift of [-TILE_PX, 0, TILE_PX]) {
      context.moveTo(shift - 2, TILE_PX + 2);
      context.lineTo(shift + TILE_PX + 2, -2);
    }
    context.stroke();
  },
  horizontal(context) {
    context.moveTo(0, TILE_PX / 2);
    context.lineTo(TILE_PX, TILE_PX / 2);
    context.stroke();
  },
  dots(context) {
    context.arc(TILE_PX / 2, TILE_PX / 2, 3, 0, 2 * Math.PI);
    context.fill();
  },
  cross(context) {
    context.moveTo(0, TILE_PX / 2);
    context.lineTo(TILE_PX, TILE_PX / 2);
    context.moveTo(TILE_PX / 2, 0);
    context.lineTo(TILE_PX / 2, TILE_PX);
    context.stroke();
  },
};

/** @param {string} colour @param {string} background @returns {string} opaque: no grid line shows through */
function tintOf(colour, background) {
  const channels = [1, 3, 5].map((start) => {
    const [own, other] = [colour, background].map((text) =>
      Number.parseInt(text.slice(start, start + 2), 16),
    );
    return Math.round(own * TINT_SHARE + other * (1 - TINT_SHARE));
  });
  return `rgb(${channels.join(', ')})`;
}

/**
 * @param {FillChoice} choice
 * @param {string} background
 * @returns {string | object} a canvas fill style
 */
export function fillStyle({ colour, fill }, background) {
  if (fill === 'solid') return colour;
  if (fill === 'tint') return tintOf(colour, background);
  const tile = createCanvas(TILE_PX, TILE_PX);
  const context = tile.getContext('2d');
  context.fillStyle = background;
  context.fillRect(0, 0, TILE_PX, TILE_PX);
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 3;
  context.beginPath();
  STROKES[fill](context);
  const pattern = /** @type {any} */ (context.createPattern(tile, 'repeat'));
  pattern.setTransform({ a: 0.5, b: 0, c: 0, d: 0.5, e: 0, f: 0 });
  return pattern;
}
