// The fonts of the charts, from the packages that bring them. Without a registered font a chart comes out without
// any text and without an error, and with a system font it comes out differently on every machine.

import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';
import { BenchError } from '../../../errors.js';
import { SYMBOLS_FONT, TEXT_FONT } from '../style/font-family.js';

const require = createRequire(import.meta.url);

const FILES = [
  [TEXT_FONT, '@fontsource/inter/files/inter-latin-400-normal.woff2'],
  [TEXT_FONT, '@fontsource/inter/files/inter-latin-600-normal.woff2'],
  [TEXT_FONT, '@fontsource/inter/files/inter-latin-ext-400-normal.woff2'],
  [TEXT_FONT, '@fontsource/inter/files/inter-latin-ext-600-normal.woff2'],
  [SYMBOLS_FONT, '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2'],
  [SYMBOLS_FONT, '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2'],
];

/** Once per process; the registry is the canvas library's own. */
export function registerFonts() {
  if (GlobalFonts.has(TEXT_FONT)) return;
  for (const [family, file] of FILES) {
    if (GlobalFonts.registerFromPath(require.resolve(file), family) === null) {
      throw new BenchError(
        'OUTPUT_UNWRITABLE',
        `cannot draw charts: the font ${file} is unreadable; install ipc-bench again`,
      );
    }
  }
}
