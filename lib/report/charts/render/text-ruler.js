// How wide texts are: by the canvas library or, on machines where it does not load, by the same font files. What only needs to be laid
// out (SVG, pages) works on those machines too. The files are WOFF, https://www.w3.org/TR/WOFF/, with the tables of
// https://learn.microsoft.com/typography/opentype/spec/. Kerning is left out: a usual line comes out up to a hundredth wider.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { BenchError } from '../../../errors.js';
import { SYMBOLS_FONT, TEXT_FONT } from '../style/letters.js';

/** @typedef {{ font: string, textBaseline: string, measureText: (text: string) => { width: number, actualBoundingBoxAscent: number } }} Ruler   of the context of a canvas, what texts are measured with */
/** @typedef {{ emUnits: number, ascent: number, descent: number, widthOf: (codePoint: number) => number | undefined }} Font   in units of the font */

const require = createRequire(import.meta.url);
// Without a registered font a chart comes out without any text and without an error, and with a system font it comes out
// differently on every machine.
const FILES = [
  { family: TEXT_FONT, weight: '400', file: '@fontsource/inter/files/inter-latin-400-normal' },
  { family: TEXT_FONT, weight: '600', file: '@fontsource/inter/files/inter-latin-600-normal' },
  { family: TEXT_FONT, weight: '400', file: '@fontsource/inter/files/inter-latin-ext-400-normal' },
  { family: TEXT_FONT, weight: '600', file: '@fontsource/inter/files/inter-latin-ext-600-normal' },
  { family: SYMBOLS_FONT, weight: '400', file: '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal' },
  { family: SYMBOLS_FONT, weight: '600', file: '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal' },
];
const WOFF = { headerBytes: 44, entryBytes: 20 };
const SEGMENTS = 4; // the format of a table of characters that every font has

/** @typedef {typeof import('@napi-rs/canvas')} Canvas */

/** @returns {Canvas} by require: an import that failed leaves half a module behind, which the next import takes @throws where it does not load */
export const loadCanvas = () => require('@napi-rs/canvas');

/** @type {Canvas | null | undefined} */
let usable;

/** @returns {Canvas | null} */
function findCanvas() {
  if (usable !== undefined) return usable;
  try {
    usable = loadCanvas();
  } catch {
    usable = null;
  }
  return usable;
}

/** Once per process; the registry is the canvas library's own. Without that library nothing is to be done. */
export function registerFonts() {
  const canvas = findCanvas();
  if (canvas === null || canvas.GlobalFonts.has(TEXT_FONT)) return;
  for (const { family, file } of FILES) {
    if (canvas.GlobalFonts.registerFromPath(require.resolve(`${file}.woff2`), family) === null) {
      throw new BenchError(
        'OUTPUT_UNWRITABLE',
        `cannot draw charts: the font ${file} is unreadable; install ipc-bench again`,
      );
    }
  }
}

/** @returns {Ruler} */
export function makeRuler() {
  const canvas = findCanvas();
  if (canvas === null) return new FontRuler();
  registerFonts();
  return canvas.createCanvas(1, 1).getContext('2d');
}

/** Measures as a canvas does, with the fonts of the charts whatever family is asked for. */
export class FontRuler {
  font = '';
  textBaseline = 'alphabetic';

  /** @param {string} text */
  measureText(text) {
    const [, weight = '400', size = '10'] = /(?:\b(\d{3})\s+)?([\d.]+)px/.exec(this.font) ?? [];
    const fonts = fontsOf(Number(weight) < 500 ? '400' : '600');
    const px = Number(size);
    const width = [...text].reduce((sum, letter) => sum + emWidth(fonts, letter) * px, 0);
    const [{ ascent, descent, emUnits }] = fonts;
    const dropEms = this.textBaseline === 'middle' ? (ascent - descent) / 2 / emUnits : 0;
    return { width, actualBoundingBoxAscent: -dropEms * px };
  }
}

/** @type {Map<string, Font[]>} by weight */
const read = new Map();

/** @param {string} weight @returns {Font[]} in the order in which they are asked for a letter */
function fontsOf(weight) {
  const files = FILES.filter((font) => font.weight === weight);
  const fonts = read.get(weight) ?? files.map(({ file }) => readFont(require.resolve(`${file}.woff`)));
  read.set(weight, fonts);
  return fonts;
}

/** @param {Font[]} fonts @param {string} letter @returns {number} in sizes of a letter; one that no font has is a square */
function emWidth(fonts, letter) {
  for (const { widthOf, emUnits } of fonts) {
    const width = widthOf(/** @type {number} */ (letter.codePointAt(0)));
    if (width !== undefined) return width / emUnits;
  }
  return 1;
}

/** @param {string} path @returns {Font} */
function readFont(path) {
  const file = readFileSync(path);
  const table = (/** @type {string} */ name) => readTable(file, name);
  const [hhea, hmtx, glyphs] = [table('hhea'), table('hmtx'), readGlyphs(table('cmap'))];
  const last = hhea.readUInt16BE(34) - 1; // those behind it are as wide
  return {
    emUnits: table('head').readUInt16BE(18),
    ascent: hhea.readInt16BE(4),
    descent: -hhea.readInt16BE(6),
    widthOf(codePoint) {
      const glyph = glyphs.get(codePoint);
      return glyph === undefined ? undefined : hmtx.readUInt16BE(4 * Math.min(glyph, last));
    },
  };
}

/** @param {Buffer} file @param {string} name @returns {Buffer} */
function readTable(file, name) {
  const entry = Array.from(
    { length: file.readUInt16BE(12) },
    (_, index) => WOFF.headerBytes + index * WOFF.entryBytes,
  ).find((at) => file.toString('latin1', at, at + 4) === name);
  if (entry === undefined) throw new TypeError(`a font has no table ${name}`);
  const [start, packedBytes, bytes] = [4, 8, 12].map((offset) => file.readUInt32BE(entry + offset));
  const packed = file.subarray(start, start + packedBytes);
  return packedBytes < bytes ? inflateSync(packed) : packed;
}

/** @param {Buffer} cmap @returns {Map<number, number>} code points up to U+FFFE → glyphs */
function readGlyphs(cmap) {
  const tables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + index * 8));
  const start = tables.find((at) => cmap.readUInt16BE(at) === SEGMENTS);
  /** @type {Map<number, number>} */
  const glyphs = new Map();
  if (start === undefined) return glyphs;
  const bytes = cmap.readUInt16BE(start + 6); // of one number for each segment
  for (let at = start + 14; at < start + 14 + bytes; at += 2) {
    const [end, first, delta, range] = [0, 2 + bytes, 2 + 2 * bytes, 2 + 3 * bytes].map((offset) =>
      cmap.readUInt16BE(at + offset),
    );
    for (let code = first; code <= Math.min(end, 0xfffe); code++) {
      const place = at + 2 + 3 * bytes + range + 2 * (code - first);
      const glyph = range === 0 ? code : cmap.readUInt16BE(place);
      if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff);
    }
  }
  return glyphs;
}
