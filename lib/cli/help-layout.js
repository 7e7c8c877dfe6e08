// A list of names and what they mean in two columns, notes at the right: the layout of yargs, which prints it twenty times
// slower because it takes every text for one that may hold colours and wide characters.

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} summary
 * @property {string[]} notes
 */

const INDENT = 2; // before a name, between the columns, and before notes

/** @param {string} title @param {Entry[]} entries @param {number} width @returns {string[]} */
export function sectionLines(title, entries, width) {
  const widest = Math.max(...entries.map(({ name }) => name.length));
  const nameWidth = Math.min(widest, Math.floor(width / 2));
  return [...wrapped(title, width), ...entries.flatMap((entry) => entryLines(entry, nameWidth, width))];
}

/** @param {Entry} entry @param {number} nameWidth @param {number} width @returns {string[]} */
function entryLines({ name, summary, notes }, nameWidth, width) {
  const left = wrapped(name, nameWidth);
  const right = wrapped(summary, Math.max(1, width - nameWidth - 2 * INDENT));
  const lines = Array.from({ length: Math.max(left.length, right.length) }, (_, place) => {
    const cell = (left[place] ?? '').padEnd(nameWidth);
    return `${' '.repeat(INDENT)}${cell}${' '.repeat(INDENT)}${right[place] ?? ''}`.trimEnd();
  });
  const [first, ...further] = wrapped(notes.join(' '), width - INDENT);
  const last = String(lines.at(-1));
  // The notes begin on the last line, where there is room.
  if (last.length <= width - first.length) lines.splice(-1, 1, last.padEnd(width - first.length) + first);
  else lines.push(first.padStart(width));
  return [...lines, ...further.map((line) => line.padStart(width))].map((line) => line.trimEnd());
}

/** @param {string} text @param {number} width @returns {string[]} no line is longer: a word that is gets cut */
export function wrapped(text, width) {
  /** @type {string[]} */
  const lines = [''];
  for (const [place, word] of text.split(' ').entries()) {
    let line = String(lines.pop()).trimStart();
    if (place > 0 && line !== '') line += ' ';
    const room = width - line.length;
    // A long word begins on the line before it only if that saves a line.
    const isCutHere =
      Math.floor((word.length - 1) / width) >= 1 + Math.floor((word.length - room - 1) / width);
    if (word.length > room && !(word.length > width && isCutHere) && line !== '' && word !== '') {
      lines.push(line);
      line = '';
    }
    for (let rest = word; ; ) {
      const piece = rest.slice(0, width - line.length);
      line += piece;
      rest = rest.slice(piece.length);
      lines.push(line);
      if (rest === '') break;
      line = '';
    }
  }
  return lines.map((line) => line.trimEnd());
}
