// The shape of a message: its structure, with the kind and the length of each value and nothing of its content. A message of
// the same shape can be made of it, which takes every codec as long as the real one.

import { createHmac } from 'node:crypto';
import { isProxy } from 'node:util/types';
import { seededRandom } from '../statistics/random.js';

/**
 * null; true: a boolean; a number of characters: a text of ASCII without escapes; [units, bytes of UTF-8, further bytes of
 * JSON]: any other text; i, d: digits of an integer, of a decimal number before and after its point; l: items of a list that
 * has `n`, the first of which stand for all; o: fields by their replaced names; y: bytes, as a text of that length.
 * @typedef {null | true | number | [number, number, number] | { i: number, m?: 1 } | { d: [number, number], m?: 1 } | { l: Shape[], n: number } | { o: Record<string, Shape> } | { y: number }} Shape
 */

const MOST_NODES = 2_000;
const MOST_ITEMS = 100;
const MOST_FIELDS = 500;
const MOST_DEPTH = 50;
const MOST_NAMES = 5_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SIMPLE_TEXT = /^[ !#-[\]-~]*$/;
const { hasOwn, getOwnPropertyDescriptor } = Object;

/**
 * @param {any} value
 * @param {boolean} asJson   it is going to be JSON: toJSON() would be called
 * @returns {boolean} serialising it runs no code of the program: no getter, no toJSON(), no proxy
 */
export function isInert(value, asJson) {
  let left = 100_000;
  const pending = [value];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part === 'function') return false;
    if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) continue;
    left -= 1;
    if (left === 0 || isProxy(part)) return false;
    if (Array.isArray(part)) {
      for (const item of part) if (typeof item === 'object' && item !== null) pending.push(item);
      continue;
    }
    if (part instanceof Date || part instanceof RegExp || part instanceof ArrayBuffer) continue;
    if (part instanceof Map || part instanceof Set) {
      for (const item of part instanceof Map ? [...part].flat() : part) pending.push(item);
      continue;
    }
    if (asJson && typeof part.toJSON === 'function') return false;
    for (const key of Object.keys(part)) {
      const found = getOwnPropertyDescriptor(part, key);
      if (found === undefined || !hasOwn(found, 'value')) return false;
      if (typeof found.value === 'object' && found.value !== null) pending.push(found.value);
    }
  }
  return true;
}

/** Replaces names by others of the same length: the same ones for the same names, in all processes that share the key. */
export class NameReplacer {
  /** @param {string} key   of this recording, and kept nowhere */
  constructor(key) {
    this.key = key;
    /** @type {Map<string, string>} */
    this.names = new Map();
  }

  /** @param {string} name @param {number} [turn]   another one, where the first is taken */
  replace(name, turn = 0) {
    const known = turn === 0 ? this.names.get(name) : undefined;
    if (known !== undefined) return known;
    const digest = createHmac('sha256', this.key).update(`${turn} ${name}`).digest();
    const length = Math.max(1, Buffer.byteLength(name));
    let replaced = '';
    for (let at = 0; at < length; at += 1) replaced += LETTERS[digest[at % digest.length] % LETTERS.length];
    if (turn === 0 && this.names.size < MOST_NAMES) this.names.set(name, replaced);
    return replaced;
  }
}

/** @param {any} value   that is inert @param {NameReplacer} names @returns {Shape} */
export function readShape(value, names) {
  const budget = { nodes: MOST_NODES };
  return shapeOf(value, names, budget, 0);
}

/** @param {any} value @param {NameReplacer} names @param {{ nodes: number }} budget @param {number} depth @returns {Shape} */
function shapeOf(value, names, budget, depth) {
  budget.nodes -= 1;
  switch (typeof value) {
    case 'string':
      return textShape(value);
    case 'number':
      return numberShape(value);
    case 'bigint':
      return { i: Math.min(15, String(value).length) };
    case 'boolean':
      return true;
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null || budget.nodes <= 0 || depth === MOST_DEPTH) return null;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return { y: value.byteLength };
  if (value instanceof Date) return 24;
  const inner = (/** @type {any} */ part) => shapeOf(part, names, budget, depth + 1);
  if (value instanceof Map)
    return shapeOf(
      Object.fromEntries([...value].map(([key, item]) => [String(key), item])),
      names,
      budget,
      depth + 1,
    );
  const list = Array.isArray(value) ? value : value instanceof Set ? [...value] : null;
  if (list !== null) return { l: list.slice(0, MOST_ITEMS).map(inner), n: list.length };
  /** @type {Record<string, Shape>} */
  const fields = {};
  for (const name of Object.keys(value).slice(0, MOST_FIELDS)) {
    const item = value[name];
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
    let replaced = names.replace(name);
    for (let turn = 1; hasOwn(fields, replaced) && turn < 20; turn += 1) replaced = names.replace(name, turn);
    fields[replaced] = inner(item);
  }
  return { o: fields };
}

