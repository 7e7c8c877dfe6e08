// Parsers of sizes, times, counts and choices, and of ranges and lists of these. Callers pass limits. Malformed text is refused, never
// rounded or guessed.

import { readFileSync } from 'node:fs';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { formatCount } from '../format/numbers.js';
import { quoted } from '../format/printable.js';
import { decodeText } from '../format/saved-text.js';

/** @typedef {{ label: string, code: 'BAD_ARGUMENT' | 'BAD_CONFIG' }} Source   `label` is, for example, '--payload' */
/** @typedef {{ texts: string[], source: Source }} Given   The texts of a switch are ['true'] or ['false']. */
/** @typedef {(flag: string) => Given | undefined} Find   Reads the strongest layer that has the flag. */
/**
 * @typedef {{ units: Readonly<Record<string, number>>, noun: string, examples: string, limitUnit?: string, hasFractions?: boolean }} Quantity
 *   limitUnit: the unit with factor 1, in which limits and results are given; without hasFractions, values are whole multiples of it
 */
/** @typedef {{ min: number, max: number }} Limits */

/** @type {Quantity} */
export const COUNT = { units: { '': 1, k: 1e3, M: 1e6 }, noun: 'a whole number', examples: '4 or 10k' };
/** @type {Quantity} */
export const BYTES = {
  units: {
    '': 1,
    B: 1,
    k: 1e3,
    kB: 1e3,
    M: 1e6,
    MB: 1e6,
    G: 1e9,
    GB: 1e9,
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30,
  },
  limitUnit: 'bytes',
  noun: 'a size',
  examples: 'bytes as 1000, 10k (= 10,000), 64KiB (= 65,536) or 1MiB',
};
/** @type {Quantity} */
export const DURATION = {
  units: { ms: 1, s: 1e3, min: 60e3 },
  limitUnit: 'ms',
  noun: 'a time',
  examples: '600ms, 2s or 1min',
};

// A longer list is a mistake: no chart shows a thousand values on an axis.
const LONGEST_LIST = 1000;

/** @param {Source} source @param {string} reason @returns {never} */
export function refuse(source, reason) {
  throw new BenchError(source.code, `${source.label}: ${reason}`);
}

/** @param {string} text @param {Quantity} quantity @param {Limits} limits   in the unit with factor 1 @param {Source} source */
export function parseQuantity(text, quantity, limits, source) {
  const [, digits, unit] = /^(-?\d+(?:\.\d+)?)([a-z]*)$/i.exec(text) ?? [];
  if (digits === undefined || (unit === '' && GROUPED.test(digits))) {
    const meant = withoutSeparators(text);
    const hint = meant === text ? '' : `. Did you mean ${meant}?`;
    refuse(source, `${quoted(text)} is not ${quantity.noun}; write ${quantity.examples}${hint}`);
  }
  if (!Object.hasOwn(quantity.units, unit)) refuseUnit(text, unit, quantity, source);
  // 16.1 * 1000 is 16100.000000000002 in binary.
  const value = Number((Number(digits) * quantity.units[unit]).toPrecision(15));
  const reach = `${Number.isInteger(limits.min) ? formatCount(limits.min) : limits.min} to ${formatCount(limits.max)}`;
  const unitName = quantity.limitUnit === undefined ? '' : ` ${quantity.limitUnit}`;
  if (value < limits.min || value > limits.max) {
    refuse(source, `${quoted(text)} is out of range; it goes from ${reach}${unitName}`);
  }
  if (!quantity.hasFractions && !Number.isInteger(value)) {
    refuse(source, `${quoted(text)} is not a whole number${unitName && ` of${unitName}`}; round it yourself`);
  }
  return value;
}

const DIGIT = /\p{Nd}/u;
const GROUPED = /^-?[1-9]\d{0,2}(?:[ _'’.,]\d{3})+(?![\d.,])/;

/** @param {string} text @returns {string} '1500' for '1,500', '1 500', '1_500', '1.5e3' and for digits of other scripts */
function withoutSeparators(text) {
  // The ten digits of a script have consecutive code points.
  const latin = text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const value = [...Array(10).keys()].find((less) => !DIGIT.test(String.fromCodePoint(code - less - 1)));
    return String(value ?? digit);
  });
  const plain = latin
    .trim()
    .replace(GROUPED, (grouped) => grouped.replaceAll(/[ _'’.,]/g, ''))
    .replace(/^(-?\d+),(?=\d+[a-z])/i, '$1.')
    .replace(/(\d)\s+(?=[a-z]+$)/i, '$1');
  const isExponent = /^\d+(?:\.\d+)?e\+?\d{1,2}$/i.test(plain) || /^0x[\da-f]+$/i.test(plain);
  const value = isExponent ? String(Number(plain)) : plain;
  return /^-?\d+(?:\.\d+)?[a-z]*$/i.test(value) ? value : text;
}

const ROUND = /^(?:[1-9]|25)0*$/;
const isPowerOfTwo = (/** @type {number} */ value) => Number.isInteger(Math.log2(value));

/**
 * Refuses '1,500', which is either a number or a list. '10,100' and '64,256' are lists: their values are round or powers of two, the first
 * is at least 10, and each other one is greater than the previous one, but at most ten times as great.
 * @param {string} text   as written in one occurrence of the flag
 * @param {Quantity} quantity
 * @param {Limits} limits
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

/** @param {string} text @param {string} unit @param {Quantity} quantity @param {Source} source @returns {never} */
function refuseUnit(text, unit, quantity, source) {
  if (unit === '') refuse(source, `${quoted(text)} has no unit; write ${quantity.examples}`);
  const wanted = unit.toLowerCase().replace(/b$/, '').replace(/i$/, '');
  const meant = Object.keys(quantity.units).filter(
    (known) => known !== '' && known.toLowerCase().replace(/i?b$/, '') === wanted,
  );
  const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`;
  refuse(source, `${quoted(text)} has an unknown unit "${unit}"; write ${quantity.examples}.${hint}`);
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
 * @param {Quantity} quantity
 * @param {Limits} limits
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
    if (values.length > LONGEST_LIST) {
      const reason = `the range ${quoted(text)} has more than ${formatCount(LONGEST_LIST)} values`;
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
      if (values.length > LONGEST_LIST) refuseLongList(source);
    }
  }
  return values;
}

/** @param {Source} source @returns {never} */
function refuseLongList(source) {
  refuse(source, `more than ${formatCount(LONGEST_LIST)} values; no report could show them`);
}

/** @param {string[]} texts   may be lists with commas @param {Source} source */
export function splitList(texts, source) {
  const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim());
  if (parts.every((part) => part === '')) refuse(source, 'needs a value');
  if (parts.includes('')) {
    refuse(source, `${quoted(texts.join(','))} has an empty entry; remove the comma too many`);
  }
  if (parts.length > LONGEST_LIST) refuseLongList(source);
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

/** @param {Given | undefined} given */
export function isOn(given) {
  return given?.texts[0] === 'true';
}

/** @param {string} path   a file in UTF-8, or in UTF-16, which PowerShell 5 writes @param {Source} source */
export function readText(path, source) {
  try {
    return decodeText(readFileSync(path));
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new BenchError(source.code, `${source.label}: cannot read ${path} (${code}); check the path`, {
      cause,
    });
  }
}

/** Makes the parser of a list. @template {string} T @param {readonly T[]} values @returns {(texts: string[], source: Source) => T[]} */
export function choices(values) {
  return (texts, source) => unique(splitList(texts, source).map((text) => parseChoice(text, values, source)));
}

/**
 * @param {Quantity} quantity
 * @param {Limits} limits
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
