// Draws a picture as a PNG, with panels drawn by chartjs-node-canvas. The PNG has a palette of 64 colours, since the true-colour files of
// the canvas library look the same and are 2.7 times as large. See https://www.w3.org/TR/png-3/.

import { crc32, deflateSync } from 'node:zlib';
import { ChartJSNodeCanvas } from 'chartjs-node-canvas';
import { COLOURS, PART_COLOURS } from '../style/colours.js';
import { toChartConfiguration } from './chart-configuration.js';
import { mixTint, pixelFill } from './fills.js';
import { paintPicture } from './picture.js';
import { loadCanvas } from './text-ruler.js';

/** @import { Box, FillChoice, Panel, Picture, Theme } from '../chart-types.js' */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 64;
const LEVEL = 7; // level 9 takes twice as long to save a twentieth of the size

/** @param {string} type @param {Buffer} body */
function chunk(type, body) {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const bytes = Buffer.alloc(content.length + 8);
  bytes.writeUInt32BE(body.length);
  content.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(content), content.length + 4);
  return bytes;
}

/** @param {number} left @param {number} right   0xAABBGGRR @returns {number} squared distance of the two colours */
function distance(left, right) {
  let sum = 0;
  for (const shift of [0, 8, 16, 24]) sum += (((left >>> shift) & 255) - ((right >>> shift) & 255)) ** 2;
  return sum;
}

/** @param {string} hex   '#rrggbb' @returns {number} 0xAABBGGRR, opaque */
const pixelOf = (hex) => Buffer.from(`${hex.slice(1)}ff`, 'hex').readUInt32LE();

/**
 * Makes a palette of the flat colours and the most frequent others. The remaining colours, which are soft edges, get the nearest entry.
 * @param {Uint32Array} pixels
 * @param {string[]} flat   '#rrggbb', kept because a short bar has fewer pixels than a soft edge
 * @returns {{ palette: number[], indexOf: Map<number, number> }}
 */
function makePalette(pixels, flat) {
  /** @type {Map<number, number>} */
  const counts = new Map(flat.map((hex) => [pixelOf(hex), 0]));
  // Most pixels equal the previous one, so runs are counted at once.
  for (let from = 0, at = 1; at <= pixels.length; at += 1) {
    if (at < pixels.length && pixels[at] === pixels[from]) continue;
    counts.set(pixels[from], (counts.get(pixels[from]) ?? 0) + at - from);
    from = at;
  }
  for (const hex of flat) if ((counts.get(pixelOf(hex)) ?? 0) > 0) counts.set(pixelOf(hex), Infinity);
  // The value breaks ties, so that the same pixels always give the same bytes.
  const sorted = [...counts]
    .filter(([, count]) => count > 0)
    .sort(([left, leftCount], [right, rightCount]) =>
      leftCount === rightCount ? left - right : rightCount - leftCount,
    )
    .map(([colour]) => colour);
  const palette = sorted.slice(0, MAX_COLOURS);
  /** @param {number} colour */
  const nearest = (colour) =>
    palette.reduce(
      (best, other, index) => (distance(colour, other) < distance(colour, palette[best]) ? index : best),
      0,
    );
  const indexOf = new Map(
    sorted.map((colour, index) => [colour, index < MAX_COLOURS ? index : nearest(colour)]),
  );
  return { palette, indexOf };
}

/**
 * @param {Uint8ClampedArray} rgba   4 bytes per pixel
 * @param {{ width: number, height: number }} size
 * @param {string[]} flat   '#rrggbb', fewer than MAX_COLOURS: colours that stay exact however rare they are
 * @returns {Uint8Array}
 */
export function encodePng(rgba, { width, height }, flat) {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
  const { palette, indexOf } = makePalette(pixels, flat);
  const rows = Buffer.alloc(height * (width + 1)); // each row begins with its filter type, 0 for none
  for (let at = 0, index = 0; at < pixels.length; at += 1) {
    if (pixels[at] !== pixels[at - 1]) index = indexOf.get(pixels[at]) ?? 0;
    rows[at + Math.floor(at / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // 8 bits, palette
  const colours = palette.flatMap((colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours)),
    chunk('tRNS', Buffer.from(palette.map((colour) => colour >>> 24))),
    chunk('IDAT', deflateSync(rows, { level: LEVEL, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A single instance draws all sizes, since each instance would load another copy of chart.js. */
class PanelCanvas extends ChartJSNodeCanvas {
  /**
   * @param {any} chart
   * @param {{ width: number, height: number }} size   pixels of the layout
   * @param {(canvas: any) => void} take   receives a canvas that is cleared afterwards
   */
  draw(chart, { width, height }, take) {
    Object.assign(this, { _width: width, _height: height });
    // The public methods encode a picture, which would have to be decoded again.
    const drawn = /** @type {any} */ (this).renderChart(chart);
    take(drawn.canvas);
    drawn.destroy();
  }
}

/** @type {PanelCanvas | undefined} */
let panelCanvas;

/** @param {Theme} theme @returns {string[]} colours of background, texts, grid, bars, tints and parts */
function flatColours(theme) {
  const { hues, ...others } = COLOURS[theme];
  const fills = Object.values(hues).flatMap((hue) => [hue, mixTint(hue, others.background)]);
  return [...Object.values(others), ...fills, ...Object.values(PART_COLOURS)];
}

/** @param {Picture} picture @returns {Uint8Array} the same bytes each time */
export function drawPicture(picture) {
  const canvas = loadCanvas();
  const { figure, theme, heightPx, zoom, scale } = picture;
  const density = zoom * scale;
  const { background } = COLOURS[theme];
  const [width, height] = [figure.widthPx, heightPx].map((px) => Math.round(px * density));
  const context = canvas.createCanvas(width, height).getContext('2d');
  /** @param {FillChoice} choice */
  const fillOf = (choice) => pixelFill(choice, { background, density, canvas });
  context.scale(density, density);
  /** @param {Panel} panel @param {Box} box */
  const paintPanel = (panel, { x, y, ...size }) => {
    panelCanvas ??= new PanelCanvas(size);
    const chart = toChartConfiguration(panel, { density, background, fillOf });
    panelCanvas.draw(chart, size, (drawn) => {
      context.save();
      context.resetTransform(); // copies pixels one to one, so that edges stay sharp
      context.drawImage(drawn, Math.round(x * density), Math.round(y * density));
      context.restore();
    });
  };
  paintPicture(picture, { context, fillOf, paintPanel });
  const { data } = context.getImageData(0, 0, width, height);
  return encodePng(data, { width, height }, flatColours(theme));
}