/** @param {string} text @returns {Shape} */
function textShape(text) {
  if (SIMPLE_TEXT.test(text)) return text.length;
  const bytes = Buffer.byteLength(text);
  const escaped = Buffer.byteLength(JSON.stringify(text)) - 2;
  return [text.length, bytes, Math.max(0, escaped - bytes)];
}

/** @param {number} value @returns {Shape} */
function numberShape(value) {
  if (!Number.isFinite(value)) return null;
  const sign = value < 0 ? { m: /** @type {1} */ (1) } : {};
  const [whole, fraction] = String(Math.abs(value)).replace(/e.*/, '').split('.');
  if (fraction === undefined) return { i: Math.min(whole.length, 15), ...sign };
  return {
    d: [Math.min(whole.length, 15), Math.min(fraction.length, 16 - Math.min(whole.length, 15))],
    ...sign,
  };
}

/** @param {Shape} shape @param {number} seed @returns {any} a value of that shape, of JSON */
export function makeValue(shape, seed) {
  return valueOfShape(shape, seededRandom(seed));
}

/** @param {Shape} shape @param {() => number} random @returns {any} */
function valueOfShape(shape, random) {
  if (shape === null) return null;
  if (shape === true) return random() < 0.5;
  if (typeof shape === 'number') return makeText(shape, shape, 0, random);
  if (Array.isArray(shape)) return makeText(...shape, random);
  if ('i' in shape) return Number(digits(shape.i, random)) * (shape.m ? -1 : 1);
  if ('d' in shape) {
    // Its last digit is none that would be left out.
    const [whole, fraction] = shape.d;
    return (
      Number(`${digits(whole, random)}.${digits(fraction, random).split('').reverse().join('')}`) *
      (shape.m ? -1 : 1)
    );
  }
  if ('y' in shape) return makeText(shape.y, shape.y, 0, random);
  if ('l' in shape)
    return Array.from({ length: shape.n }, (_, place) =>
      valueOfShape(shape.l[place % shape.l.length], random),
    );
  return Object.fromEntries(
    Object.entries(shape.o).map(([name, part]) => [name, valueOfShape(part, random)]),
  );
}

/** @param {number} count @param {() => number} random @returns {string} the first one no zero, unless it is alone */
function digits(count, random) {
  let text = '';
  for (let at = 0; at < count; at += 1) {
    const least = at === 0 && count > 1 ? 1 : 0;
    text += least + Math.floor(random() * (10 - least));
  }
  return text;
}

// V8 keeps each short text that it parses once, so that one that it has met costs a fraction of a new one. In messages they are kinds
// and states more often than anything else, and come again.
const SHORT = 10;
const SHORT_TEXTS = 16; // of a length

const TILE = 1_024; // drawing each letter of a long text would take longer than sending it

/** @param {number} units @param {number} bytes @param {number} escapes @param {() => number} random */
function makeText(units, bytes, escapes, random) {
  const extra = Math.max(0, bytes - units);
  const wide = extra > units ? Math.ceil(extra / 2) : 0; // characters of three bytes, the others of two
  const middle = extra - 2 * wide < 0 ? 0 : extra - 2 * wide;
  const quotes = Math.min(escapes, Math.max(0, units - wide - middle));
  const plain = Math.max(0, units - wide - middle - quotes);
  if (units <= SHORT) {
    const { length } = LETTERS;
    const first = Math.floor(random() * SHORT_TEXTS);
    const letters = Array.from(
      { length: plain },
      (_, at) => LETTERS[(first * (plain + 1) + 7 * at) % length],
    );
    return '\u4e2d'.repeat(wide) + '\u00e9'.repeat(middle) + '"'.repeat(quotes) + letters.join('');
  }
  let tile = '';
  for (let at = 0; at < Math.min(plain, TILE); at += 1)
    tile += LETTERS[Math.floor(random() * LETTERS.length)];
  const letters = plain <= TILE ? tile : tile.repeat(Math.ceil(plain / TILE)).slice(0, plain);
  return '\u4e2d'.repeat(wide) + '\u00e9'.repeat(middle) + '"'.repeat(quotes) + letters;
}
