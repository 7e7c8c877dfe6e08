// The shape of a recorded message, and the limits of shapes. A few characters of a file may describe a shape from which a huge message
// would be made, so readers refuse shapes beyond the limits, which recorded shapes never exceed. The recorder imports this module, which
// therefore does not load valibot.

/**
 * `true` represents a boolean. A number is the length of a text of ASCII without escapes, and a list of numbers counts the characters of
 * any other text by TEXT_CLASSES. A string is the pattern of a number, in which a 9 represents any digit: '-99.9' for -12.5. `l` has the
 * distinct shapes of the items of a list with their counts, `o` has the shapes of fields by replaced names, and `y` is the length of binary
 * data in bytes.
 * @typedef {null | true | number | number[] | string
 *   | { l: [MessageShape, number][] } | { o: Record<string, MessageShape> } | { y: number }} MessageShape
 */

/** Most values in one message, including all items of its lists. */
export const MAX_VALUES = 200_000;
/** Most levels of lists and objects within each other in one message. */
export const MAX_LEVELS = 100;
const MAX_CHARACTERS = 16 * 2 ** 20; // the limit of a line of --message-file
const MAX_CLASSES = 7; // the number of TEXT_CLASSES
const NUMBER = /^-?\d{1,22}(\.\d{1,26})?(e[+-]\d{1,3})?$/;

/**
 * Measures the message that a shape describes without making it. Walks without recursion, because a file determines the depth.
 * @param {unknown} shape   parsed JSON
 * @returns {{ characters: number, problem: string | null }} `characters`: approximate length of the JSON of the message; `problem`: why
 *   the value is no shape or exceeds a limit, as the end of a sentence, or null if it is a shape within the limits
 */
export function measureShape(shape) {
  let values = 0;
  let characters = 0;
  const pending = [{ part: shape, times: 1, level: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, times, level } = next;
    const read = readPart(part);
    if (read === null) return { characters, problem: 'has a part that is no shape of a value' };
    values += times;
    characters += times * read.characters;
    if (values > MAX_VALUES) return { characters, problem: `describes more than ${MAX_VALUES} values` };
    if (characters > MAX_CHARACTERS)
      return { characters, problem: `describes more than ${MAX_CHARACTERS} characters` };
    if (read.items.length > 0 && level === MAX_LEVELS)
      return { characters, problem: `is nested deeper than ${MAX_LEVELS} times` };
    for (const [item, count] of read.items)
      pending.push({ part: item, times: times * count, level: level + 1 });
  }
  return { characters, problem: null };
}

/**
 * @param {unknown} part
 * @returns {{ characters: number, items: [unknown, number][] } | null} the length of its own JSON, and the shapes in it with their counts;
 *   null if it is no shape
 */
function readPart(part) {
  if (part === null || part === true) return { characters: 5, items: [] };
  if (typeof part === 'string') return NUMBER.test(part) ? { characters: part.length, items: [] } : null;
  if (typeof part === 'number') return ofText([part]);
  if (Array.isArray(part)) return part.length > 0 && part.length <= MAX_CLASSES ? ofText(part) : null;
  if (typeof part !== 'object') return null;
  const [[kind, content] = [], ...others] = Object.entries(part);
  if (others.length > 0) return null;
  if (kind === 'y') return ofText([content]);
  if (kind === 'l') {
    const isList = Array.isArray(content) && content.every(isItem);
    return isList ? { characters: 2 + content.length, items: content } : null;
  }
  if (kind !== 'o' || typeof content !== 'object' || content === null || Array.isArray(content)) return null;
  const fields = Object.entries(content);
  return {
    characters: fields.reduce((sum, [name]) => sum + name.length + 4, 2),
    items: fields.map(([, item]) => [item, 1]),
  };
}

/** @param {unknown[]} counts   numbers of characters */
function ofText(counts) {
  if (!counts.every(isCount)) return null;
  return { characters: counts.reduce((sum, count) => sum + count, 2), items: [] };
}

/** @param {unknown} value @returns {value is number} */
function isCount(value) {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** @param {unknown} item */
function isItem(item) {
  return Array.isArray(item) && item.length === 2 && isCount(item[1]) && item[1] > 0;
}

/** @param {unknown} value   parsed JSON @param {number} levels @returns {boolean} */
export function nestsDeeper(value, levels) {
  let parts = [value];
  for (let level = 0; parts.length > 0; level += 1) {
    if (level > levels) return true;
    parts = parts.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return false;
}
