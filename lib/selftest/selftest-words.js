// What a self-test found out, for people.

import { effectText } from '../compare/comparison-words.js';
import { ALPHA } from '../statistics/verdict.js';
import { counted } from '../words/lists.js';
import {
  formatCount,
  formatPercent,
  formatRatioInterval,
  formatTenthsOfPercent,
  orNothing,
} from '../words/numbers.js';

/** @import { Judgement } from './selftest-judge.js' */

/** @param {number | null} share @returns {string} '4.9 %' */
const percentText = (share) => orNothing(share, formatTenthsOfPercent);

/** @param {{ share: number, low: number, high: number, promised: number | null }} rate @returns {string} */
function rateText({ share, low, high, promised }) {
  return `${percentText(share)} (95 %: ${percentText(low)}–${percentText(high)}; the test promises ${percentText(promised)})`;
}

/** @param {Judgement} judgement @returns {string} */
function separateLine({ falsePositives: { blocks, separate } }) {
  const what = `False positives of two runs of ${blocks} launches one after the other, as saved runs are`;
  if (separate === null) return `${what}: too few blocks to tell`;
  const count = `${counted(separate.comparisons, 'comparison', 'comparisons')} that do not overlap`;
  return `${what}: ${rateText(separate)}, ${count}`;
}

/** @param {Judgement['sameCell']} sameCell @returns {string} '1.01× (0.98–1.04), the same within 10 %' */
function sameText({ ratio, within, isSame }) {
  return `${formatRatioInterval(ratio)}, ${isSame ? 'the same' : 'NOT SHOWN to be the same'} within ${formatPercent(within)}`;
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
    `The cell against itself, interleaved as compare --run measures: ${sameText(sameCell)}`,
    separateLine(judgement),
    `Least difference found four times of five: ${sizes.join(', ')}`,
    `Slowed by ${delayUs.toFixed(1)} µs per round trip in the master, which makes about ${expectedRatio.toFixed(2)}×: ${
      isFound ? 'found' : 'NOT FOUND'
    }, ${formatRatioInterval(ratio)}, ${verdict}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** @param {Judgement} judgement @returns {string | null} what is wrong here, and what to do */
export function whyUnfit({ sameCell, knownDifference: { isFound } }) {
  const { ratio, p, within, isSame } = sameCell;
  const isDifferent = p !== null && p <= ALPHA;
  const faults = [
    ...(isSame
      ? []
      : isDifferent
        ? [`a cell differs from itself, measured twice in each block: ${formatRatioInterval(ratio)}`]
        : [`a cell cannot be shown to be as fast as itself within ${formatPercent(within)}`]),
    ...(isFound ? [] : ['a round trip that is 10 % longer was not told from one that is not']),
  ];
  if (faults.length === 0) return null;
  return `Comparisons on this machine are not to be trusted now: ${faults.join('; ')}. Stop what else runs here, ask ipc-bench doctor, and try again.`;
}
