// Suggests the known word that a mistyped one was probably meant to be. It only suggests: nobody runs the guess.

const GREATEST_DISTANCE = 2;
const LEAST_BEGINNING = 3; // letters: fewer begin too much

/**
 * Levenshtein's distance: single-character insertions, deletions and replacements. Source: R. A. Wagner and
 * M. J. Fischer, "The String-to-String Correction Problem", JACM 21 (1974), one row kept instead of the matrix.
 * @param {string} from
 * @param {string} to
 * @returns {number}
 */
export function editDistance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = row[column - 1] + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column] + 1, next[column - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}

/**
 * @param {string} word
 * @param {Iterable<string>} known
 * @returns {string | undefined} the nearest known word, if at most two edits and less than the whole word away
 */
export function nearest(word, known) {
  const written = word.toLowerCase();
  // Longer words are too far anyway, and the distance of a megabyte of garbage would take minutes.
  const candidates = [...known]
    .filter((candidate) => Math.abs(candidate.length - written.length) <= GREATEST_DISTANCE)
    .map((candidate) => ({ candidate, distance: editDistance(written, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= GREATEST_DISTANCE && distance < written.length)
    .sort((left, right) => left.distance - right.distance);
  return candidates[0]?.candidate;
}

/** @param {string} word @param {Iterable<string>} known @returns {string | undefined} the only one that begins with it */
function begunBy(word, known) {
  const written = word.toLowerCase();
  const begun = [...known].filter((candidate) => candidate.toLowerCase().startsWith(written));
  return written.length >= LEAST_BEGINNING && begun.length === 1 ? begun[0] : undefined;
}

/**
 * @param {string} word
 * @param {Iterable<string>} known
 * @param {(candidate: string) => string} [written] how the candidate is to be typed
 * @returns {string} a sentence with a leading space, or nothing
 */
export function didYouMean(word, known, written = (candidate) => candidate) {
  const all = [...known];
  const candidate = begunBy(word, all) ?? nearest(word, all);
  return candidate === undefined ? '' : ` Did you mean ${written(candidate)}?`;
}
