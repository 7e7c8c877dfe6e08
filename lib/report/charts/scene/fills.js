// The fills of bars as styles of a canvas.

/** @import { Hatch } from '../../../types/index.js' */
/** @import { FillChoice } from '../scene-types.js' */

export const TILE_PX = 12; // of the drawing of a hatch
export const HATCH_PX = 6; // of a layout, that a tile covers
const TINT_SHARE = 0.35; // of the colour: the outline carries the contrast

const MIDDLE_PX = TILE_PX / 2;
/** @typedef {[fromX: number, fromY: number, toX: number, toY: number]} Line */
/** @type {Line} */
const ACROSS = [0, MIDDLE_PX, TILE_PX, MIDDLE_PX];
/** @type {Line} */
const UPRIGHT = [MIDDLE_PX, 0, MIDDLE_PX, TILE_PX];
// Each corner that a neighbouring tile's line cuts belongs to this tile.
const SHIFTS_PX = [-TILE_PX, 0, TILE_PX];
/** @type {Line[]} */
const RISING = SHIFTS_PX.map((shift) => [shift - 2, TILE_PX + 2, shift + TILE_PX + 2, -2]);
/** @type {Line[]} */
const FALLING = SHIFTS_PX.map((shift) => [shift - 2, -2, shift + TILE_PX + 2, TILE_PX + 2]);
/** @type {Line[]} */
const BRICKS = [
  [0, 1, TILE_PX, 1],
  [0, 1 + MIDDLE_PX, TILE_PX, 1 + MIDDLE_PX],
  [1, 1, 1, 1 + MIDDLE_PX],
  [1 + MIDDLE_PX, 1 + MIDDLE_PX, 1 + MIDDLE_PX, TILE_PX],
];

/** @param {...Line} lines @returns {(context: any) => void} */
function strokes(...lines) {
  return (context) => {
    for (const [fromX, fromY, toX, toY] of lines) {
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
    }
    context.stroke();
  };
}

/** @type {Record<Hatch, (context: any) => void>} */
const HATCHES = {
  diagonal: strokes(...RISING),
  'counter-diagonal': strokes(...FALLING),
  lattice: strokes(...RISING, ...FALLING),
  horizontal: strokes(ACROSS),
  vertical: strokes(UPRIGHT),
  cross: strokes(ACROSS, UPRIGHT),
  bricks: strokes(...BRICKS),
  dots(context) {
    context.arc(MIDDLE_PX, MIDDLE_PX, 3, 0, 2 * Math.PI);
    context.fill();
  },
  checks(context) {
    context.fillRect(0, 0, MIDDLE_PX, MIDDLE_PX);
    context.fillRect(MIDDLE_PX, MIDDLE_PX, MIDDLE_PX, MIDDLE_PX);
  },
};

/** @param {string} colour @param {string} background @returns {string} '#rrggbb', opaque: no grid line shows through */
export function mixTint(colour, background) {
  const channels = [1, 3, 5].map((start) => {
    const [own, other] = [colour, background].map((text) =>
      Number.parseInt(text.slice(start, start + 2), 16),
    );
    return Math.round(own * TINT_SHARE + other * (1 - TINT_SHARE));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * @param {FillChoice} choice
 * @param {string} background
 * @param {(paintTile: (context: any) => void) => object} patternOf   a tile of TILE_PX, repeated each HATCH_PX
 * @returns {string | object} a fill style
 */
export function fillStyle({ colour, fill }, background, patternOf) {
  if (fill === 'solid') return colour;
  if (fill === 'empty') return background;
  if (fill === 'tint') return mixTint(colour, background);
  return patternOf((context) => {
    context.fillStyle = background;
    context.fillRect(0, 0, TILE_PX, TILE_PX);
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 3;
    context.beginPath();
    HATCHES[fill](context);
  });
}

/**
 * A tile of a hatch has whole pixels of the file, so that its lines stay sharp.
 * @param {FillChoice} choice
 * @param {object} surface
 * @param {string} surface.background
 * @param {number} surface.density   pixels of the file for one of the layout
 * @param {(width: number, height: number) => any} surface.createCanvas
 * @returns {string | object} a fill style of a canvas
 */
export function pixelFill(choice, { background, density, createCanvas }) {
  return fillStyle(choice, background, (paintTile) => {
    const tilePx = Math.max(1, Math.round(HATCH_PX * density));
    const tile = createCanvas(tilePx, tilePx);
    const context = tile.getContext('2d');
    context.scale(tilePx / TILE_PX, tilePx / TILE_PX);
    paintTile(context);
    const pattern = context.createPattern(tile, 'repeat');
    pattern.setTransform({ a: 1 / density, b: 0, c: 0, d: 1 / density, e: 0, f: 0 });
    return pattern;
  });
}
