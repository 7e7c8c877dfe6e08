// The part of a canvas context that charts use, as SVG. Text stays text: in the font that a reader has, in the room that
// it has here.

import { times } from './svg-path.js';
import { SvgPen } from './svg-pen.js';
import { attributes, escaped, fontParts, keptSpaces, numberText } from './svg-text.js';

/** @typedef {import('./svg-text.js').SvgPattern} SvgPattern */
/** @typedef {{ prefix: string, list: string[], ids: Map<string, string> }} Definitions   of one file, shared by its contexts */
/** @typedef {Record<string, string | number | undefined>} Attributes */

const ANCHORS = /** @type {Record<string, string>} */ ({ center: 'middle', right: 'end', end: 'end' });

export class SvgContext extends SvgPen {
  /** @type {string[]} */
  elements = [];

  /**
   * @param {{ width: number, height: number }} canvas   Chart.js asks it for its size
   * @param {any} ruler                 a context of a canvas, which measures texts
   * @param {Definitions} definitions
   * @param {{ x: number, y: number }} [origin]   on the page
   */
  constructor(canvas, ruler, definitions, origin = { x: 0, y: 0 }) {
    super(origin);
    this.canvas = canvas;
    this.ruler = ruler;
    this.definitions = definitions;
  }

  clip() {
    const { clipId } = this;
    const inner = `<path d="${this.path}"/>`;
    const outer = this.#clipped();
    this.clipId = this.#define(`${inner}${clipId}`, (id) => {
      return `<clipPath id="${id}"${attributes(outer)}>${inner}</clipPath>`;
    });
  }

  /** @returns {Attributes} */
  #clipped() {
    return { 'clip-path': this.clipId === '' ? undefined : `url(#${this.clipId})` };
  }

  /** @param {string} key @param {(id: string) => string} element @returns {string} its id: the same for the same key */
  #define(key, element) {
    const { prefix, list, ids } = this.definitions;
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

  /** @param {string} [rule] */
  fill(rule) {
    if (this.path === '') return;
    const look = { fill: this.#paint(this.fillStyle), 'fill-rule': rule, ...this.#clipped() };
    this.elements.push(`<path${attributes({ d: this.path, ...look })}/>`);
  }

  stroke() {
    if (this.path === '') return;
    this.elements.push(`<path${attributes({ d: this.path, ...this.#strokes(), ...this.#clipped() })}/>`);
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
    const { ruler } = this;
    ruler.font = this.font;
    return ruler.measureText(text);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.#text(text, [x, y], { fill: this.#paint(this.fillStyle) });
  }

  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    this.#text(text, [x, y], this.#strokes());
  }

  /** @param {string} text @param {[x: number, y: number]} place @param {Attributes} look */
  #text(text, [x, y], look) {
    if (text.trim() === '') return;
    const { weight, sizePx } = fontParts(this.font);
    const [a, b, c, d, e, f] = times(this.matrix, [1, 0, 0, 1, x, y + this.#dropPx()]);
    const isUpright = b === 0;
    const place = isUpright
      ? { x: e, y: f }
      : { transform: `matrix(${[a, b, c, d, e, f].map(numberText).join(' ')})` };
    const room = { textLength: this.measureText(text).width, lengthAdjust: 'spacingAndGlyphs' };
    const font = { 'font-size': sizePx, 'font-weight': weight === '400' ? undefined : weight };
    const anchor = { 'text-anchor': ANCHORS[this.textAlign] };
    const given = { ...place, ...font, ...anchor, ...room, ...look, ...this.#clipped() };
    this.elements.push(`<text${attributes(given)}>${escaped(keptSpaces(text))}</text>`);
  }

  /** @returns {number} from where a text is put down to the line that it stands on: viewers differ in other baselines */
  #dropPx() {
    const { ruler } = this;
    ruler.font = this.font;
    const ascentOf = (/** @type {string} */ baseline) => {
      ruler.textBaseline = baseline;
      return ruler.measureText('x').actualBoundingBoxAscent;
    };
    return ascentOf('alphabetic') - ascentOf(this.textBaseline);
  }
}
