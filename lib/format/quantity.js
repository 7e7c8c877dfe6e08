// Parses counts, sizes and times with units. Malformed text is refused, never rounded or guessed.

import { BenchError } from '../errors.js';
import { formatCount } from './numbers.js';
import { quoted } from './printable.js';

/** @typedef {{ label: string, code: 'BAD_ARGUMENT' | 'BAD_CONFIG' }} Source   `label` is, for example, '--payload' */
/**
 * @typedef {{ units: Readonly<Record<string, number>>, noun: string, examples: string, limitUnit?: string }} QuantityFormat
 *   limitUnit: the unit with factor 1, in which limits and results are given
 */
/** @typedef {{ min: number, max: number, takesFractions?: boolean }} QuantityLimits   in the unit with factor 1 */

/** @type {QuantityFormat} */
export const COUNT = { units: { '': 1, k: 1e3, M: 1e6 }, noun: 'a whole number', examples: '4 or 10k' };
/** @type {QuantityFormat} */
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
/** @type {QuantityFormat} */
export const DURATION = {
  units: { ms: 1, s: 1e3, min: 60e3 },
  limitUnit: 'ms',
  noun: 'a time',
  examples: '600ms, 2s or 1min',
};

/** @param {Source} source @param {string} reason @returns {never} */
export function refuse(source, reason) {
  throw new BenchError(source.code, `${source.label}: ${reason}`);
}

const FORM = /^(-?\d+(?:\.\d+)?)([a-zµ]*)$/i;
const DIGIT = /\p{Nd}/u;
const MAY_BE_GROUPED = /^-?[1-9]\d{0,2}\.\d{3}$/; // 1.500, which is 1500 in many countries

/**
 * Other notations of a number, with an optional unit. The first that matches is used.
 * @type {readonly { notation: RegExp, plain: (number: string) => string }[]}
 */
const NOTATIONS = [
  {
    notation: /^(-?[1-9]\d{0,2}(?:[ _'’.,]\d{3})+)\s*([a-z]*)$/i,
    plain: (number) => number.replaceAll(/[ _'’.,]/g, ''),
  },
  { notation: /^(-?\d+,\d+)([a-z]+)$/i, plain: (number) => number.replace(',', '.') },
  { notation: /^(0x[\da-f]+|\d+(?:\.\d+)?e\+?\d{1,2})()$/i, plain: (number) => String(Number(number)) },
  { notation: /^(-?\d+(?:\.\d+)?)\s*([a-z]*)$/i, plain: (number) => number },
];

/** @param {string} text @param {QuantityFormat} quantity @param {QuantityLimits} limits @param {Source} source @returns {number} */
export function parseQuantity(text, quantity, limits, source) {
  const [, digits, unit] = FORM.exec(text) ?? [];
  const isGrouped = unit === '' && limits.takesFractions !== true && MAY_BE_GROUPED.test(digits);
  if (digits === undefined || isGrouped) refuseForm(text, quantity, limits, source);
  const value = readQuantity(text, quantity);
  if (value === undefined) return refuseUnit(text, { digits, unit }, quantity, { limits, source });
  if (isOutside(value, limits)) refuseValue(text, quantity, limits, source);
  if (!isWholeEnough(value, limits)) {
    const { limitUnit } = quantity;
    const ofUnit = limitUnit === undefined ? '' : ` of ${limitUnit}`;
    refuse(source, `${quoted(text)} is not a whole number${ofUnit}; round it yourself`);
  }
  return value;
}

/**
 * @param {string} text
 * @param {QuantityFormat} quantity
 * @returns {number | undefined} the value in the unit with factor 1; undefined if the text is no number or has another unit
 */
export function readQuantity(text, { units }) {
  const [, digits, unit] = FORM.exec(text) ?? [];
  if (digits === undefined || !Object.hasOwn(units, unit)) return undefined;
  // 16.1 * 1000 is 16100.000000000002 in binary.
  return Number((Number(digits) * units[unit]).toPrecision(15));
}

/** @param {number} value @param {QuantityLimits} limits */
function isOutside(value, { min, max }) {
  return value < min || value > max;
}

/** @param {number} value @param {QuantityLimits} limits */
function isWholeEnough(value, { takesFractions = false }) {
  return takesFractions || Number.isInteger(value);
}

/** @param {string} text @param {QuantityFormat} quantity @param {QuantityLimits} limits @param {Source} source @returns {never} */
function refuseValue(text, { limitUnit }, { min, max }, source) {
  const least = Number.isInteger(min) ? formatCount(min) : String(min);
  const range = max === Infinity ? `starts at ${least}` : `goes from ${least} to ${formatCount(max)}`;
  const unit = limitUnit === undefined ? '' : ` ${limitUnit}`;
  refuse(source, `${quoted(text)} is out of range; it ${range}${unit}`);
}

/**
 * Suggests the plain form of the number, if that would be accepted.
 * @param {string} text
 * @param {QuantityFormat} quantity
 * @param {QuantityLimits} limits
 * @param {Source} source
 * @returns {never}
 */
function refuseForm(text, quantity, limits, source) {
  const meant = normaliseNumber(text);
  const value = meant === text ? undefined : readQuantity(meant, quantity);
  if (value !== undefined && isOutside(value, limits)) refuseValue(text, quantity, limits, source);
  const hint = value === undefined || !isWholeEnough(value, limits) ? '' : `. Did you mean ${meant}?`;
  refuse(source, `${quoted(text)} is not ${quantity.noun}; write ${quantity.examples}${hint}`);
}

/** @param {string} text @returns {string} '1500' for '1,500', '1 500', '1_500', '1.5e3' and for digits of other scripts */
function normaliseNumber(text) {
  const written = toLatinDigits(text).trim();
  for (const { notation, plain } of NOTATIONS) {
    const [, number, unit] = notation.exec(written) ?? [];
    if (number !== undefined) return plain(number) + unit;
  }
  return text;
}

/** @param {string} text */
function toLatinDigits(text) {
  // The ten digits of a script have consecutive code points.
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const value = [...Array(10).keys()].find((less) => !DIGIT.test(String.fromCodePoint(code - less - 1)));
    return String(value ?? digit);
  });
}

/**
 * @param {string} text
 * @param {{ digits: string, unit: string }} parts
 * @param {QuantityFormat} quantity
 * @param {{ limits: QuantityLimits, source: Source }} how
 * @returns {never}
 */
function refuseUnit(text, { digits, unit }, quantity, { limits, source }) {
  if (unit === '') refuse(source, `${quoted(text)} has no unit; write ${quantity.examples}`);
  const wanted = unit.toLowerCase().replace(/b$/, '').replace(/i$/, '');
  const meant = Object.entries(quantity.units).filter(
    ([known, factor]) =>
      known !== '' &&
      known.toLowerCase().replace(/i?b$/, '') === wanted &&
      !isOutside(Number(digits) * factor, limits),
  );
  const hint = meant.length === 0 ? '' : ` Did you mean ${meant.map(([known]) => known).join(' or ')}?`;
  refuse(source, `${quoted(text)} has an unknown unit "${unit}"; write ${quantity.examples}.${hint}`);
}
