// A picture → a PNG.
//
// Pixels → a small PNG. The canvas writes true colour at a low compression; charts have few colours, so that a palette
// of 256 or less makes files of a quarter of the size that look the same. See https://www.w3.org/TR/png-3/.

import { crc32, deflateSync } from 'node:zlib';
import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { toChartConfiguration } from '../scene/chart-configuration.js';
import { mixTint, pixelFill } from '../scene/fills.js';
import { COLOURS } from '../style/colours.js';
import { paintPicture } from './paint.js';
import { loadCanvas } from './text-ruler.js';

/** @import { Box } from './paint.js' */
/** @import { Picture } from './pictures.js' */
/** @import { Configuration, FillChoice, Theme } from '../scene-types.js' */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_BYTES = 300_000;
// The highest level of compression takes eight times as long for a twentieth of the size: it is tried where that decides. The
// soft edges of letters look well with few colours, and of many rows they are most of the file.
const ATTEMPTS = [7, 9].map((level) => ({ most: 256, level }));
ATTEMPTS.push(...[48, 36, 32, 24].map((most) => ({ most, level: 9 })));

/** @param {string} type @param {Buffer} body */
function chunk(type, body) {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}

/** @param {number} left @param {number} right   0xAABBGGRR @returns {number} squared distance */
function distance(left, right) {
  const red = (left & 255) - (right & 255);
  const green = ((left >> 8) & 255) - ((right >> 8) & 255);
  const blue = ((left >> 16) & 255) - ((right >> 16) & 255);
  const alpha = (left >>> 24) - (right >>> 24);
  return red * red + green * green + blue * blue + alpha * alpha;
}

/** @param {string} hex   '#rrggbb' @returns {number} 0xAABBGGRR, opaque */
const pixelOf = (hex) => Buffer.from(`${hex.slice(1)}ff`, 'hex').readUInt32LE();

/** @param {Uint32Array} pixels @param {string[]} kept @returns every colour once: what means something, then the most frequent */
function coloursByWeight(pixels, kept) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  // Most pixels are like the one before.
  for (let from = 0, at = 1; at <= pixels.length; at += 1) {
    if (at < pixels.length && pixels[at] === pixels[from]) continue;
    counts.set(pixels[from], (counts.get(pixels[from]) ?? 0) + at - from);
    from = at;
  }
  const own = new Set(kept.map(pixelOf)); // a short bar has fewer pixels than any soft edge
  // The value breaks ties, so that the same pixels always give the same bytes.
  const sorted = [...counts].sort(
    ([left, leftCount], [right, rightCount]) =>
      Number(own.has(right)) - Number(own.has(left)) || rightCount - leftCount || left - right,
  );
  return sorted.map(([colour]) => colour);
}

/**
 * @param {number[]} sorted
 * @param {number} most
 * @returns {{ colours: number[], indexOf: Map<number, number> }} the first ones keep themselves; the others, which are the
 *   soft edges of letters and lines, take the nearest of them
 */
function makePalette(sorted, most) {
  const colours = sorted.slice(0, most);
  const indexOf = new Map(colours.map((colour, index) => [colour, index]));
  for (const colour of sorted.slice(most)) {
    let nearest = 0;
    for (let index = 1; index < colours.length; index += 1) {
      if (distance(colour, colours[index]) < distance(colour, colours[nearest])) nearest = index;
    }
    indexOf.set(colour, nearest);
  }
  return { colours, indexOf };
}

/**
 * @param {Uint32Array} pixels
 * @param {{ width: number, height: number }} size
 * @param {ReturnType<typeof makePalette>} palette
 * @param {number} level   of compression
 * @returns {Uint8Array}
 */
function encoded(pixels, { width, height }, { colours, indexOf }, level) {
  const rows = Buffer.alloc(height * (width + 1)); // each row begins with its filter: 0, none
  let last = pixels[0];
  let index = indexOf.get(last) ?? 0;
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const pixel = pixels[row * width + column];
      if (pixel !== last) {
        last = pixel;
        index = indexOf.get(pixel) ?? 0;
      }
      rows[row * (width + 1) + 1 + column] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  const palette = Buffer.from(
    colours.flatMap((colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]),
  );
  const isOpaque = colours.every((colour) => colour >>> 24 === 255);
  const alphas = isOpaque ? [] : [chunk('tRNS', Buffer.from(colours.map((colour) => colour >>> 24)))];
  const body = deflateSync(rows, { level, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    ...alphas,
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {Uint8ClampedArray} rgba   4 bytes per pixel
 * @param {{ width: number, height: number }} size
 * @param {string[]} kept   '#rrggbb', at most 24: flat colours, which stay exact however rare they are
 * @returns {Uint8Array} below 300 KB if fewer colours can do that
 */
export function encodePng(rgba, size, kept) {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, size.width * size.height);
  const sorted = coloursByWeight(pixels, kept);
  /** @type {Uint8Array} */
  let png = new Uint8Array();
  for (const { most, level } of ATTEMPTS) {
    png = encoded(pixels, size, makePalette(sorted, most), level);
    if (png.length < MOST_BYTES) break;
  }
  return png;
}

// A picture in pixels → a PNG, with its panels through chartjs-node-canvas.

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
  const { figure, layout, zoom, scale } = picture;
  const density = zoom * scale;
  const { background } = COLOURS[figure.theme];
  const [width, height] = [figure.widthPx, layout.heightPx].map((px) => Math.round(px * density));
  const context = createCanvas(width, height).getContext('2d');
  const fillOf = (/** @type {FillChoice} */ choice) =>
    pixelFill(choice, { background, density, createCanvas });
  context.scale(density, density);
  const paintPanel = (/** @type {Configuration} */ configuration, /** @type {Box} */ { x, y, ...size }) => {
    panelCanvas ??= new PanelCanvas(size);
    const chart = toChartConfiguration(configuration, { density, background, fillOf });
    panelCanvas.draw(chart, size, (panel) => {
      context.save();
      context.resetTransform(); // pixel on pixel: nothing gets soft
      context.drawImage(panel, Math.round(x * density), Math.round(y * density));
      context.restore();
    });
  };
  paintPicture({ context, fillOf, paintPanel }, picture);
  const { data } = context.getImageData(0, 0, width, height);
  return encodePng(data, { width, height }, flatColours(figure.theme));
}
