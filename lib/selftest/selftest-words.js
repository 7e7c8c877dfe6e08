// What a self-test found out, for people.

import { effectText } from '../compare/comparison-words.js';
import { counted } from '../words/lists.js';
import { formatCount, formatRatioInterval, formatTenthsOfPercent, orNothing } from '../words/numbers.js';

/** @import { Judgement } from './selftest-judge.js' */

const GREATEST_FALSE_SHARE = 0.07; // A-F1

/** @param {number | null} share @returns {string} '4.9 %' */
const percentText = (share) => orNothing(share, formatTenthsOfPercent);

/** @param {{ share: number, low: number, high: number, promised: number | null }} rate @returns {string} */
function rateText({ share, low, high, promised }) {
  return `${percentText(share)} (95 %: ${percentText(low)}–${percentText(high)}; the test promises ${percentText(promised)})`;
}

/** @param {Judgement} judgement @returns {string[]} */
function falseLines({ falsePositives: { blocks, interleaved, separate } }) {
  const lines = [
    `False positives of comparisons of ${blocks} blocks, the cell against itself:`,
    `  interleaved, as compare --run measures: ${rateText(interleaved)}, ${formatCount(interleaved.comparisons)} resampled comparisons`,
  ];
  if (separate === null) return [...lines, '  one run after the other: too few blocks to tell'];
  const count = `${counted(separate.comparisons, 'comparison', 'comparisons')} that do not overlap`;
  return [...lines, `  one run after the other, as saved runs are: ${rateText(separate)}, ${count}`];
}

/** @param {Judgement} judgement @param {{ cell: string, delayUs: number }} setup @returns {string} */
export function selftestText(judgement, { cell, delayUs }) {
  const { blocks, sameCell, detectable, knownDifference } = judgement;
  const { expectedRatio, ratio, verdict, isFound } = knownDifference;
  const sizes = detectable.map(
    (one) => `${one.ratio === null ? 'nothing' : effectText(one.ratio)} with ${one.blocks} blocks`,
  );
  const lines = [
    `${cell}, ${formatCount(blocks)} blocks of two launches of the same and one that is slowed`,
    '',
    `The cell against itself, all blocks: ${formatRatioInterval(sameCell.ratio)}`,
    ...falseLines(judgement),
    `Least difference found four times of five: ${sizes.join(', ')}`,
    `Slowed by ${delayUs.toFixed(1)} µs per round trip, which makes ${expectedRatio.toFixed(3)}×: ${
      isFound ? 'found' : 'NOT FOUND'
    }, ${formatRatioInterval(ratio)}, ${verdict}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** @param {Judgement} judgement @returns {string | null} what is wrong here, and what to do */
export function whyUnfit({ falsePositives: { interleaved }, knownDifference: { isFound } }) {
  const faults = [
    ...(interleaved.low > GREATEST_FALSE_SHARE
      ? ['differences are found where there are none, more often than 7 times of 100']
      : []),
    ...(isFound ? [] : ['a round trip that is 10 % longer was not told from one that is not']),
  ];
  if (faults.length === 0) return null;
  return `Comparisons on this machine are not to be trusted now: ${faults.join('; ')}. Stop what else runs here, ask ipc-bench doctor, and try again.`;
}
