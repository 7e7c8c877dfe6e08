// Phrases on ratios that may partly be scheduling, since their rows sleep unequally often.

import { listed } from '../../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';

/** @typedef {Record<string, number | null>} SleepNumbers   as returned by sleepNumbers() */

const NAMED = { full: 4, brief: 2 };
const DIGITS = 2; // significant digits; the numbers of sleeps scatter too much between launches for more
const MAX_DECIMALS = 3;

/** @param {number | null} sleeps @returns {string} '0.35', '0.057' */
const sleepsText = (sleeps) =>
  String(Number(Number(Number(sleeps).toPrecision(DIGITS)).toFixed(MAX_DECIMALS)));

/**
 * @param {SleepNumbers} numbers   of one comparison
 * @param {string} one   an operation
 * @returns {string} '0.057 and 0.35 sleeps per round trip; CPU time 0.87×'
 */
function detailText({ sleeps, baseSleeps, cpuRatio }, one) {
  const cpu = cpuRatio === null ? '' : `; CPU time ${formatRatio(cpuRatio)}`;
  return `${sleepsText(sleeps)} and ${sleepsText(baseSleeps)} sleeps per ${one}${cpu}`;
}

/**
 * @param {SleepNumbers[]} stated   one for each ratio in the text before the note; empty numbers if its rows sleep about equally often
 * @param {string} one   an operation
 * @returns {string} 'part may be scheduling (0.057 and 0.35 sleeps per round trip; CPU time 0.87×)', for several 'part of 3 of 5 ratios
 *   may be scheduling (sleeps differ more than twofold; CPU time 0.87–1.16×)'; '' if none sleeps unequally
 */
export function sleepNote(stated, one) {
  const unequal = stated.filter((numbers) => 'sleeps' in numbers || 'unequal' in numbers);
  if (unequal.length === 0) return '';
  if (stated.length === 1 && 'sleeps' in unequal[0])
    return `part may be scheduling (${detailText(unequal[0], one)})`;
  /** @param {SleepNumbers[]} some @param {string} key */
  const sumOf = (some, key) => some.reduce((sum, numbers) => sum + (numbers[key] ?? 1), 0);
  const ratios = unequal.flatMap(({ cpuRatio, leastCpuRatio, greatestCpuRatio }) =>
    [cpuRatio, leastCpuRatio, greatestCpuRatio].flatMap((ratio) => ratio ?? []),
  );
  const cpu =
    ratios.length === 0 ? '' : `; CPU time ${formatRatioRange(Math.min(...ratios), Math.max(...ratios))}`;
  const [count, all] = [sumOf(unequal, 'unequal'), sumOf(stated, 'ratios')];
  const which = count === all ? 'the ratios' : `${count} of ${all} ratios`;
  return `part of ${which} may be scheduling (sleeps differ more than twofold${cpu})`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const SLEEP_PHRASES = {
  'unequal-sleeps'({ rows, operation }, isBrief) {
    const texts = rows.map(({ row, ratio, heading, names, numbers }) => {
      const where = heading === undefined ? '' : ` at ${heading}`;
      const detail = detailText(numbers ?? {}, operation?.one ?? '');
      return `${printable(row)} ${formatRatio(Number(ratio?.estimate))} of ${printable(names?.against ?? '')}${where} (${detail})`;
    });
    return [
      `Part of a ratio may be scheduling where one row sleeps more than twice as often as the other: ${listed(texts, isBrief ? NAMED.brief : NAMED.full)}.`,
    ];
  },
};
