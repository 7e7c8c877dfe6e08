// The fonts of the charts by their registered names, and the sizes and widths of texts.

// Unusual names, so that an installed font never replaces them.
export const TEXT_FONT = 'ipc-bench text';
export const SYMBOLS_FONT = 'ipc-bench symbols'; // for symbols that the files of Inter lack: ≤ ≥ → ✕
/** Font files of Inter. The canvas library accepts one file for each name. The first file contains the letters of English. */
export const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese'];
/** @param {string} script @returns {string} */
export const fontOf = (script) => (script === SCRIPTS[0] ? TEXT_FONT : `${TEXT_FONT} ${script}`);
export const FONT_FAMILY = [...SCRIPTS.map(fontOf), SYMBOLS_FONT].map((name) => `"${name}"`).join(', ');

export const TEXT_PX = 13; // becomes 10 px if a document shows a figure of 800 px at a width of 640 px
export const FONTS = {
  title: `600 20px ${FONT_FAMILY}`,
  message: `400 14px ${FONT_FAMILY}`,
  panel: `600 ${TEXT_PX}px ${FONT_FAMILY}`,
  small: `400 ${TEXT_PX}px ${FONT_FAMILY}`,
};
export const LINE_PX = { title: 26, message: 20, panel: 22, small: 19 };
export const LEGEND_ROW_PX = 21;

export const BOLD_SHARE = 1.06; // width of bold letters, relative to weight 400

/** Letters by their width in hundredths of the font size. */
const WIDTHS = Object.entries({
  24: 'ijl',
  28: 'I ',
  29: '!,.:·',
  30: "';",
  33: 't|`',
  36: '()/[\\]',
  38: 'fr',
  41: '1',
  47: '"^-_{}',
  50: '*–',
  53: 's?',
  56: 'avykxz',
  59: '5FhnuµeJLc7',
  62: 'Eo2bdgpq3689',
  65: '0#Z$&PRS4BT',
  68: '+<=>~×±KXY',
  72: 'AVD',
  76: 'CHUGNOQ',
  84: 'w',
  90: '↑✕→≤…○mM',
  100: '@%W',
});
const WIDTH_OF = new Map(
  WIDTHS.flatMap(([width, letters]) => [...letters].map((letter) => [letter, +width / 100])),
);

/** @param {string} text @param {number} [sizePx] @returns {number} estimated width, which tends to be too great */
export function textPx(text, sizePx = TEXT_PX) {
  return sizePx * [...text].reduce((sum, letter) => sum + (WIDTH_OF.get(letter) ?? 1), 0);
}
