// Generates values of recorded shapes: of the same length, with other content.

import { seededRandom } from '../statistics/random.js';
import { TEXT_CLASSES } from './message-shape.js';

/** @import { MessageShape as Shape } from '../types/shape-limits.js' */

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const MAX_EXACT = 15; // a double preserves so many decimal digits
const MAX_DRAWN = 50;

// V8 interns short texts that it parses, so a known text costs a fraction of a new one. In messages, short texts are mostly types and
// states, which recur, so the generator reuses a few.
const SHORT = 10;
const SHORT_TEXTS = 16; // number of different short texts of each length

const TILE = 1_024; // characters; a longer text repeats them, because making random letters would take longer than sending them

/** @param {Shape} shape @param {number} seed @returns {any} */
export function makeValue(shape, seed) {
  const random = seededRandom(seed);
  /** @param {Shape} part @returns {any} */
  const make = (part) => {
    if (part === null) return null;
    if (part === true) return random() < 0.5;
    if (typeof part === 'string') return makeNumber(part, random);
    if (typeof part === 'number') return makeText([part], random);
    if (Array.isArray(part)) return makeText(part, random);
    if ('y' in part) return makeText([part.y], random);
    if ('l' in part) {
      const list = [];
      for (const [item, count] of part.l) for (let at = 0; at < count; at += 1) list.push(make(item));
      return list;
    }
    return Object.fromEntries(Object.entries(part.o).map(([name, item]) => [name, make(item)]));
  };
  return make(shape);
}

/** @param {string} pattern   '-99.9e-7' @param {() => number} random @returns {number} its text is almost always as long as the pattern */
function makeNumber(pattern, random) {
  const [digits, exponent] = pattern.split('e');
  const last = digits.includes('.') ? digits.length - 1 : -1;
  const first = digits.search(/\d/);
  const mayBeZero = exponent === undefined && /^-?9$/.test(digits);
  // A pattern of ten digits that begins with 9 represents a double. The first digit is at least 3, since V8 serialises numbers that begin with
  // 1 or 2 as small integers.
  const leastFirst = digits.replace(/\D/g, '').length === 10 && last === -1 ? 3 : mayBeZero ? 0 : 1;
  let value = 0;
  for (let drawn = 0; drawn < MAX_DRAWN; drawn += 1) {
    const text = digits.replaceAll(/\d/g, (digit, at) => {
      if (digit !== '9') return digit;
      const least = at === first ? leastFirst : at === last ? 1 : 0;
      return String(least + Math.floor(random() * (10 - least)));
    });
    value = Number(exponent === undefined ? text : `${text}e${exponent}`);
    if (String(value).length === pattern.length) break;
    // The text of a double may have fewer digits than were drawn. Further digits then select another double near it.
    if (digits.length > MAX_EXACT) value = Number(`${text}${Math.floor(random() * 1e4)}`);
    if (String(value).length === pattern.length) break;
  }
  return value;
}

/** @param {number[]} counts   number of characters of each class in TEXT_CLASSES @param {() => number} random */
function makeText([plain, ...others], random) {
  const special = others.map((count, index) => TEXT_CLASSES[index + 1].repeat(count)).join('');
  if (plain + special.length <= SHORT) {
    const first = Math.floor(random() * SHORT_TEXTS);
    /** @param {number} at */
    const letterAt = (at) => LETTERS[(first * (plain + 1) + 7 * at) % LETTERS.length];
    return special + Array.from({ length: plain }, (_, at) => letterAt(at)).join('');
  }
  let tile = '';
  for (let at = 0; at < Math.min(plain, TILE); at += 1)
    tile += LETTERS[Math.floor(random() * LETTERS.length)];
  return special + (plain <= TILE ? tile : tile.repeat(Math.ceil(plain / TILE)).slice(0, plain));
}
