// The lines around the table of a comparison: the source of both sides, the method, differences between the runs, the
// meaning of the columns, and the cells without a row.

import { commonOperation } from '../../cell/headline.js';
import { groupedBy, listed, shortened, unended } from '../../format/lists.js';
import { formatCount, formatRatioInterval } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagNotes } from '../../format/result-flags.js';
import { ALPHA } from '../../statistics/verdict.js';
import { cellName, isOpen, placeNamer } from '../text/groups.js';
import { hasStar } from './comparison-columns.js';
import { isCounted, minEffectText } from './comparison-words.js';

/** @import { ComparedSide, Comparison } from '../../types/index.js' */

const GREATEST_REASON_LENGTH = 160;

/** @param {ComparedSide} side @returns {string} */
function sideLine({ name, source, startedAt, version }) {
  const from = source === name ? '' : `${printable(source)}, `;
  return `${name}: ${from}measured ${startedAt.slice(0, 16).replace('T', ' ')} UTC with ipc-bench ${printable(version)}`;
}

/** @param {Comparison} comparison @returns {string} */
function methodLine({ design, minEffect, rows }) {
  const method =
    design === 'interleaved'
      ? 'Interleaved: Hodges–Lehmann ratio of launches of the same block, exact signed-rank interval and test'
      : 'Not interleaved: Hodges–Lehmann ratio of launches, exact Mann–Whitney interval and test';
  const holm = rows.length === 1 ? '' : `, Holm’s correction over ${formatCount(rows.length)} cells`;
  return `${method}${holm}; least effect of interest ${minEffectText(minEffect)}`;
}

/** @param {Comparison} comparison @returns {string[]} the sides and the method */
export function headLines(comparison) {
  return [sideLine(comparison.old), sideLine(comparison.new), methodLine(comparison)];
}

/** @param {Comparison} comparison @returns {string[]} warnings, one sentence each */
export function warningLines({ forced, machineDifferences, warnings }) {
  return [
    ...forced.map((difference) => `Compared by --force although the runs differ: ${difference}.`),
    ...machineDifferences.map((difference) => `Different machines: ${difference}.`),
    ...warnings.map((warning) => `Note: ${warning}.`),
  ];
}

/** @param {Comparison} comparison @returns {string[]} one line for each question with several cells */
export function meanLines({ geometricMeans, rows, old, new: fresh }) {
  const placeOf = placeNamer(rows);
  return geometricMeans.map((mean) => {
    const { measure, cells, ratio, ratePerSecond } = mean;
    const of = isCounted(measure) ? '' : ` of the ${measure.title}`;
    const rate = ratePerSecond === undefined ? '' : `, ${formatCount(ratePerSecond)}/s`;
    const place = `${formatCount(cells)} cells at ${placeOf(mean)}${rate}`;
    return `Geometric mean of ${fresh.name}/${old.name}${of} over ${place}: ${formatRatioInterval(ratio)}.`;
  });
}

/** @param {Comparison} comparison @returns {string[]} */
function missingLines({ missing, old, new: fresh }) {
  const placeOf = placeNamer(missing);
  const names = { old: old.name, new: fresh.name, both: 'both' };
  const byReason = groupedBy(missing, ({ side, reason }) => {
    const text = unended(shortened(printable(reason), GREATEST_REASON_LENGTH));
    return side === 'both' ? `in neither (${text})` : `not in ${names[side]} (${text})`;
  });
  return [...byReason].map(([reason, some]) => {
    const cells = some.map(({ cell }) => `${cellName(cell)} at ${placeOf(cell)}`);
    return `Missing, ${reason}: ${listed(cells)}.`;
  });
}

/** @param {Comparison} comparison @returns {string[]} */
function columnLines({ rows, design }) {
  const tested = rows.filter(({ p }) => p !== null).length;
  const isPlanned = rows.some(({ cell }) => isOpen({ cell }));
  const ofEach = design === 'interleaved' ? 'blocks' : 'launches per side';
  const chance = Number((tested * ALPHA).toPrecision(2));
  return [
    ...(rows.some(hasStar) && tested > 1
      ? [
          `* = p ≤ ${ALPHA} before the correction: chance alone gives about ${chance} of them among ${tested} cells.`,
        ]
      : []),
    ...(rows.some(({ moreLaunches }) => moreLaunches !== null)
      ? [`+N = about N more ${ofEach} would settle it with 80 % power, at the same noise.`]
      : []),
    ...(rows.some(({ verdict }) => verdict === 'same' || verdict === 'inconclusive')
      ? ['finds = the smallest difference that this comparison detects with 80 % power; – = none.']
      : []),
    ...(rows.some(({ ratio }) => ratio.level === null)
      ? ['[low–high] = range of too few launches for an interval.']
      : []),
    ...(isPlanned ? ['Open load: response times are compared, since the rate is fixed.'] : []),
  ];
}

/** @param {Comparison} comparison @returns {string[]} what stands below the table */
export function noteLines(comparison) {
  const { rows } = comparison;
  const codes = new Set(rows.flatMap(({ flags }) => [...flags.old, ...flags.new]));
  return [
    ...columnLines(comparison),
    ...flagNotes(codes, commonOperation(rows)),
    ...missingLines(comparison),
  ];
}
