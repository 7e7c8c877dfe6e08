// Places on the page: a matrix as canvases have it, and arcs as SVG has them.

import { numberText } from './svg-text.js';

/** @typedef {[a: number, b: number, c: number, d: number, e: number, f: number]} Matrix */

/** @param {Matrix} left @param {Matrix} right @returns {Matrix} */
export function times([a, b, c, d, e, f], [a2, b2, c2, d2, e2, f2]) {
  const [x, y] = placed([a, b, c, d, e, f], e2, f2);
  return [a * a2 + c * b2, b * a2 + d * b2, a * c2 + c * d2, b * c2 + d * d2, x, y];
}

/** @param {number} angle @returns {Matrix} */
export function turned(angle) {
  return [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0];
}

/** @param {Matrix} matrix @param {number} x @param {number} y @returns {[x: number, y: number]} */
export function placed([a, b, c, d, e, f], x, y) {
  return [a * x + c * y + e, b * x + d * y + f];
}

/**
 * A whole circle is two halves: an arc of SVG that ends where it starts is none.
 * @param {{ x: number, y: number, radius: number, start: number, end: number }} arc   of a matrix that keeps lengths
 * @param {Matrix} matrix
 * @param {boolean} isContinued   a line leads to its start
 * @returns {string}
 */
export function arcData({ x, y, radius, start, end }, matrix, isContinued) {
  const middle = (start + end) / 2;
  const at = (/** @type {number} */ angle) =>
    placed(matrix, x + radius * Math.cos(angle), y + radius * Math.sin(angle))
      .map(numberText)
      .join(' ');
  const size = numberText(radius);
  const sweep = end > start ? 1 : 0;
  const arcTo = (/** @type {number} */ angle) => `A${size} ${size} 0 0 ${sweep} ${at(angle)}`;
  return `${isContinued ? 'L' : 'M'}${at(start)}${arcTo(middle)}${arcTo(end)}`;
}
