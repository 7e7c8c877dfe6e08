// Phrases on tasks in other threads or processes, and on the time that an intermediate process adds.

import { groupedBy, ifAny, listed } from '../../../format/lists.js';
import { formatInterval, formatNumber, hasRange } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { reasonText } from '../reasons.js';

/** @import { Estimate, FoundRow } from '../../../types/index.js' */

/** @param {FoundRow} row @param {...string} keys @returns {string[]} the numbers of the row with these keys, formatted */
const formatNumbers = ({ numbers = {} }, ...keys) => keys.map((key) => formatNumber(Number(numbers[key])));

/** @param {FoundRow} row @returns {string} '25.1 µs (24.0–26.3)' */
function addedText({ value }) {
  const amount = /** @type {Estimate} */ (value);
  const { low, high, level } = amount;
  if (!hasRange(amount) || low > 0 || high < 0) return formatInterval(amount, ' µs');
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

  added({ rows, names, group }) {
    const texts = rows.map((row) => `${printable(row.row)} ${addedText(row)}`);
    return [`Added to ${printable(names.addsTo)} at ${group?.heading}, in mean latency: ${listed(texts)}.`];
  },
};
