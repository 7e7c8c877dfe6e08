// Suggests a known word for a mistyped one.

const MAX_DISTANCE = 2;
const MIN_BEGINNING = 3; // a shorter word is a prefix of too many known words

/**
 * The distance in insertions, deletions and replacements of one character, and exchanges of two neighbours. Sources: R. A. Wagner and
 * M. J. Fischer, "The String-to-String Correction Problem", JACM 21 (1974), and F. J. Damerau, CACM 7 (1964), for exchanges.
 * @param {string} from
 * @param {string} to
 */
function editDistance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  let previous = row;
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = row[column - 1] + (from[line - 1] === to[column - 1] ? 0 : 1);
      const isExchange =
        line > 1 && column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      const exchanged = isExchange ? previous[column - 2] + 1 : Infinity;
      next.push(Math.min(replaced, exchanged, row[column] + 1, next[column - 1] + 1));
    }
    previous = row;
    row = next;
  }
  return row[to.length];
}

/**
 * @param {string} word
 * @param {Iterable<string>} known
 * @returns {string | undefined} the nearest known word, unless it is more than two edits or half of the word's length away
 */
export function nearest(word, known) {
  const written = word.toLowerCase();
  // Skips words that are too long or too short to match, since computing the distance of a megabyte of garbage would take minutes.
  const candidates = [...known]
    .filter((candidate) => Math.abs(candidate.length - written.length) <= MAX_DISTANCE)
    .map((candidate) => ({ candidate, distance: editDistance(written, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.min(MAX_DISTANCE, written.length / 2))
    .sort((left, right) => left.distance - right.distance);
  return candidates[0]?.candidate;
}

/**
 * @param {string} word
 * @param {string[]} known
 * @returns {string[]} the only known word that begins with `word`; empty if `word` is too short, or if none or several begin with it
 */
function begunBy(word, known) {
  const begun = known.filter((candidate) => candidate.toLowerCase().startsWith(word));
  return word.length >= MIN_BEGINNING && begun.length === 1 ? begun : [];
}

/** @param {string} word @param {string[]} known @returns {string[]} words that continue `word` with a hyphen: 'redis-list' for 'redis' */
function findKinds(word, known) {
  return known.filter((candidate) => candidate.toLowerCase().startsWith(`${word}-`));
}

/**
 * @param {string} word
 * @param {string[]} known
 * @returns {string[]} the longest known word that is a prefix of `word`: 'stream' for 'streaming'
 */
function findBeginning(word, known) {
  const beginnings = known.filter(
    (candidate) => candidate.length >= MIN_BEGINNING && word.startsWith(candidate.toLowerCase()),
  );
  return beginnings.sort((left, right) => right.length - left.length).slice(0, 1);
}

/**
 * @param {string} word
 * @param {Iterable<string>} known
 * @param {object} [how]
 * @param {(candidate: string) => string} [how.written]   formats a candidate
 * @param {Readonly<Record<string, string[]>>} [how.otherNames]   known words by synonym, in lower case with hyphens
 * @returns {string} a sentence with a leading space, or ''
 */
export function didYouMean(word, known, { written = (candidate) => candidate, otherNames = {} } = {}) {
  const all = [...known];
  const typed = word.toLowerCase();
  const spelt = typed.replaceAll(/[\s_]+/g, '-');
  const others = Object.hasOwn(otherNames, spelt) ? otherNames[spelt] : [];
  const guesses = [
    () => others,
    () => begunBy(typed, all),
    () => [nearest(word, all) ?? []].flat(),
    () => findKinds(typed, all),
    () => findBeginning(typed, all),
  ];
  for (const guess of guesses) {
    const candidates = guess().map(written);
    const last = candidates.pop();
    if (last === undefined) continue;
    const list = candidates.length === 0 ? last : `${candidates.join(', ')} or ${last}`;
    return ` Did you mean ${list}?`;
  }
  return '';
}
