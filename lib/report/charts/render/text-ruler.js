// The width of texts: measured by the canvas library or, on machines where it does not load, estimated from a table of letters. SVG and
// pages are laid out on those machines too.

import { createRequire } from 'node:module';
import { BenchError } from '../../../errors.js';
import { BOLD_SHARE, SYMBOLS_FONT, TEXT_FONT, textPx } from '../style/letters.js';

/** @typedef {{ font: string, textBaseline: string, measureText: (text: string) => { width: number, actualBoundingBoxAscent: number } }} Ruler   of the context of a canvas, what texts are measured with */

const require = createRequire(import.meta.url);
// Without a registered font a chart comes out without any text and without an error, and with a system font it comes out
// differently on every machine.
const FILES = [
  { family: TEXT_FONT, file: '@fontsource/inter/files/inter-latin-400-normal' },
  { family: TEXT_FONT, file: '@fontsource/inter/files/inter-latin-600-normal' },
  { family: TEXT_FONT, file: '@fontsource/inter/files/inter-latin-ext-400-normal' },
  { family: TEXT_FONT, file: '@fontsource/inter/files/inter-latin-ext-600-normal' },
  { family: SYMBOLS_FONT, file: '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal' },
  { family: SYMBOLS_FONT, file: '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal' },
];
/** Of the size of a letter, above the line that it stands on: the middle between ascent and descent of Inter. */
const MIDDLE_SHARE = 0.364;

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
  if (canvas === null) return new LetterRuler();
  registerFonts();
  return canvas.createCanvas(1, 1).getContext('2d');
}

/** Measures as a canvas does, by the table of letters: texts come out up to a tenth wider. */
export class LetterRuler {
  font = '';
  textBaseline = 'alphabetic';

  /** @param {string} text */
  measureText(text) {
    const [, weight = '400', size = '10'] = /(?:\b(\d{3})\s+)?([\d.]+)px/.exec(this.font) ?? [];
    const px = Number(size);
    return {
      width: textPx(text, px) * (Number(weight) < 500 ? 1 : BOLD_SHARE),
      actualBoundingBoxAscent: this.textBaseline === 'middle' ? -MIDDLE_SHARE * px : 0,
    };
  }
}
