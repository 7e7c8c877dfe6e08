// The ends of axes, and the values of their ticks.

import { textPx } from '../style/letters.js';

/**
 * @param {number} greatest   positive
 * @returns end and tick step of a linear axis from zero; the end is a multiple of the step, which is a round number
 */
export function linearEnd(greatest) {
  const rough = greatest / 5;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  return { max: Math.ceil(greatest / step) * step, step };
}

/** @param {number[]} values   positive @returns the ends of a log axis, at 1, 2 or 5 times a power of ten */
export function logEnds(values) {
  /** @param {number} value */
  const magnitude = (value) => 10 ** Math.floor(Math.log10(value));
  const least = Math.min(...values) * 0.9;
  const greatest = Math.max(...values) * 1.1;
  const factorBelow = [5, 2, 1].find((factor) => factor * magnitude(least) <= least) ?? 1;
  const factorAbove = [1, 2, 5, 10].find((factor) => factor * magnitude(greatest) >= greatest) ?? 10;
  return { min: factorBelow * magnitude(least), max: factorAbove * magnitude(greatest) };
}

const TICK_GAP_PX = 8;

/**
 * @param {number[]} values   ticks of a log axis, ascending
 * @param {number} plotPx     length of the axis
 * @param {(value: number) => string} format
 * @returns {number[]} the first value, the last if both texts fit, and those between them whose texts fit
 */
export function ticksAt(values, plotPx, format) {
  const [first, last] = [values[0], values[values.length - 1]];
  const placeOf = (/** @type {number} */ value) =>
    first === last ? 0 : (plotPx * Math.log(value / first)) / Math.log(last / first);
  const haveRoom = (/** @type {number} */ one, /** @type {number} */ other) =>
    placeOf(other) - placeOf(one) >= (textPx(format(one)) + textPx(format(other))) / 2 + TICK_GAP_PX;
  const ticks = [first];
  for (const value of values.slice(1, -1))
    if (haveRoom(ticks[ticks.length - 1], value) && haveRoom(value, last)) ticks.push(value);
  return haveRoom(first, last) ? [...ticks, last] : ticks;
}
