// Reads the shape of a message: its structure with the type and length of each value, without content and with replaced names of fields. A
// message generated from the shape is as long as the real one in the serialisation of its channel, if the real one contains only values
// that JSON also has.

import { isProxy } from 'node:util/types';
import { MAX_VALUES, measureShape } from '../types/shape-limits.js';

/** @import { MessageShape as Shape } from '../types/shape-limits.js' */

const MAX_NAMES = 5_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$-.:/+*#@';
const DIGITS = '1234567890';
const INDEX = /^(0|[1-9]\d*)$/; // V8 serialises such names as numbers
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;
const DOUBLE = '9.9'; // takes 9 bytes in a structured clone, as do dates and all numbers except small integers
const { hasOwn, getOwnPropertyDescriptor } = Object;

/**
 * @param {any} value
 * @param {boolean} [asJson]   whether the serialisation is JSON instead of a structured clone
 * @returns {boolean} true if serialising the value runs no code of the program (getters, proxies, toJSON); false also for a function, and
 *   for a value of 100,000 or more objects
 */
export function isInert(value, asJson = false) {
  let left = 100_000;
  const pending = [value];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part === 'function') return false;
    if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) continue;
    left -= 1;
    if (left === 0 || isProxy(part)) return false;
    if (asJson && !(part instanceof Date) && 'toJSON' in part) return false;
    if (Array.isArray(part)) {
      for (const item of part) if (typeof item === 'object' && item !== null) pending.push(item);
      continue;
    }
    if (part instanceof Date || part instanceof RegExp || part instanceof ArrayBuffer) continue;
    if (part instanceof Map || part instanceof Set) {
      for (const item of part instanceof Map ? [...part].flat() : part) pending.push(item);
      continue;
    }
    for (const key of Object.keys(part)) {
      const found = getOwnPropertyDescriptor(part, key);
      if (found === undefined || !hasOwn(found, 'value')) return false;
      if (typeof found.value === 'object' && found.value !== null) pending.push(found.value);
    }
  }
  return true;
}

/**
 * Replaces names of fields by others with as many bytes in UTF-8, or with more if the name is empty or the object has all replacements that
 * are tried. Equal names have equal replacements in all processes that share the key, unless another field of the object has that
 * replacement.
 */
export class NameReplacer {
  /** @param {string} key   secret key of the recording; it is not stored */
  constructor(key) {
    this.key = key;
    /** @type {Map<string, string>} */
    this.names = new Map();
  }

  /** @param {string} name @param {object} [fields]   replaced fields of the same object, whose names are not reused @returns {string} */
  replace(name, fields = {}) {
    const known = this.names.get(name);
    if (known !== undefined && !hasOwn(fields, known)) return known;
    // Loaded on first use: node:crypto takes 4 ms per thread, and many threads never replace a name.
    const { createHmac } = process.getBuiltinModule('node:crypto');
    const digest = createHmac('sha256', this.key).update(name).digest();
    const isIndex = INDEX.test(name);
    const letters = isIndex ? DIGITS : LETTERS;
    for (let attempt = 0; ; attempt += 1) {
      // Attempts differ in the first character. If all of these names are used, the replacement is longer.
      const length = Math.max(1, Buffer.byteLength(name)) + Math.floor(attempt / letters.length);
      let replaced = '';
      for (let at = 0; at < length; at += 1) {
        // An index of several digits does not begin with 0.
        const choice = isIndex && at === 0 && length > 1 ? 9 : letters.length;
        replaced += letters[(digest[at % digest.length] + (at === 0 ? attempt : 0)) % choice];
      }
      if (hasOwn(fields, replaced)) continue;
      if (known === undefined && this.names.size < MAX_NAMES) this.names.set(name, replaced);
      return replaced;
    }
  }
}

/**
 * @param {any} value   must be inert (see `isInert`)
 * @param {boolean} asJson   whether the serialisation is JSON instead of a structured clone
 * @param {NameReplacer} names
 * @returns {Shape}
 * @throws {RangeError} if the value has a cycle, or exceeds the limits of shapes
 */
