// Loads the canvas library and the fonts of charts, and measures texts with them. If the library does not load, a table of letter widths is
// used, so that SVG and pages are still possible.

import { createRequire } from 'node:module';
import { BenchError } from '../../../errors.js';
import { homeFolder } from '../../../format/own-file.js';
import { CANVAS, nativeLoadError } from '../../../machine/native-packages.js';
import {
  BOLD_SHARE,
  FONT_FAMILY,
  fontOf,
  SCRIPTS,
  SYMBOLS_FONT,
  TEXT_FONT,
  textPx,
} from '../style/letters.js';

/**
 * A subset of a canvas context.
 * @typedef {{ font: string, textBaseline: string,
 *   measureText: (text: string) => { width: number, actualBoundingBoxAscent: number } }} Ruler
 */

const require = createRequire(import.meta.url);
// Without a registered font a chart has no text, and with fonts of the system it differs between machines.
const FILES = [
  ...SCRIPTS.flatMap((script) =>
    [400, 600].map((weight) => ({
      family: fontOf(script),
      file: `@fontsource/inter/files/inter-${script}-${weight}-normal`,
    })),
  ),
  { family: SYMBOLS_FONT, file: '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal' },
  { family: SYMBOLS_FONT, file: '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal' },
];
const MIDDLE_SHARE = 0.364; // from the baseline to the middle between ascent and descent of Inter, as a share of the font size

/** @typedef {typeof import('@napi-rs/canvas')} Canvas */

/** The message if loading the library crashed the process of probeCanvas(). @type {string | null} */
let crash = null;

/** Loads the canvas library in another process, since a damaged library crashes its process. Call it before pictures are drawn. */
export async function probeCanvas() {
  const error = await nativeLoadError(CANVAS);
  crash = error?.isCrash ? error.message : null;
}

/** Uses require(), since a failed import leaves a partly loaded module behind. @returns {Canvas} @throws if the library does not load */
export function loadCanvas() {
  if (crash !== null) throw new Error(`Cannot find native binding of ${CANVAS}`, { cause: new Error(crash) });
  // When it is loaded, the library searches the home folder of the user for fonts, and throws if the user has no home folder.
  if (homeFolder() === null) process.env.DISABLE_SYSTEM_FONTS_LOAD ??= '1';
  return require(CANVAS);
}

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

/** Registers the fonts once per process, in the registry of the canvas library. */
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

const BOX_PX = 32;
const NO_CHARACTER = '\u{10ffff}'; // no font contains this character

/** @param {string} text @returns {string} characters that no loaded or installed font contains; a PNG shows them as boxes */
export function findMissingLetters(text) {
  const unusual = [...new Set(text)].filter((letter) => letter > '\u024f');
  if (unusual.length === 0) return '';
  registerFonts();
  const context = loadCanvas().createCanvas(BOX_PX, BOX_PX).getContext('2d');
  context.font = `${BOX_PX / 2}px ${FONT_FAMILY}`;
  /** @param {string} letter */
  const drawn = (letter) => {
    context.clearRect(0, 0, BOX_PX, BOX_PX);
    context.fillText(letter, 0, 0.75 * BOX_PX);
    return Buffer.from(context.getImageData(0, 0, BOX_PX, BOX_PX).data);
  };
  const box = drawn(NO_CHARACTER);
  return unusual.filter((letter) => drawn(letter).equals(box)).join('');
}

/** @returns {Ruler} */
export function makeRuler() {
  const canvas = findCanvas();
  if (canvas === null) return new LetterRuler();
  registerFonts();
  return canvas.createCanvas(1, 1).getContext('2d');
}

/** Estimates widths of texts. The width of a sentence is that on a canvas, or up to a tenth greater. */
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
