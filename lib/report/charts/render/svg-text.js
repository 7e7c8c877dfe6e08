// Names and numbers as an SVG file holds them.

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

  /** @param {string} id @returns {string} */
  element(id) {
    const size = `width="${this.tilePx}" height="${this.tilePx}"`;
    const look = `patternUnits="userSpaceOnUse" patternTransform="scale(${this.scale})"`;
    return `<pattern id="${id}" ${size} ${look}>${this.body}</pattern>`;
  }
}

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

/** @param {string} text @returns {string} of the same width: blanks behind each other would become one */
export const keptSpaces = (text) => text.replace(/(?<= ) /g, '\u00a0');

/** @param {number} value @returns {string} to a hundredth of a pixel */
export const numberText = (value) => String(Math.round(value * 100) / 100 || 0);

/** @param {Record<string, string | number | undefined>} given   undefined: left out @returns {string} with a blank before each */
export function attributes(given) {
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name}="${typeof value === 'number' ? numberText(value) : escaped(String(value))}"`,
    )
    .join('');
}

/** @param {string} font   of a canvas: '600 20px ...' @returns {{ weight: string, sizePx: number }} */
export function fontParts(font) {
  const [, weight = '400', sizePx = '10'] = /(?:\b(\d{3})\s+)?([\d.]+)px/.exec(font) ?? [];
  return { weight, sizePx: Number(sizePx) };
}
