// Comparisons of rows that sleep unequally often: part of their ratio may be scheduling, which no row can show, so the ratio of their CPU
// times stands beside it.

import { headlineMeasure } from '../../cell/headline.js';
import { listed } from '../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../format/numbers.js';
import { findUnequalSleeps } from '../../results/sleeps.js';
import { contrastsIn, isMixed } from './contrasts.js';
import { cellName } from './groups.js';
import { comparedIn } from './verdicts.js';

/** @import { UnequalSleeps } from '../../results/sleeps.js' */
/** @import { Facts } from './rules.js' */
/** @import { Compared } from './verdicts.js' */
/** @typedef {Compared & { base: NonNullable<Compared['base']>, unequal: UnequalSleeps }} Unequal */

const NAMED = { full: 4, brief: 2 };
const DIGITS = 2; // sleeps of launches scatter too much for more
const MOST_DECIMALS = 3;

/** @param {Compared} compared @returns {Unequal[]} the comparison if its rows sleep unequally often, or nothing */
function unequalIn(compared) {
  const { outcome, base } = compared;
  // Sleeps are counted in the window, which only rates measure.
  if (base === null || headlineMeasure(outcome).unit !== 'per second') return [];
  const unequal = findUnequalSleeps(outcome, base);
  return unequal === null ? [] : [{ ...compared, base, unequal }];
}

/**
 * @param {Pick<Facts, 'closed' | 'results' | 'kindIn'>} facts
 * @returns {(Unequal & { place: string })[]} rows and the reference of their table, and the rows that sentences compare; `place` is empty if
 *   there is only one
 */
export function unequalSleeps({ closed, results, kindIn }) {
  return closed.flatMap((group) => {
    const { measured } = group;
    const ofSentences = isMixed(measured) ? contrastsIn([group], results.reference, kindIn) : [];
    const further = ofSentences.flatMap(({ rows }) =>
      rows.flatMap(({ at }) => at.flatMap((row) => row ?? [])),
    );
    const ofTable = comparedIn(measured, kindIn);
    const isOfTable = (/** @type {Compared} */ { outcome, base }) =>
      ofTable.some((row) => row.outcome === outcome && row.base === base);
    return [...ofTable, ...further.filter((row) => !isOfTable(row))]
      .flatMap(unequalIn)
      .map((row) => ({ ...row, place: closed.length > 1 ? group.place : '' }));
  });
}

/** @param {number} sleeps @returns {string} '0.35', '0.057' */
const sleepsText = (sleeps) => String(Number(Number(sleeps.toPrecision(DIGITS)).toFixed(MOST_DECIMALS)));

/** @param {Unequal} compared @returns {string} '0.057 and 0.35 sleeps per round trip; CPU time 0.87×' */
function detailText({ outcome: { operation }, unequal: { sleeps, baseSleeps, cpuRatio } }) {
  const cpu = cpuRatio === null ? '' : `; CPU time ${formatRatio(cpuRatio)}`;
  return `${sleepsText(sleeps)} and ${sleepsText(baseSleeps)} sleeps per ${operation.one}${cpu}`;
}

/** @param {ReturnType<typeof unequalSleeps>} rows   at least one @param {boolean} isBrief @returns {string} */
export function unequalSentence(rows, isBrief) {
  const texts = rows.map((row) => {
    const { name, ratio, base, place } = row;
    const where = place === '' ? '' : ` at ${place}`;
    return `${name} ${formatRatio(ratio.estimate)} of ${cellName(base.cell)}${where} (${detailText(row)})`;
  });
  return `Part of a ratio may be scheduling where one row sleeps more than twice as often as the other: ${listed(texts, isBrief ? NAMED.brief : NAMED.full)}.`;
}

/**
 * @param {readonly Compared[]} claimed   the comparisons whose ratios the text before it states
 * @returns {string} 'part may be scheduling (0.057 and 0.35 sleeps per round trip; CPU time 0.87×)', for several 'part of 3 of 5 ratios
 *   may be scheduling (sleeps differ more than twofold; CPU time 0.87–1.16×)'; '' if none sleeps unequally
 */
export function unequalNote(claimed) {
  const rows = claimed.flatMap(unequalIn);
  if (rows.length === 0) return '';
  if (claimed.length === 1) return `part may be scheduling (${detailText(rows[0])})`;
  const ratios = rows.flatMap(({ unequal }) => unequal.cpuRatio ?? []);
  const cpu =
    ratios.length === 0 ? '' : `; CPU time ${formatRatioRange(Math.min(...ratios), Math.max(...ratios))}`;
  const which = rows.length === claimed.length ? 'the ratios' : `${rows.length} of ${claimed.length} ratios`;
  return `part of ${which} may be scheduling (sleeps differ more than twofold${cpu})`;
}
