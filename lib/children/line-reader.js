// Text that comes in pieces → its lines. Each piece is searched once: a long line would be searched anew with each of its pieces
// otherwise.

/**
 * @param {(line: string) => void} onLine
 * @param {number} longest          in characters
 * @param {() => void} onTooLong    a line is longer, and is not given to onLine
 * @returns {(piece: string) => void}
 */
export function lineReader(onLine, longest, onTooLong) {
  /** @type {string[]} */
  let held = [];
  let characters = 0;
  return (piece) => {
    let start = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', start)) {
      held.push(piece.slice(start, end));
      const line = held.join('');
      held = [];
      characters = 0;
      start = end + 1;
      onLine(line);
    }
    if (start === piece.length) return;
    held.push(piece.slice(start));
    characters += piece.length - start;
    if (characters <= longest) return;
    held = [];
    characters = 0;
    onTooLong();
  };
}
