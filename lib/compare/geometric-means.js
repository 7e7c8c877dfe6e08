// One number for many cells: the geometric mean of their ratios, per question, with an interval. No arithmetic mean: of
// 2x and 0.5x it would make a gain. Nor is one made over questions: what is lost at 1x1 is not made up for at 8x8.

import { QUESTION_KEYS } from '../cell/axes.js';
import { picked } from '../cell/axis.js';
import { headlineMeasureOf } from '../cell/headline.js';
import { groupLabel } from '../cell/labels.js';
import { ratioTest } from '../statistics/ratio.js';
import { unrankedBy } from '../verdicts/verdicts.js';
import { groupedBy } from '../words/lists.js';
import { samplesOf, speedsOf } from './speeds.js';

/** @import { ComparisonDesign as Design, GeometricMean, Question } from '../types/index.js' */
/** @import { Pair } from './match-cells.js' */
/** @import { Speed, Speeds } from './speeds.js' */

/**
 * @param {Speed[][]} speedsByCell
 * @returns {Speed[]} per block in which every cell was launched. Cells of a block share its disturbances, so the block
 *   is what is independent, and the interval is one of blocks
 */
function meansOfBlocks(speedsByCell) {
  return [...groupedBy(speedsByCell.flat(), ({ block }) => block)].flatMap(([block, some]) => {
    if (some.length < speedsByCell.length) return [];
    const speed = Math.exp(some.reduce((sum, one) => sum + Math.log(one.speed), 0) / some.length);
    return [{ block, shown: speed, speed }];
  });
}

/** @param {Pair} pair @returns {boolean} a mean must not hold what alone would get no verdict */
function mayBeRanked(pair) {
  return unrankedBy([...pair.old.flags, ...pair.new.flags].map(({ code }) => code)) === null;
}

/**
 * Source: P. J. Fleming, J. J. Wallace, "How Not to Lie with Statistics", CACM 29 (1986).
 * @param {Pair[]} pairs
 * @param {Design} design
 * @returns {GeometricMean[]} of each question with several cells, in the order of the pairs
 */
export function geometricMeans(pairs, design) {
  /** @type {Map<string, { question: Question, speeds: Speeds[] }>} */
  const groups = new Map();
  for (const pair of pairs.filter(mayBeRanked)) {
    const question = /** @type {Question} */ (picked(pair.old.cell, QUESTION_KEYS));
    const speeds = speedsOf(pair.old.launches, pair.new.launches, headlineMeasureOf(pair.new));
    const key = `${groupLabel(question)} ${speeds.measure.name}`;
    const group = groups.get(key) ?? { question, speeds: [] };
    group.speeds.push(speeds);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ question, speeds }) => {
    const [{ measure }] = speeds;
    const means = {
      measure,
      old: meansOfBlocks(speeds.map(({ old }) => old)),
      new: meansOfBlocks(speeds.map((both) => both.new)),
    };
    const samples = samplesOf(means, design);
    if (speeds.length === 1 || samples.old.length === 0 || samples.new.length === 0) return [];
    return [{ ...question, measure, cells: speeds.length, ratio: ratioTest(samples, design).ratio }];
  });
}
