// Breaks texts into lines between words, but never between a number and its unit.

/** Greatest width of sentences, and width of output that is not printed to a terminal, in characters. */
export const MAX_WIDTH = 100;
const INDENT = '  ';
export const JOINT = '\u00a0'; // no-break space
// No line ends within a number and its unit, or within a name and its ratio: '± 2 %', '1,000 B', 'tcp/json 1.90× (1.84–2.02)'.
const WITHIN_NUMBERS =
  /(?<=[\d×)\]]) (?=(?:[KMGT]?i?B|MB\/s|%|[nµm]?s|min|h)(?![\p{L}\d]))|(?<=[±≤≥]) (?=\d)| (?=\d[\d.,]*×|[([]\d)/gu;

/** @param {string} text @returns {number} in characters of a terminal */
export function displayWidth(text) {
  return [...text].length;
}

/**
 * @param {string} text
 * @returns {string} the text, with JOINT between numbers and their units, so that a split at blanks keeps them together
 */
export function joinedNumbers(text) {
  return text.replaceAll(WITHIN_NUMBERS, JOINT);
}

/**
 * @param {string} text
 * @param {number} columns
 * @param {string} [indent]   of all lines but the first
 * @returns {string[]} lines broken between words; words that are longer than a line are broken at JOINT
 */
export function wrapped(text, columns, indent = INDENT) {
  const room = columns - indent.length;
  const words = joinedNumbers(text).split(' ');
  const parts = words.flatMap((word) => (displayWidth(word) > room ? word.split(JOINT) : [word]));
  const lines = [''];
  for (const part of parts) {
    const line = /** @type {string} */ (lines.at(-1));
    const isFirst = line === '' || line === indent;
    if (!isFirst && displayWidth(line) + 1 + displayWidth(part) > columns) lines.push(indent + part);
    else lines[lines.length - 1] = isFirst ? line + part : `${line} ${part}`;
  }
  return lines.map((line) => line.replaceAll(JOINT, ' '));
}
