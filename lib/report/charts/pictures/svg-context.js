// Implements the part of a canvas context that charts use, and writes SVG. Text remains text, which the viewer draws with its own fonts at
// the measured width. Coordinates are converted to page coordinates immediately, so only rotated text needs a transform.

import { HATCH_PX, TILE_PX } from './fills.js';

/** @import { Ruler } from './text-ruler.js' */
/** @typedef {{ prefix: string, list: string[], ids: Map<string, string> }} Definitions   shared by all contexts of a file */
/** @typedef {Record<string, string | number | undefined>} Attributes */
/** @typedef {[a: number, b: number, c: number, d: number, e: number, f: number]} Matrix   as in setTransform() of a canvas */

const ANCHORS = /** @type {Record<string, string>} */ ({ center: 'middle', right: 'end', end: 'end' });
const MARKUP = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
});
// Characters that XML 1.0 forbids, even escaped: https://www.w3.org/TR/xml/#charsets
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** @param {string} text   untrusted @returns {string} safe in an element or in an attribute with double quotes */
export function escaped(text) {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"]/g, (character) => MARKUP[character]);
}

/** @param {number} value @returns {string} rounded to a hundredth of a pixel */
export const numberText = (value) => String(Math.round(value * 100) / 100 || 0);

/** @param {Attributes} values @returns {string} the defined attributes, with a space before each */
export function attributes(values) {
  const texts = Object.entries(values).map(([name, value]) => {
    if (value === undefined) return '';
    return ` ${name}="${typeof value === 'number' ? numberText(value) : escaped(value)}"`;
  });
  return texts.join('');
}

/** A tile that fills an area by repetition. Without the toStringTag of a CanvasPattern, Chart.js would treat it as a colour. */
export class SvgPattern {
  /** @param {string} body   elements of one tile */
  constructor(body) {
    this.body = body;
  }

  get [Symbol.toStringTag]() {
    return 'CanvasPattern';
  }

  /** @param {string} id */
  element(id) {
    const look = attributes({
      id,
      width: TILE_PX,
      height: TILE_PX,
      patternUnits: 'userSpaceOnUse',
      patternTransform: `scale(${HATCH_PX / TILE_PX})`,
    });
    return `<pattern${look}>${this.body}</pattern>`;
  }
}

/** @param {Matrix} outer @param {Matrix} inner   applied first @returns {Matrix} */
function multiply([a, b, c, d, e, f], [a2, b2, c2, d2, e2, f2]) {
  return [
    a * a2 + c * b2,
    b * a2 + d * b2,
    a * c2 + c * d2,
    b * c2 + d * d2,
    a * e2 + c * f2 + e,
    b * e2 + d * f2 + f,
  ];
}

export class SvgContext {
  // The state that save() stores.
  /** @type {Matrix} */
  matrix;
  clipId = '';
  /** @type {string | SvgPattern} */
  fillStyle = '#000000';
  /** @type {string | SvgPattern} */
  strokeStyle = '#000000';
  lineWidth = 1;
  lineCap = 'butt';
  lineJoin = 'miter';
  /** @type {number[]} */
  lineDash = [];
  lineDashOffset = 0;
  font = '10px sans-serif';
  textAlign = 'start';
  textBaseline = 'alphabetic';

  path = ''; // SVG path data
  /** @type {string[]} */
  elements = [];
  /** @type {Partial<SvgContext>[]} */
  #saved = [];
  /** @type {Matrix} */
  #origin;
  #ruler;
  #definitions;

  /**
   * @param {{ width: number, height: number }} canvas   Chart.js reads its size
   * @param {Ruler} ruler
   * @param {Definitions} definitions
   * @param {{ x: number, y: number }} [origin]   position on the page
   */
  constructor(canvas, ruler, definitions, { x, y } = { x: 0, y: 0 }) {
    this.canvas = canvas;
    this.#ruler = ruler;
    this.#definitions = definitions;
    this.#origin = [1, 0, 0, 1, x, y];
    this.matrix = this.#origin;
  }

  save() {
    const { canvas: _, path: __, elements: ___, ...look } = this;
    this.#saved.push(look);
  }

