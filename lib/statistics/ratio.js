// How many times as fast the new side is: the ratio of two groups of speeds with interval and p, by the test that fits
// how they were measured.

import { standardErrorApart, standardErrorPaired } from './detectable-effect.js';
import { LEAST_A_SIDE, rankSumP, rankSumShift } from './mann-whitney.js';
import { LEAST_PAIRS, signedRankInterval, signedRankP } from './signed-rank.js';

/** @import { ComparisonDesign as Design, Estimate } from '../types/index.js' */
/** @typedef {{ old: number[], new: number[] }} Samples   all above 0; interleaved: of the same blocks, in the same order */
/**
 * @typedef {object} RatioTest
 * @property {Estimate} ratio
 * @property {number} standardError    of the logarithm of the ratio, by the spread of the launches; NaN: too few for one
 * @property {number | null} p         that the true ratio is 1; null: too few launches for a test
 * @property {(edge: number) => number} pBeyond    that the true ratio is not farther from 1 than this one
 */

/** @param {Design} design @returns {number} */
export function leastOfDesign(design) {
  return design === 'interleaved' ? LEAST_PAIRS : LEAST_A_SIDE;
}

/** @param {Samples} samples at least one a side @param {Design} design @returns {RatioTest} */
export function ratioTest(samples, design) {
  const [old, fresh] = [samples.old.map(Math.log), samples.new.map(Math.log)];
  const n = Math.min(old.length, fresh.length);
  const isEnough = n >= leastOfDesign(design);
  const differences = fresh.map((log, block) => log - old[block]);
  const shift = design === 'interleaved' ? signedRankInterval(differences) : rankSumShift(fresh, old);
  const pAt = (/** @type {number} */ doubted) =>
    design === 'interleaved' ? signedRankP(differences, doubted) : rankSumP(fresh, old, doubted);
  const level = isEnough ? shift.level : null;
  /** @type {Estimate['method']} */
  const method = level === null ? 'range' : design === 'interleaved' ? 'signed-rank' : 'rank-sum';
  const [estimate, low, high] = [shift.estimate, shift.low, shift.high].map(Math.exp);
  return {
    ratio: { estimate, low, high, level, n, method },
    standardError:
      design === 'interleaved'
        ? standardErrorPaired(samples.new, samples.old)
        : standardErrorApart(samples.new, samples.old),
    p: isEnough ? pAt(0) : null,
    pBeyond: (edge) => (isEnough ? pAt(estimate > 1 ? Math.log(edge) : -Math.log(edge)) : 1),
  };
}
