// Values and ticks of axes, durations, and shares of a core. lib/format/numbers.js formats other numbers in sentences.

import { counted } from '../../format/lists.js';
import { durationText, formatBytes, formatNumber, formatPercent, NOTHING } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { MS_PER_S } from '../../format/units.js';

/** @param {number} value @returns {string} '20k', '1.5M', '500' */
export function si(value) {
  const steps = /** @type {const} */ ([
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ]);
  for (const [size, letter] of steps) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))}${letter}`;
  }
  return String(Number(value.toPrecision(3)));
}

/** @param {number} bytes @returns {string} '10 B', '1 kB', '64 KiB', '25 KiB' for 25,600 as in headings */
function payloadTick(bytes) {
  if (bytes < 1000 || bytes % 100 !== 0 || bytes % 1024 === 0) return formatBytes(bytes);
  return bytes < 1e6 ? `${bytes / 1e3} kB` : `${bytes / 1e6} MB`;
}

/** An axis by its key in a cell, or by the name of the pieces of a payload. @typedef {{ axis?: string, unit?: string }} AxisNames */

/** @param {AxisNames} names @param {number | null} value @returns {string} '10 kB', '4 workers', '30 records' */
export function axisValueText({ axis = '', unit }, value) {
  const count = Number(value);
  if (unit !== undefined) return `${si(count)} ${printable(count === 1 ? unit.replace(/s$/, '') : unit)}`;
  return axis === 'payloadBytes' ? payloadTick(count) : counted(count, axis.replace(/s$/, ''), axis);
}

/** @param {AxisNames} names @returns {string} 'payload sizes', 'numbers of records' */
export function axisPlural({ axis, unit }) {
  return axis === 'payloadBytes' && unit === undefined
    ? 'payload sizes'
    : `numbers of ${printable(unit ?? axis ?? '')}`;
}

/** @param {number} us @param {(value: number) => string} [format] @returns {string} '217 µs', '1.16 ms' */
export function duration(us, format = formatNumber) {
  if (us >= 1e6) return `${format(us / 1e6)} s`;
  return us >= 1e3 ? `${format(us / 1e3)} ms` : `${format(us)} µs`;
}

/** @param {number} ms @returns {string} length of a recording: '3.20 s', '5 min' */
export function lengthText(ms) {
  return ms < 10 * MS_PER_S ? `${formatNumber(ms / MS_PER_S)} s` : durationText(ms);
}

/** @param {number | null | undefined} share   of a core @returns {string} '4.8 %', '< 0.1 %' */
export function formatShare(share) {
  if (share === null || share === undefined) return NOTHING;
  return share > 0 && share < 0.001 ? '< 0.1 %' : formatPercent(share, 2);
}

/** @param {number} rarity   1 / (1 - percentile) @returns {string} '0 %', '98.4 %', '99.9 %' */
function percentileTick(rarity) {
  const decimals = Math.max(0, Math.ceil(Math.log10(rarity)) - 1);
  return `${Number((100 - 100 / rarity).toFixed(decimals))} %`;
}

/** Formats of ticks. @type {Readonly<Record<'si' | 'payload' | 'duration' | 'percentile' | 'ratio', (value: number) => string>>} */
export const FORMATS = Object.freeze({
  si,
  payload: payloadTick,
  duration: (us) => duration(us, si),
  percentile: percentileTick,
  ratio: (value) => `${si(value)}×`,
});
