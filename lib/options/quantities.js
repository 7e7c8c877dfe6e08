// Parsers of choices, and of ranges and lists of quantities. Malformed text is refused, never rounded or guessed.

import { readFileSync } from 'node:fs';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { formatCount } from '../format/numbers.js';
import { quoted } from '../format/printable.js';
import { COUNT, parseQuantity, refuse } from '../format/quantity.js';
import { decodeSavedText } from '../format/saved-text.js';

/** @import { QuantityLimits, QuantityFormat, Source } from '../format/quantity.js' */
/** @typedef {{ texts: string[], source: Source }} FlagTexts   The texts of a switch are ['true'] or ['false']. */
/** @typedef {(flag: string) => FlagTexts | undefined} FindFlag   Reads the strongest layer that has the flag. */

// A longer list is a mistake: no chart shows a thousand values on an axis.
const MAX_LIST = 1000;

const ROUND = /^(?:[1-9]|25)0*$/;
const isPowerOfTwo = (/** @type {number} */ value) => Number.isInteger(Math.log2(value));

/**
 * Refuses '1,500', which is either a number or a list. '10,100' and '64,256' are lists: their values are round or powers of two, the first
 * is at least 10, and each further value is greater than the one before it, but at most ten times as great.
 * @param {string} text   as written in one occurrence of the flag
 * @param {QuantityFormat} quantity
 * @param {QuantityLimits} limits
 * @param {Source} source
 */
export function refuseGroups(text, { units }, { min, max }, source) {
  const [, digits, unit] = /^(\d{1,3}(?:,\d{3})+)([a-z]*)$/i.exec(text) ?? [];
  const parts = (digits ?? '').split(',');
  const values = parts.map(Number);
  const value = Number(parts.join(''));
  const isGrouped = /(?:^|[^\d.])\d{1,3}(?:,\d{3})*,0\d\d(?!\d)/.test(text);
  if (!isGrouped) {
    const scaled = value * (units[unit] ?? 1);
    if (digits === undefined || scaled < min || scaled > max) return;
    const isList = values.every((each, at) => {
      const grows = at === 0 ? each >= 10 : each > values[at - 1] && each <= 10 * values[at - 1];
      return grows && (ROUND.test(String(each)) || isPowerOfTwo(each));
    });
    if (isList && unit === '' && !isPowerOfTwo(value)) return;
  }
  const one = text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '');
  const list = isGrouped
    ? ''
    : `, or "${[...parts.slice(0, -1), parts.at(-1) + unit].join(', ')}" for a list`;
  refuse(source, `${quoted(text)} may be one number; write ${one}${list}`);
}

/** @param {string} text @returns {number} 2.5 for '2.5%'; NaN if the text is not a percentage */
export function parsePercent(text) {
  const [, digits] = /^(\d+(?:\.\d+)?) ?%$/.exec(text) ?? [];
  return Number(digits);
}

/**
 * Parses one value, or a range: `1..4` is every whole number, and `10..100k*10` multiplies until the end is passed. The end
 * belongs to the range only if a step reaches it.
 * @param {string} text
 * @param {QuantityFormat} quantity
 * @param {QuantityLimits} limits
 * @param {Source} source
 */
export function parseRange(text, quantity, limits, source) {
  const [, from, to, factorText] = /^(.*?)\.\.([^*]*)(?:\*(.*))?$/s.exec(text) ?? [];
  if (from === undefined) return [parseQuantity(text, quantity, limits, source)];
  const first = parseQuantity(from, quantity, limits, source);
  const last = parseQuantity(to, quantity, limits, source);
  if (first > last) refuse(source, `the range ${quoted(text)} runs backwards; write ${to}..${from}`);
  const ofFactor = { ...source, label: `${source.label}: the factor of ${quoted(text)}` };
  const factor = factorText && parseQuantity(factorText, COUNT, { min: 2, max: 1e6 }, ofFactor);
  if (factorText === '') refuse(source, `the range ${quoted(text)} has no factor; write "${from}..${to}*2"`);
  const values = [];
  for (let value = first; value <= last; value = factor ? value * factor : value + 1) {
    values.push(value);
    if (values.length > MAX_LIST) {
      const reason = `the range ${quoted(text)} has more than ${formatCount(MAX_LIST)} values`;
      refuse(source, `${reason}; write a factor as in "${from}..${to}*10"`);
    }
  }
  return values;
}

/**
 * @template T
 * @param {string[]} parts
 * @param {(part: string) => Iterable<T>} valuesOf
 * @param {Source} source
 * @returns {T[]} The values are counted as they are made, since 1000 ranges of 1000 are a million.
 */
export function expandList(parts, valuesOf, source) {
  const values = [];
  for (const part of parts) {
    for (const value of valuesOf(part)) {
      values.push(value);
      if (values.length > MAX_LIST) refuseLongList(source);
    }
  }
  return values;
}

/** @param {Source} source @returns {never} */
function refuseLongList(source) {
  refuse(source, `more than ${formatCount(MAX_LIST)} values; no report could show them`);
}

/** @param {string[]} texts   may be lists with commas @param {Source} source */
export function splitList(texts, source) {
  const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim());
  if (parts.every((part) => part === '')) refuse(source, 'needs a value');
  if (parts.includes('')) {
    refuse(source, `${quoted(texts.join(','))} has an empty entry; remove the comma too many`);
  }
  if (parts.length > MAX_LIST) refuseLongList(source);
  return parts;
}

/**
 * @template T
 * @param {T[]} values
 * @param {(value: T) => string} [keyOf]
 * @returns {T[]}
 */
export function unique(values, keyOf = String) {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}

/** @template {string} T @param {string} text @param {readonly T[]} choices @param {Source} source @returns {T} */
export function parseChoice(text, choices, source) {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const hint = didYouMean(text, choices);
  return refuse(source, `${quoted(text)} is not one of ${choices.join(', ')}.${hint}`);
}

/** @param {FlagTexts | undefined} given */
export function isOn(given) {
  return given?.texts[0] === 'true';
}

/** @param {string} path   a file in UTF-8, or in UTF-16, which PowerShell 5 writes @param {Source} source */
export function readTextFile(path, source) {
  try {
    return decodeSavedText(readFileSync(path));
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new BenchError(source.code, `${source.label}: cannot read ${path} (${code}); check the path`, {
      cause,
    });
  }
}

/**
 * @template {string} T
 * @param {readonly T[]} values
 * @returns {(texts: string[], source: Source) => T[]} parses a list of these values
 */
export function choices(values) {
  return (texts, source) => unique(splitList(texts, source).map((text) => parseChoice(text, values, source)));
}

/**
 * @param {QuantityFormat} quantity
 * @param {QuantityLimits} limits
 * @returns {(texts: string[], source: Source) => number[]} parses a list of values and ranges
 */
export function ranges(quantity, limits) {
  return (texts, source) => {
    for (const text of texts) refuseGroups(text, quantity, limits, source);
    return unique(
      expandList(splitList(texts, source), (text) => parseRange(text, quantity, limits, source), source),
    );
  };
}
