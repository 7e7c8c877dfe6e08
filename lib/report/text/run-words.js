// Describes why an adaptive run ended, and when an interrupted run was continued.

import { counted } from '../../format/lists.js';
import { durationText, formatInstant, formatPercent } from '../../format/numbers.js';

/** @import { Results } from '../../types/index.js' */

/** @param {Results} results @returns {string[]} one line if the run was adaptive, unless it was interrupted at once */
function stopLines({ stopRule, options: { stop } }) {
  if (stopRule === undefined || stop === undefined) return [];
  const { endedBy, widest, repetitions } = stopRule;
  if (endedBy === null && repetitions === 0) return [];
  const target = `± ${formatPercent(stop.targetError, 2)}`;
  const width =
    widest === null
      ? 'not every row has an interval'
      : `the widest interval is ± ${formatPercent(widest, 2)}`;
  const isAuto = stop.mostLaunches !== undefined;
  const goal = isAuto
    ? `every ratio was clear of 1 or within ${target}`
    : `every interval was within ${target}`;
  const before = `before ${goal}: ${width}`;
  const reasons = {
    target: `every interval, taken alone, is within ${target} of its estimate`,
    settled: `every ratio is clear of 1 or within ${target}`,
    time: `${isAuto ? 'its time' : '--max-time'} (${durationText(stop.maxTimeMs)}) was over ${before}`,
    repetitions: `that is the greatest number of a run, ${before}`,
    failures: 'every row had failed',
  };
  const reason = endedBy === null ? `it was interrupted ${before}` : reasons[endedBy];
  return [`ended after ${counted(repetitions, 'repetition', 'repetitions')} because ${reason}`];
}

/** @param {Results} results @returns {string[]} one line if the run was continued */
function continuedLines({ continuedAt = [] }) {
  if (continuedAt.length === 0) return [];
  return [`interrupted, and continued at ${continuedAt.map(formatInstant).join(', ')}`];
}

/** @param {Results} results @returns {string[]} */
export function runLengthLines(results) {
  return [...stopLines(results), ...continuedLines(results)];
}
