// The half of a canvas context that paints nothing yet: what is saved and restored, where things are, and paths. Places
// become those of the page at once, so that only turned text needs a transform.

import { arcData, placed, times, turned } from './svg-path.js';
import { numberText } from './svg-text.js';

/** @typedef {import('./svg-path.js').Matrix} Matrix */
/** @typedef {import('./svg-text.js').SvgPattern} SvgPattern */

/** What save() keeps. */
class Look {
  matrix = /** @type {Matrix} */ ([1, 0, 0, 1, 0, 0]);
  clipId = '';
  fillStyle = /** @type {string | SvgPattern} */ ('#000000');
  strokeStyle = /** @type {string | SvgPattern} */ ('#000000');
  lineWidth = 1;
  lineCap = 'butt';
  lineJoin = 'miter';
  lineDash = /** @type {number[]} */ ([]);
  lineDashOffset = 0;
  font = '10px sans-serif';
  textAlign = 'start';
  textBaseline = 'alphabetic';
}

export class SvgPen extends Look {
  /** @type {Look[]} */
  #saved = [];
  path = ''; // as SVG has it

  /** @param {{ x: number, y: number }} origin   on the page */
  constructor({ x, y }) {
    super();
    /** @type {Matrix} */
    this.origin = [1, 0, 0, 1, x, y];
    this.matrix = this.origin;
  }

  save() {
    const look = new Look();
    const names = /** @type {(keyof Look)[]} */ (Object.keys(look));
    this.#saved.push(Object.assign(look, Object.fromEntries(names.map((name) => [name, this[name]]))));
  }

  restore() {
    Object.assign(this, this.#saved.pop());
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.matrix = times(this.matrix, [1, 0, 0, 1, x, y]);
  }

  /** @param {number} angle */
  rotate(angle) {
    this.matrix = times(this.matrix, turned(angle));
  }

  /** @param {Matrix} matrix */
  setTransform(...matrix) {
    this.matrix = times(this.origin, matrix);
  }

  resetTransform() {
    this.matrix = this.origin;
  }

  beginPath() {
    this.path = '';
  }

  closePath() {
    this.path += 'Z';
  }

  /** @param {string} command @param {...number} numbers   x and y in turn */
  #add(command, ...numbers) {
    const places = numbers.flatMap((x, at) => (at % 2 === 0 ? placed(this.matrix, x, numbers[at + 1]) : []));
    this.path += `${command}${places.map(numberText).join(' ')}`;
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#add('M', x, y);
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.#add(this.path === '' ? 'M' : 'L', x, y);
  }

  /** @param {...number} numbers */
  bezierCurveTo(...numbers) {
    this.#add('C', ...numbers);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.#add('M', x, y);
    this.#add('L', x + width, y, x + width, y + height, x, y + height);
    this.closePath();
  }

  /** @param {number} x @param {number} y @param {number} radius @param {number} start @param {number} end */
  arc(x, y, radius, start, end) {
    this.path += arcData({ x, y, radius, start, end }, this.matrix, this.path !== '');
  }
}
