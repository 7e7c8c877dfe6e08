// The part of a canvas context that charts use, as SVG. Text stays text: in the font that a reader has, in the room that
// it has here. Places become those of the page at once, so that only turned text needs a transform.

/** @import { Ruler } from './text-ruler.js' */
/** @typedef {{ prefix: string, list: string[], ids: Map<string, string> }} Definitions   of one file, shared by its contexts */
/** @typedef {Record<string, string | number | undefined>} Attributes   undefined: left out */

const ANCHORS = /** @type {Record<string, string>} */ ({ center: 'middle', right: 'end', end: 'end' });
const MARKUP = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
});
// What XML 1.0 has no place for, not even escaped: https://www.w3.org/TR/xml/#charsets
const NO_CHARACTERS = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** @param {string} text   of unknown origin @returns {string} for an element or an attribute in double quotes */
export function escaped(text) {
  return text.replace(NO_CHARACTERS, '\ufffd').replace(/[&<>"]/g, (character) => MARKUP[character]);
}

/** @param {number} value @returns {string} to a hundredth of a pixel */
export const numberText = (value) => String(Math.round(value * 100) / 100 || 0);

/** @param {Attributes} given @returns {string} with a blank before each */
export function attributes(given) {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const texts = known.map(([name, value]) => {
    const text = typeof value === 'number' ? numberText(value) : escaped(String(value));
    return ` ${name}="${text}"`;
  });
  return texts.join('');
}

/** A tile that is repeated. Chart.js leaves a style alone that says it is a pattern of a canvas. */
export class SvgPattern {
  /** @param {string} body   elements of one tile @param {{ tilePx: number, shownPx: number }} size   as drawn; on the page */
  constructor(body, { tilePx, shownPx }) {
    this.body = body;
    this.tilePx = tilePx;
    this.scale = shownPx / tilePx;
  }

  get [Symbol.toStringTag]() {
    return 'CanvasPattern';
  }

  /** @param {string} id */
  element(id) {
    const size = `width="${this.tilePx}" height="${this.tilePx}"`;
    const look = `patternUnits="userSpaceOnUse" patternTransform="scale(${this.scale})"`;
    return `<pattern id="${id}" ${size} ${look}>${this.body}</pattern>`;
  }
}

/** What places become, as DOMMatrix of a browser. */
class Matrix {
  constructor(a = 1, b = 0, c = 0, d = 1, e = 0, f = 0) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
    this.e = e;
    this.f = f;
  }

  /** @param {Matrix} inner   applied first */
  multiply({ a, b, c, d, e, f }) {
    return new Matrix(
      this.a * a + this.c * b,
      this.b * a + this.d * b,
      this.a * c + this.c * d,
      this.b * c + this.d * d,
      this.a * e + this.c * f + this.e,
      this.b * e + this.d * f + this.f,
    );
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    return this.multiply(new Matrix(1, 0, 0, 1, x, y));
  }
}

export class SvgContext {
  /** What save() keeps. */
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

  path = ''; // as SVG has it
  /** @type {string[]} */
  elements = [];
  /** @type {Partial<SvgContext>[]} */
  #saved = [];
  #origin;
  #ruler;
  #definitions;

  /**
   * @param {{ width: number, height: number }} canvas   Chart.js asks it for its size
   * @param {Ruler} ruler
   * @param {Definitions} definitions
   * @param {{ x: number, y: number }} [origin]   on the page
   */
  constructor(canvas, ruler, definitions, { x, y } = { x: 0, y: 0 }) {
    this.canvas = canvas;
    this.#ruler = ruler;
    this.#definitions = definitions;
    this.#origin = new Matrix(1, 0, 0, 1, x, y);
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
    this.matrix = this.matrix.translate(x, y);
  }

  /** @param {number} angle   radians */
  rotate(angle) {
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    this.matrix = this.matrix.multiply(new Matrix(cosine, sine, -sine, cosine));
  }

  /** @param {...number} matrix   a to f */
  setTransform(...matrix) {
    this.matrix = this.#origin.multiply(new Matrix(...matrix));
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

  /** @param {...number} numbers   x and y in turn @returns {string} the places on the page */
  #place(...numbers) {
    const { a, b, c, d, e, f } = this.matrix;
    const places = numbers.flatMap((x, at) => {
      const y = numbers[at + 1];
      return at % 2 === 0 ? [a * x + c * y + e, b * x + d * y + f] : [];
    });
    return places.map(numberText).join(' ');
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${this.#place(x, y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `${this.path === '' ? 'M' : 'L'}${this.#place(x, y)}`;
  }

  /** @param {...number} numbers */
  bezierCurveTo(...numbers) {
    this.path += `C${this.#place(...numbers)}`;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    const [right, bottom] = [x + width, y + height];
    this.path += `M${this.#place(x, y)}L${this.#place(right, y, right, bottom, x, bottom)}Z`;
  }

  /**
   * A whole circle is two halves: an arc of SVG that ends where it starts is none. Matrices here keep lengths.
   * @param {number} x @param {number} y @param {number} radius @param {number} start @param {number} end
   */
  arc(x, y, radius, start, end) {
    const at = (/** @type {number} */ angle) =>
      this.#place(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    const size = numberText(radius);
    const arcTo = (/** @type {number} */ angle) => `A${size} ${size} 0 0 ${end > start ? 1 : 0} ${at(angle)}`;
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

  /** @param {string} key @param {(id: string) => string} element @returns {string} its id: the same for the same key */
  #define(key, element) {
    const { prefix, list, ids } = this.#definitions;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = `${prefix}-${ids.size + 1}`;
    ids.set(key, id);
    list.push(element(id));
    return id;
  }

  /** @param {string | SvgPattern} style @returns {string} */
  #paint(style) {
    if (typeof style === 'string') return style;
    return `url(#${this.#define(style.body, (id) => style.element(id))})`;
  }

  /** @returns {Attributes} of a line */
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

  /** @param {string} [rule] */
  fill(rule) {
    this.#addPath({ fill: this.#paint(this.fillStyle), 'fill-rule': rule });
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

  /** A new page has nothing on it. */
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
    const { a, b, c, d, e, f } = this.matrix.translate(x, y + this.#dropPx());
    const matrix = [a, b, c, d, e, f].map(numberText).join(' ');
    const given = {
      ...(b === 0 ? { x: e, y: f } : { transform: `matrix(${matrix})` }),
      'font-size': Number(sizePx),
      'font-weight': weight === '400' ? undefined : weight,
      'text-anchor': ANCHORS[this.textAlign],
      textLength: this.measureText(text).width,
      lengthAdjust: 'spacingAndGlyphs',
      ...look,
      ...this.#clipped(),
    };
    // Blanks behind each other would become one.
    const kept = escaped(text.replace(/(?<= ) /g, '\u00a0'));
    this.elements.push(`<text${attributes(given)}>${kept}</text>`);
  }

  /** @returns {number} from where a text is put down to the line that it stands on: viewers differ in other baselines */
  #dropPx() {
    const ruler = this.#ruler;
    ruler.font = this.font;
    const ascentOf = (/** @type {string} */ baseline) => {
      ruler.textBaseline = baseline;
      return ruler.measureText('x').actualBoundingBoxAscent;
    };
    return ascentOf('alphabetic') - ascentOf(this.textBaseline);
  }
}
