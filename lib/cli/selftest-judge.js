// Launches of one cell, measured twice in each block, and of the same slowed by a known share → what a comparison on this
// machine is worth. Pure arithmetic on rates.

import { detectableRatio } from '../statistics/detectable-effect.js';
import { rankSumAlpha, rankSumP } from '../statistics/mann-whitney.js';
import { seededRandom, shuffled } from '../statistics/random.js';
import { ratioTest } from '../statistics/ratio.js';
import { shareInterval } from '../statistics/share.js';
import { median } from '../statistics/signed-rank.js';
import { sumBy } from '../statistics/sum.js';
import { ALPHA, decideVerdict } from '../statistics/verdict.js';

/** @typedef {{ one: number[], other: number[], slowed: number[] }} Rates   of the same blocks, in the same order */
/** @typedef {ReturnType<typeof judgedRates>} Judgement */

const BLOCKS_OF_A_COMPARISON = 10; // what compare --run launches by itself
/** What is the same has to come out the same, as far as the known difference is one. */
export const SAME_WITHIN = 0.1;
// The same cell has an interval that leaves out 1 once in twenty self-tests, and one like this once in a thousand.
const SURELY_DIFFERENT = 0.001;
const RESAMPLES = 200;
const SIZES = [6, 10, 20, 40];
const MIN_EFFECT = 0.05;

/** @param {Rates} rates @param {number} slowedBy   0.1: a round trip takes 10 % longer */
export function judgedRates({ one, other, slowed }, slowedBy) {
  const random = seededRandom(1);
  const size = Math.min(BLOCKS_OF_A_COMPARISON, one.length);
  const whole = ratioTest({ old: one, new: other }, 'interleaved');
  const known = ratioTest({ old: one, new: slowed }, 'interleaved');
  const verdict = decideVerdict({ ratio: known.ratio, adjustedP: known.p ?? 1, minEffect: MIN_EFFECT });
  return {
    blocks: one.length,
    sameCell: { ratio: whole.ratio, p: whole.p, within: SAME_WITHIN, isSame: isShownSame(whole) },
    falsePositives: { blocks: size, separate: falseWhenSeparate([one, other], size) },
    detectable: SIZES.filter((blocks) => blocks <= one.length).map((blocks) => ({
      blocks,
      ratio: detectableWith(one, other, blocks, random),
    })),
    knownDifference: {
      expectedRatio: 1 / (1 + slowedBy),
      ratio: known.ratio,
      p: known.p,
      verdict,
      isFound: known.p !== null && known.p <= ALPHA && known.ratio.estimate < 1,
    },
  };
}

/**
 * An equivalence test of the two sides as they were measured, as `same` is in compare. Drawing their labels anew would
 * show nothing: then a test errs as often as it promises, whatever the sides are.
 * @param {import('../statistics/ratio.js').RatioTest} test
 * @returns {boolean}
 */
function isShownSame({ ratio: { low, high, level }, p }) {
  const edge = 1 + SAME_WITHIN;
  return level !== null && low > 1 / edge && high < edge && (p ?? 0) > SURELY_DIFFERENT;
}

/** @param {number} count @param {number} all @param {() => number} random @returns {number[]} places */
function drawn(count, all, random) {
  return shuffled(
    Array.from({ length: all }, (_, place) => place),
    random,
  ).slice(0, count);
}

/**
 * What would have come out of two runs, one right after the other: all stretches of launches against the stretches that
 * followed them. Stretches overlap, so that the interval is that of those that do not.
 * @param {number[][]} series
 * @param {number} size       launches of a run
 */
function falseWhenSeparate(series, size) {
  let count = 0;
  let times = 0;
  for (const rates of series) {
    const logs = rates.map(Math.log);
    for (let start = 0; start + 2 * size <= logs.length; start++) {
      const middle = start + size;
      const p = rankSumP(logs.slice(middle, middle + size), logs.slice(start, middle));
      if (p <= ALPHA) count++;
      times++;
    }
  }
  if (times === 0) return null;
  const comparisons = sumBy(series, ({ length }) => Math.floor(length / (2 * size)));
  const promised = rankSumAlpha(size, size, 1 - ALPHA);
  return { ...shareInterval(count / times, comparisons), promised, comparisons };
}

/**
 * @param {number[]} one
 * @param {number[]} other
 * @param {number} blocks
 * @param {() => number} random
 * @returns {number | null} of such a comparison, typically
 */
function detectableWith(one, other, blocks, random) {
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const places = drawn(blocks, one.length, random);
    const of = (/** @type {number[]} */ rates) => places.map((place) => rates[place]);
    return detectableRatio(of(one), of(other)) ?? Infinity;
  });
  const typical = median(ratios);
  return Number.isFinite(typical) ? typical : null;
}
