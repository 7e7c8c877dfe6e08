// The rate that a cell sustains under open load, in words.

import { formatCount, formatInterval } from '../../format/numbers.js';

/** @import { SustainedRate } from '../../types/index.js' */

/** @param {SustainedRate} sustained @returns {string} '84,000/s (78,000–88,000) in 9 of 10 launches' */
export function sustainedText({ estimate, low, high, isBounded }) {
  const rate = isBounded
    ? formatInterval({ estimate, low, high, level: 0.95, n: 1, method: 'log-model' }, '/s')
    : `${formatCount(Number(low.toPrecision(2)))}/s or more`;
  return `${rate} in 9 of 10 launches`;
}
