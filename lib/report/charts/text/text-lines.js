// Text of any length → lines that fit a width. Measuring is handed in, so that this runs without a canvas.

/** @typedef {(text: string) => number} Measure   pixels */

/**
 * @param {string} text
 * @param {Measure} width
 * @param {number} most
 * @returns {string} the text, or its beginning and an ellipsis
 */
export function fittedLine(text, width, most) {
  if (width(text) <= most) return text;
  const letters = [...text];
  while (letters.length > 0 && width(`${letters.join('')}…`) > most) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

/**
 * @param {string} text
 * @param {Measure} width
 * @param {number} mostPx
 * @param {number} mostLines   the last one ends in an ellipsis if there is more
 * @returns {string[]}
 */
export function wrappedLines(text, width, mostPx, mostLines) {
  /** @type {string[]} */
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || width(longer) <= mostPx) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  const shown = lines.slice(0, mostLines);
  if (lines.length > mostLines) shown[mostLines - 1] = `${shown[mostLines - 1]} …`;
  return shown.map((shownLine) => fittedLine(shownLine, width, mostPx));
}
