// Why the search of a sweep ended before it was done, what that means for the rate that it found, and what to do.

import { areOftenDisturbed, isDisturbed } from '../results/machine-flags.js';
import { durationText } from '../words/duration.js';
import { formatCount } from '../words/numbers.js';

/** @import { Sweep } from '../types/index.js' */

const MS_PER_MINUTE = 60_000;
const REMEDY = 'Close other programs, ask ipc-bench doctor, or try later.';

/**
 * @param {Sweep} sweep
 * @returns {string} sentences, each after a space; '' where the search ended by itself and all was confirmed
 */
export function sweepEndText(sweep) {
  const sentences = [
    ...(sweep.endedBy === 'time' ? [timeSentence(sweep)] : []),
    ...disturbedSentences(sweep),
    ...leftOutSentence(sweep),
  ];
  return sentences.map((sentence) => ` ${sentence}`).join('');
}

/** @param {Sweep} sweep @returns {string} */
function timeSentence({ foundPerSecond, elapsedMs, next }) {
  const soFar =
    foundPerSecond !== null
      ? `: the highest rate that kept the limit so far is ${formatCount(foundPerSecond)}/s`
      : next && `, before ${formatCount(next.ratePerSecond)}/s could be tried and confirmed`;
  const minutes = next && `, ${Math.ceil(next.maxTimeMs / MS_PER_MINUTE)}m or more`;
  const ended = `The search ended after ${durationText(elapsedMs)}${soFar ?? ''}`;
  return `${ended}; use a longer --max-time${minutes ?? ''}.`;
}

/** @param {Sweep} sweep @returns {string[]} */
function disturbedSentences({ endedBy, elapsedMs, probes }) {
  const launches = probes.map(({ flags = [] }) => ({ flags: flags.map((code) => ({ code, message: '' })) }));
  const disturbed = `disturbed ${launches.filter(isDisturbed).length} of its ${launches.length} launches`;
  if (endedBy === 'disturbed') {
    return [
      `The search ended early, after ${durationText(elapsedMs)}: something else ${disturbed}, and they tell of that rather than of the rate.`,
      REMEDY,
    ];
  }
  return endedBy === 'time' && areOftenDisturbed(launches) ? [`Something else ${disturbed}.`, REMEDY] : [];
}

/** @param {Sweep} sweep @returns {string[]} */
function leftOutSentence({ ratesLeftOut }) {
  if (ratesLeftOut === undefined) return [];
  const rates =
    ratesLeftOut === 1
      ? '1 rate of the curve around it was'
      : `${ratesLeftOut} rates of the curve around it were`;
  return [`${rates} left out: the time was too short.`];
}