export function readShape(value, asJson, names) {
  let values = 0;
  /** @param {any} part */
  const shapeOf = (part) => {
    values += 1;
    if (values > MAX_VALUES) throw new RangeError('it has too many parts');
    if (typeof part === 'string') return textShape(part, asJson);
    if (typeof part === 'number') return numberShape(part, asJson);
    if (typeof part === 'bigint') return DOUBLE;
    if (typeof part === 'boolean') return true;
    return typeof part === 'object' && part !== null ? objectShape(part) : null;
  };
  /** @param {any[]} list */
  const listShape = (list) => {
    /** @type {Map<string, [Shape, number]>} */
    const found = new Map();
    for (const item of list) {
      const shape = shapeOf(item);
      const key = JSON.stringify(shape);
      const known = found.get(key);
      if (known === undefined) found.set(key, [shape, 1]);
      else known[1] += 1;
    }
    return { l: [...found.values()] };
  };
  /** @param {[string, any][]} entries @returns {Shape} */
  const fieldsShape = (entries) => {
    /** @type {Record<string, Shape>} */
    const fields = {};
    for (const [name, item] of entries) {
      if (asJson && /^(undefined|symbol|function)$/.test(typeof item)) continue;
      fields[names.replace(name, fields)] = shapeOf(item);
    }
    return { o: fields };
  };
  /** @param {any} part @returns {Shape} */
  const objectShape = (part) => {
    if (Array.isArray(part)) return listShape(part);
    if (part instanceof Date) return asJson ? 24 : DOUBLE;
    if (ArrayBuffer.isView(part) && asJson) {
      const items = Array.from(/** @type {any} */ (part), (item) => numberShape(item, true));
      if (!Buffer.isBuffer(part)) return { o: Object.fromEntries(items.entries()) };
      return fieldsShape([
        ['type', 'Buffer'],
        ['data', [...part]],
      ]);
    }
    if (ArrayBuffer.isView(part) || (part instanceof ArrayBuffer && !asJson)) return { y: part.byteLength };
    if (!asJson) {
      if (part instanceof Map) return fieldsShape([...part].map(([key, item]) => [String(key), item]));
      if (part instanceof Set) return listShape([...part]);
      if (part instanceof RegExp) return textShape(part.source, false);
      if (part instanceof Error)
        return fieldsShape([
          ['m', part.message],
          ['s', part.stack],
        ]);
    }
    return fieldsShape(Object.keys(part).map((name) => [name, part[name]]));
  };
  const shape = shapeOf(value);
  const { problem } = measureShape(shape);
  if (problem !== null) throw new RangeError(`it ${problem}`);
  return shape;
}

/**
 * A character of each class: ASCII without escape; escaped with two characters in JSON; escaped with six; Latin-1, which V8 stores in one
 * byte; others with two bytes in UTF-8; with three bytes; surrogate pairs.
 * @type {readonly string[]}
 */
export const TEXT_CLASSES = ['a', '"', '\u0001', '\u00e9', '\u03b1', '\u4e2d', '\u{1f600}'];
const SHORT_ESCAPES = new Set([8, 9, 10, 12, 13, 34, 92]);

/** @param {string} text @param {boolean} asJson @returns {Shape} */
function textShape(text, asJson) {
  if (PLAIN_TEXT.test(text)) return text.length;
  const counts = TEXT_CLASSES.map(() => 0);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) counts[SHORT_ESCAPES.has(unit) ? 1 : unit < 0x20 ? 2 : 0] += 1;
    else if (unit < 0x800) counts[unit < 0x100 ? 3 : 4] += 1;
    else if (unit < 0xd800 || unit > 0xdfff) counts[5] += 1;
    else if (unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      counts[6] += 1;
      at += 1;
    } else counts[asJson ? 2 : 4] += 1; // an unpaired surrogate
  }
  return counts;
}

/** @param {number | bigint} value @param {boolean} asJson @returns {Shape} */
function numberShape(value, asJson) {
  if (!Number.isFinite(Number(value))) return asJson ? null : DOUBLE;
  const [digits, exponent] = String(value).split('e');
  const pattern = digits.replaceAll(/[1-9]|0(?!\.)|(?<=\d)0/g, '9');
  if (exponent !== undefined) return `${pattern}e${exponent}`;
  // V8 serialises a number of ten digits as a small integer only if it begins with 1 or 2.
  return Number(value) === (Number(value) | 0) && pattern.length >= 10 ? pattern.replace('9', '1') : pattern;
}
