// The fills of bars: a colour, a tint of it, or a hatch, which is a tile in the notation of SVG paths.

/** @import { Hatch } from '../../../types/index.js' */
/** @import { FillChoice } from '../chart-types.js' */

/** @typedef {{ path: string, isFilled: boolean }} HatchPath   isFilled: false if the path is stroked, STROKE_PX wide */

export const TILE_PX = 12; // size of a tile in the coordinates of its path
export const HATCH_PX = 6; // size of a tile in a layout
export const STROKE_PX = 3;
const TINT_SHARE = 0.35; // share of the colour; the outline provides the contrast

// The lines of neighbouring tiles also cross the corners of this tile.
const RISING = 'M-14 14L2 -2M-2 14L14 -2M10 14L26 -2';
const FALLING = 'M-14 -2L2 14M-2 -2L14 14M10 -2L26 14';
const ACROSS = 'M0 6L12 6';
const UPRIGHT = 'M6 0L6 12';
/** @type {Readonly<Record<Hatch, string>>} */
const HATCHES = Object.freeze({
  diagonal: RISING,
  'counter-diagonal': FALLING,
  lattice: RISING + FALLING,
  horizontal: ACROSS,
  vertical: UPRIGHT,
  cross: ACROSS + UPRIGHT,
  bricks: 'M0 1L12 1M0 7L12 7M1 1L1 7M7 7L7 12',
  dots: 'M9 6A3 3 0 0 1 3 6A3 3 0 0 1 9 6Z',
  checks: 'M0 0L6 0 6 6 0 6ZM6 6L12 6 12 12 6 12Z',
});

/** @param {string} colour @param {string} background @returns {string} '#rrggbb', opaque, so that no grid line shows through */
export function mixTint(colour, background) {
  const channels = [1, 3, 5].map((start) => {
    const [ink, paper] = [colour, background].map((text) =>
      Number.parseInt(text.slice(start, start + 2), 16),
    );
    return Math.round(ink * TINT_SHARE + paper * (1 - TINT_SHARE));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * @param {FillChoice} choice
 * @param {string} background
 * @param {(hatch: HatchPath) => object} patternOf
 * @returns {string | object}
 */
export function fillStyle({ colour, fill }, background, patternOf) {
  if (fill === 'solid') return colour;
  if (fill === 'empty') return background;
  if (fill === 'tint') return mixTint(colour, background);
  return patternOf({ path: HATCHES[fill], isFilled: fill === 'dots' || fill === 'checks' });
}

/**
 * The side of a tile of a hatch is a whole number of pixels of the file, so that its lines stay sharp.
 * @param {FillChoice} choice
 * @param {{ background: string, density: number, canvas: typeof import('@napi-rs/canvas') }} surface   density: file pixels per pixel
 *   of the layout
 * @returns {string | object}
 */
export function pixelFill(choice, { background, density, canvas: { createCanvas, Path2D } }) {
  return fillStyle(choice, background, ({ path, isFilled }) => {
    const tilePx = Math.max(1, Math.round(HATCH_PX * density));
    const tile = createCanvas(tilePx, tilePx);
    const context = tile.getContext('2d');
    context.scale(tilePx / TILE_PX, tilePx / TILE_PX);
    context.fillStyle = background;
    context.fillRect(0, 0, TILE_PX, TILE_PX);
    Object.assign(context, { fillStyle: choice.colour, strokeStyle: choice.colour, lineWidth: STROKE_PX });
    if (isFilled) context.fill(new Path2D(path));
    else context.stroke(new Path2D(path));
    const pattern = context.createPattern(tile, 'repeat');
    pattern.setTransform({ a: 1 / density, b: 0, c: 0, d: 1 / density, e: 0, f: 0 });
    return pattern;
  });
}
