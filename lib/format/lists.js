// Formats lists, counts and words for sentences, groups items by key, and converts words to keys.

import { formatCount } from './numbers.js';

const COMMA = /, (?![^()]*\))/; // outside parentheses

/**
 * @param {readonly string[]} items
 * @param {number} [limit]
 * @returns {string} 'a, b and 3 more'; with semicolons if an item has a comma, such as 'a at 100 B, 1x1; b at 100 B, 1x1'
 */
export function listed(items, limit = 6) {
  const between = items.some((item) => COMMA.test(item)) ? '; ' : ', ';
  // "and 1 more" is not shorter than the last item.
  if (items.length <= limit + 1) return items.join(between);
  return `${items.slice(0, limit).join(between)} and ${items.length - limit} more`;
}

/**
 * @template T, Made
 * @param {readonly T[]} items
 * @param {(items: readonly T[]) => Made} make
 * @returns {Made[]} one, or none if `items` is empty
 */
export function ifAny(items, make) {
  return items.length === 0 ? [] : [make(items)];
}

/**
 * @template T, K
 * @param {Iterable<T>} items
 * @param {(item: T) => K} keyOf
 * @returns {Map<K, T[]>} keys in the order of first appearance
 */
export function groupedBy(items, keyOf) {
  /** @type {Map<K, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** @param {number} count @param {string} one @param {string} many @returns {string} '1 launch', '1,200 launches' */
export function counted(count, one, many) {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** @param {number[]} counts   at least one @param {string} one @param {string} many @returns {string} '6 launches', '4 to 6 launches' */
export function countedFromTo(counts, one, many) {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least < most ? `${formatCount(least)} to ` : ''}${counted(most, one, many)}`;
}

/** @param {string} noun @returns {'a' | 'an'} */
export function article(noun) {
  return /^[aeiou]/i.test(noun) ? 'an' : 'a';
}

/** @param {string} text */
export function capitalised(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** @param {string} text @returns {string} without full stops and spaces at its end */
export function unended(text) {
  return text.replace(/[.\s]+$/, '');
}

/**
 * @param {string} text
 * @param {number} length
 * @returns {string} at most `length` characters, cut in the middle, since beginnings and ends distinguish texts
 */
export function shortened(text, length) {
  const characters = [...text];
  if (characters.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  return `${characters.slice(0, length - 1 - tail).join('')}…${characters.slice(characters.length - tail).join('')}`;
}

/** @param {Record<string, unknown>} record @returns {string} 'save "", appendonly no' */
export function pairsText(record) {
  return Object.entries(record)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** @param {readonly number[]} numbers @returns {string} '0, 2–5' */
export function formatRanges(numbers) {
  /** @type {[number, number][]} */
  const ranges = [];
  for (const number of numbers.toSorted((left, right) => left - right)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

// Conversions for keys in results and names of columns.

/** @param {string} words    'round trips' @returns {string} 'RoundTrips' */
export function pascalCase(words) {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** @param {string} words @returns {string} 'roundTrips' */
export function camelCase(words) {
  const name = pascalCase(words);
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
