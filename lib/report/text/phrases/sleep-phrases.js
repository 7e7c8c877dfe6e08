// Phrases on ratios that may partly be scheduling, since their rows sleep unequally often.

import { listed } from '../../../format/lists.js';
import { formatRatio } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';

const NAMED = { full: 4, brief: 2 };
const DIGITS = 2; // significant digits; the numbers of sleeps scatter too much between launches for more
const MAX_DECIMALS = 3;

/** @param {number | null} sleeps @returns {string} '0.35', '0.057' */
const sleepsText = (sleeps) =>
  String(Number(Number(Number(sleeps).toPrecision(DIGITS)).toFixed(MAX_DECIMALS)));

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const SLEEP_PHRASES = {
  'unequal-sleeps'({ rows, operation }, isBrief) {
    const texts = rows.map(({ row, ratio, heading, names = {}, numbers = {} }) => {
      const where = heading === undefined ? '' : ` at ${heading}`;
      const { sleeps, baseSleeps, cpuRatio } = numbers;
      const cpu = cpuRatio === null ? '' : `; CPU time ${formatRatio(cpuRatio)}`;
      return `${printable(row)} ${formatRatio(Number(ratio?.estimate))} of ${printable(names.against)}${where} (${sleepsText(sleeps)} and ${sleepsText(baseSleeps)} sleeps per ${operation?.one}${cpu})`;
    });
    return [
      `Part of a ratio may be scheduling where one row sleeps more than twice as often as the other: ${listed(texts, isBrief ? NAMED.brief : NAMED.full)}.`,
    ];
  },
};