  restore() {
    Object.assign(this, this.#saved.pop());
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.matrix = multiply(this.matrix, [1, 0, 0, 1, x, y]);
  }

  /** @param {number} angle   radians */
  rotate(angle) {
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    this.matrix = multiply(this.matrix, [cosine, sine, -sine, cosine, 0, 0]);
  }

  /** @param {Matrix} matrix */
  setTransform(...matrix) {
    this.matrix = multiply(this.#origin, matrix);
  }

  resetTransform() {
    this.matrix = this.#origin;
  }

  beginPath() {
    this.path = '';
  }

  closePath() {
    this.path += 'Z';
  }

  /** @param {...number} numbers   x and y alternate @returns {string} coordinates on the page */
  #onPage(...numbers) {
    const [a, b, c, d, e, f] = this.matrix;
    const indexes = numbers.flatMap((x, at) => {
      const y = numbers[at + 1];
      return at % 2 === 0 ? [a * x + c * y + e, b * x + d * y + f] : [];
    });
    return indexes.map(numberText).join(' ');
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${this.#onPage(x, y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `${this.path === '' ? 'M' : 'L'}${this.#onPage(x, y)}`;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    const [right, bottom] = [x + width, y + height];
    this.path += `M${this.#onPage(x, y)}L${this.#onPage(right, y, right, bottom, x, bottom)}Z`;
  }

  /**
   * Draws two halves, since SVG omits an arc that ends at its start. The radius needs no conversion, since the matrices used here preserve
   * lengths.
   * @param {number} x @param {number} y @param {number} radius @param {number} start @param {number} end
   */
  arc(x, y, radius, start, end) {
    /** @param {number} angle */
    const at = (angle) => this.#onPage(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    const size = numberText(radius);
    /** @param {number} angle */
    const arcTo = (angle) => `A${size} ${size} 0 0 ${end > start ? 1 : 0} ${at(angle)}`;
    this.path += `${this.path === '' ? 'M' : 'L'}${at(start)}${arcTo((start + end) / 2)}${arcTo(end)}`;
  }

  clip() {
    const inner = `<path d="${this.path}"/>`;
    const outer = attributes(this.#clipped());
    this.clipId = this.#define(
      `${inner}${this.clipId}`,
      (id) => `<clipPath id="${id}"${outer}>${inner}</clipPath>`,
    );
  }

  /** @returns {Attributes} */
  #clipped() {
    return { 'clip-path': this.clipId === '' ? undefined : `url(#${this.clipId})` };
  }

  /** @param {string} key @param {(id: string) => string} element @returns {string} the id, always the same for a key */
  #define(key, element) {
    const { prefix, list, ids } = this.#definitions;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = `${prefix}-${ids.size + 1}`;
    ids.set(key, id);
    list.push(element(id));
    return id;
  }

  /** @param {string | SvgPattern} style */
  #paint(style) {
    if (typeof style === 'string') return style;
    return `url(#${this.#define(style.body, (id) => style.element(id))})`;
  }

  /** @returns {Attributes} */
  #strokes() {
    const isDashed = this.lineDash.length > 0;
    return {
      fill: 'none',
      stroke: this.#paint(this.strokeStyle),
      'stroke-width': this.lineWidth,
      'stroke-linecap': this.lineCap === 'butt' ? undefined : this.lineCap,
      'stroke-linejoin': this.lineJoin === 'miter' ? undefined : this.lineJoin,
      'stroke-dasharray': isDashed ? this.lineDash.join(' ') : undefined,
      'stroke-dashoffset': isDashed ? this.lineDashOffset || undefined : undefined,
    };
  }

  /** @param {Attributes} look */
  #addPath(look) {
    if (this.path === '') return;
    this.elements.push(`<path${attributes({ d: this.path, ...look, ...this.#clipped() })}/>`);
  }

  fill() {
    this.#addPath({ fill: this.#paint(this.fillStyle) });
  }

  stroke() {
    this.#addPath(this.#strokes());
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.beginPath();
    this.rect(x, y, width, height);
    this.fill();
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.beginPath();
    this.rect(x, y, width, height);
    this.stroke();
  }

  /** Does nothing, since a new page is empty. */
  clearRect() {}

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.lineDash = dash;
  }

  /** @param {string} text @returns {{ width: number }} */
  measureText(text) {
    this.#ruler.font = this.font;
    return this.#ruler.measureText(text);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.#addText(text, x, y, { fill: this.#paint(this.fillStyle) });
  }

  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    this.#addText(text, x, y, this.#strokes());
  }

  /** @param {string} text @param {number} x @param {number} y @param {Attributes} look */
  #addText(text, x, y, look) {
    if (text.trim() === '') return;
    const [, weight = '400', sizePx = '10'] = /(?:\b(\d{3})\s+)?([\d.]+)px/.exec(this.font) ?? [];
    const matrix = multiply(this.matrix, [1, 0, 0, 1, x, y + this.#dropPx()]);
    const isRotated = matrix[1] !== 0;
    const position = isRotated
      ? { transform: `matrix(${matrix.map(numberText).join(' ')})` }
      : { x: matrix[4], y: matrix[5] };
    const all = attributes({
      ...position,
      'font-size': Number(sizePx),
      'font-weight': weight === '400' ? undefined : weight,
      'text-anchor': ANCHORS[this.textAlign],
      textLength: this.measureText(text).width,
      lengthAdjust: 'spacingAndGlyphs',
      ...look,
      ...this.#clipped(),
    });
    // SVG collapses several spaces into one.
    this.elements.push(`<text${all}>${escaped(text.replace(/(?<= ) /g, '\u00a0'))}</text>`);
  }

  /** @returns {number} distance down to the alphabetic baseline, which is used because viewers differ in other baselines */
  #dropPx() {
    const ruler = this.#ruler;
    ruler.font = this.font;
    /** @param {string} baseline */
    const ascentOf = (baseline) => {
      ruler.textBaseline = baseline;
      return ruler.measureText('x').actualBoundingBoxAscent;
    };
    return ascentOf('alphabetic') - ascentOf(this.textBaseline);
  }
}
