// Phrases on tasks in other threads or processes, and on the time that an intermediate process adds.

import { groupedBy, ifAny, listed } from '../../../format/lists.js';
import { formatInterval, formatNumber, hasRange } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { reasonText } from '../reasons.js';

/** @import { Estimate, FoundRow } from '../../../types/index.js' */

const ROWS_IN_BRIEF = 3;

/** @param {FoundRow} row @param {...string} keys @returns {string[]} the numbers of the row with these keys, formatted */
const formatNumbers = ({ numbers = {} }, ...keys) => keys.map((key) => formatNumber(Number(numbers[key])));

/** @param {Record<string, number | null>} numbers @param {string} suffix @returns {string} '25.1 µs (24.0–26.3)' */
function addedText(numbers, suffix) {
  const [estimate, low, high, n] = ['added', 'low', 'high', 'n'].map((key) => Number(numbers[key + suffix]));
  const level = numbers[`level${suffix}`];
  /** @type {Estimate} */
  const amount = { estimate, low, high, level, n, method: level === null ? 'range' : 'signed-rank' };
  if (!hasRange(amount)) return `${formatNumber(estimate)} µs`;
  if (low > 0 || high < 0) return formatInterval(amount, ' µs');
  const ends = `${formatNumber(low)} to ${formatNumber(high)} µs`;
  return level === null ? `[${ends}]` : `no clear difference (${ends})`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const TASK_PHRASES = {
  'break-even'({ rows, against }) {
    const inline = printable(against ?? '');
    /** @param {FoundRow['verdict']} wanted */
    const of = (wanted) => rows.filter(({ verdict }) => verdict === wanted);
    const known = of('better')
      .toSorted((one, other) => Number(one.numbers?.workUs) - Number(other.numbers?.workUs))
      .map((row) => {
        const [at, from, to] = formatNumbers(row, 'workUs', 'lowUs', 'highUs');
        return `${printable(row.row)} ${at} µs (${from}–${to})`;
      });
    // Rows without a known break-even are compared at the greatest amount of work.
    const unknown = of('unclear').map(({ row, numbers = {} }) => {
      const [ratio, from, to] = [numbers.ratio, numbers.lowRatio, numbers.highRatio].map((value) =>
        Number(value).toFixed(2),
      );
      return `${printable(row)} (${ratio}×, ${from}–${to}, at ${formatNumber(Number(numbers.atUs))} µs)`;
    });
    const unjudged = groupedBy(of('none'), ({ why }) => reasonText(why));
    return [
      ...ifAny(
        known,
        () => `More tasks per second than ${inline} above so much work per task: ${known.join(', ')}.`,
      ),
      ...ifAny(unknown, () => `No break-even with ${inline} was found: ${unknown.join(', ')}.`),
      ...[...unjudged].map(
        ([why, alike]) =>
          `No break-even with ${inline} is given for ${alike.map(({ row }) => printable(row)).join(', ')}: ${why}.`,
      ),
    ];
  },

  added({ rows, names, group }, isBrief) {
    const texts = rows.map(({ row, numbers = {} }) => {
      const cpu = numbers.addedCpuUs === undefined ? 'an unknown CPU time' : addedText(numbers, 'CpuUs');
      return `${printable(row)} ${addedText(numbers, 'Us')} and ${cpu}`;
    });
    return [
      `Added to ${printable(names.addsTo)} at ${group?.heading}, in mean latency and in CPU time of all processes: ${listed(texts, isBrief ? ROWS_IN_BRIEF : texts.length)}.`,
    ];
  },
};
