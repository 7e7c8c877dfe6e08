// Formats numbers for people: with few digits, thousands separators and a unit. Files for machines contain raw numbers. Ignores the locale,
// so that the same results always give the same text.

/** @import { Estimate, Interval } from '../types/index.js' */

const SIGNIFICANT_DIGITS = 3;
// An interval narrower than the third digit is shown with up to two more digits. Further digits would be noise.
const MAX_DIGITS = 5;
/** Replaces a missing number. */
export const NOTHING = '–';
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** @param {number} value @returns {number} the power of ten of its first digit; 0 for 0 */
function magnitude(value) {
  return value === 0 ? 0 : Number(value.toExponential().split('e')[1]);
}

/**
 * @param {number} value
 * @param {number} lastDigit    power of ten of the last digit that is shown
 * @returns {string} '13,000' for 13,024 and lastDigit 2; '−0.040' with a minus sign, which differs from the dash of a range
 */
function roundedAt(value, lastDigit) {
  const decimals = Math.min(20, Math.max(0, -lastDigit));
  const step = 10 ** Math.max(0, lastDigit);
  const size = Math.abs(value);
  const rounded = lastDigit > 0 ? Math.round(size / step) * step : size;
  const [whole, fraction] = rounded.toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** @param {number} count @returns {string} '1,000,003' */
export function formatCount(count) {
  return roundedAt(count, 0);
}

/** @param {number} perSecond @returns {string} '12,000/s', '0.500/s' */
export function formatRate(perSecond) {
  return `${Number.isInteger(perSecond) ? formatCount(perSecond) : formatNumber(perSecond)}/s`;
}

/** @param {number} value @returns {string} three significant digits: '13,000', '38.2', '0.0410', '0' */
export function formatNumber(value) {
  if (value === 0) return '0';
  // Rounds first, since 999.6 becomes 1,000, whose third digit has another place value.
  return roundedAt(value, magnitude(Number(value.toPrecision(SIGNIFICANT_DIGITS))) - SIGNIFICANT_DIGITS + 1);
}

/** @param {number[]} values @param {string} [between] @param {(value: number) => string} [format] @returns {string} '5.72', '5.10–5.72' */
export function spanText(values, between = '–', format = formatNumber) {
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map(format);
  return least === greatest ? least : `${least}${between}${greatest}`;
}

/** @param {number | null} value @param {(value: number) => string} [format] */
export function orNothing(value, format = formatNumber) {
  return value === null ? NOTHING : format(value);
}

/**
 * @param {Pick<Estimate, 'level' | 'n' | 'method'>} estimate
 * @returns {boolean} whether it has an interval or a range; a single launch without slices has neither
 */
export function hasRange({ level, n, method }) {
  return level !== null || (n > 1 && method !== 'unknown');
}

/** Printed instead of an interval that the launches do not determine. */
const UNKNOWN = 'unknown';
/** The legend for UNKNOWN. */
export const UNKNOWN_NOTE =
  'unknown = the launches are too few for an interval, or it is wider than a factor of 100: add --launches.';

/** @typedef {Pick<Estimate, 'estimate' | 'low' | 'high'> & { simultaneous?: Interval }} WithEnds */

/**
 * @param {WithEnds} estimate
 * @returns {Interval} the interval that is printed and that verdicts use: the simultaneous one if there is one
 */
export function shownInterval({ low, high, simultaneous }) {
  return simultaneous ?? { low, high };
}

/**
 * @param {WithEnds} shown
 * @param {number} lastDigit   power of ten of the last digit; more digits are shown if the interval is narrower
 * @returns {string[]} the estimate and both ends of its interval
 */
function intervalParts(shown, lastDigit) {
  const { estimate } = shown;
  const { low, high } = shownInterval(shown);
  const halfWidth = (high - low) / 2;
  const finest = magnitude(estimate) - MAX_DIGITS + 1;
  const shownDigit =
    halfWidth === 0 ? lastDigit : Math.min(lastDigit, Math.max(finest, magnitude(halfWidth)));
  return [estimate, low, high].map((value) => roundedAt(value, shownDigit));
}

/**
 * @param {Estimate} estimate
 * @param {number} lastDigit   power of ten of its last digit
 * @param {string} unit   written after the estimate
 */
function intervalText(estimate, lastDigit, unit) {
  const { level, method } = estimate;
  if (!hasRange(estimate)) {
    const value = `${roundedAt(estimate.estimate, lastDigit)}${unit}`;
    return method === 'unknown' ? `${value} (${UNKNOWN})` : value;
  }
  const [middle, from, to] = intervalParts(estimate, lastDigit);
  const ends = estimate.low < 0 ? `${from} to ${to}` : `${from}–${to}`;
  return level === null ? `${middle}${unit} [${ends}]` : `${middle}${unit} (${ends})`;
}

/**
 * @param {Estimate} estimate
 * @param {string} [unit]   written after the estimate
 * @returns {string} '13,000 (12,600–13,400)', '13,000 [12,600–13,400]' for the range of too few launches; '13,000' for one
 *   launch without slices
 */
export function formatInterval(estimate, unit = '') {
  return intervalText(estimate, magnitude(estimate.estimate) - SIGNIFICANT_DIGITS + 1, unit);
}

/** @param {number} ratio @returns {number} power of ten of the last digit: two decimals, fewer from 10 and more below 0.1 */
function lastDigitOfRatio(ratio) {
  return ratio < 0.1 ? magnitude(ratio) - 1 : Math.max(-2, magnitude(ratio) - SIGNIFICANT_DIGITS + 1);
}

/** @param {number} ratio @returns {string} '1.62×' */
export function formatRatio(ratio) {
  return `${roundedAt(ratio, lastDigitOfRatio(ratio))}×`;
}

/** @param {Estimate} ratio @returns {string} '1.62× (1.55–1.70)' */
export function formatRatioInterval(ratio) {
  return intervalText(ratio, lastDigitOfRatio(ratio.estimate), '×');
}

/**
 * @param {Estimate} ratio
 * @param {string} what      'the throughput of pipe/json'
 * @param {string} [basis]   ', 10 groups'
 * @returns {string} '1.62× the throughput of pipe/json (95 % CI 1.55–1.70)'; with '[1.55–1.70]' for the range of too few launches, with
 *   '(95 % CI unknown)' if the interval is unknown, and without a range for one launch without slices
 */
export function formatRatioOf(ratio, what, basis = '') {
  const lastDigit = lastDigitOfRatio(ratio.estimate);
  if (!hasRange(ratio)) {
    const value = `${roundedAt(ratio.estimate, lastDigit)}× ${what}`;
    return ratio.method === 'unknown' ? `${value} (95 % CI ${UNKNOWN})` : value;
  }
  const [middle, from, to] = intervalParts(ratio, lastDigit);
  const ends = ratio.level === null ? `[${from}–${to}]` : `(95 % CI ${from}–${to}${basis})`;
  return `${middle}× ${what} ${ends}`;
}

/** @param {Estimate} ratio @returns {string} '1.55–1.70', the ends alone */
export function formatRatioEnds(ratio) {
  if (ratio.method === 'unknown') return UNKNOWN;
  const [, from, to] = intervalParts(ratio, lastDigitOfRatio(ratio.estimate));
  return `${from}–${to}`;
}

/**
 * @param {WithEnds} ratio
 * @returns {[number, number]} both ends of its interval as printed
 */
export function printedRatioEnds(ratio) {
  const [, low, high] = intervalParts(ratio, lastDigitOfRatio(ratio.estimate));
  return [Number(low.replaceAll(',', '')), Number(high.replaceAll(',', ''))];
}

/** @param {number[]} ratios   at least one @returns {string} '1.28–1.81×', '1.28×' */
export function formatRatioRange(ratios) {
  const [least, greatest] = [Math.min(...ratios), Math.max(...ratios)];
  const to = formatRatio(greatest);
  return formatRatio(least) === to ? to : `${roundedAt(least, lastDigitOfRatio(least))}–${to}`;
}

/**
 * @param {number} share       1 is the whole
 * @param {number} [digits]    most significant digits; whole percents by default
 * @returns {string} '97 %', '2.5 %'
 */
export function formatPercent(share, digits) {
  const percent = share * 100;
  const text = digits === undefined ? formatCount(percent) : String(Number(percent.toPrecision(digits)));
  return `${text.replace('-', '−')} %`;
}

/** @param {number} share @returns {string} '4.9 %', '5.0 %' */
export function formatTenthsOfPercent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

/** @param {number} bytes   exact size @returns {string} '1,000 B', '64 KiB', '1 MiB' */
export function formatBytes(bytes) {
  let value = bytes;
  let step = 0;
  while (value > 0 && value % 1024 === 0 && step < BYTE_UNITS.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${formatCount(value)} ${BYTE_UNITS[step]}`;
}

/** @param {number} bytes   measured size @returns {string} '182 MiB' */
export function formatMemory(bytes) {
  let value = bytes;
  let step = 0;
  // With three digits, 999.5 would be printed as 1,000.
  while (value >= 999.5 && step < BYTE_UNITS.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${step === 0 ? formatCount(value) : formatNumber(value)} ${BYTE_UNITS[step]}`;
}

/** @param {number} ms @returns {string} '45.2 ms', '4.00 s' */
export function pauseText(ms) {
  return ms < 1000 ? `${formatNumber(ms)} ms` : `${formatNumber(ms / 1000)} s`;
}

/** @param {string} instant   ISO 8601, UTC @returns {string} '2026-01-15 09:00 UTC' */
export function formatInstant(instant) {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}

/** @param {number} ms @returns {string} '45 s', '3 min 20 s', '2 h 5 min' */
export function durationText(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
