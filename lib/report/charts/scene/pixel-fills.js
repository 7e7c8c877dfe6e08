// The fills of bars in pixels. A tile of a hatch has whole pixels of the file, so that its lines stay sharp.

import { createCanvas } from '@napi-rs/canvas';
import { fillStyle, HATCH_PX, TILE_PX } from './fills.js';

/**
 * @param {import('./fills.js').FillChoice} choice
 * @param {string} background
 * @param {number} density   pixels of the file for one of the layout
 * @returns {string | object} a fill style of a canvas
 */
export function pixelFill(choice, background, density) {
  return fillStyle(choice, background, (paintTile) => {
    const tilePx = Math.max(1, Math.round(HATCH_PX * density));
    const tile = createCanvas(tilePx, tilePx);
    const context = tile.getContext('2d');
    context.scale(tilePx / TILE_PX, tilePx / TILE_PX);
    paintTile(context);
    const pattern = /** @type {any} */ (context.createPattern(tile, 'repeat'));
    pattern.setTransform({ a: 1 / density, b: 0, c: 0, d: 1 / density, e: 0, f: 0 });
    return pattern;
  });
}
