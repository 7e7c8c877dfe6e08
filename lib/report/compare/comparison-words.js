// A comparison in words: its conclusions, the lines above its table, and the notes below it.

import { commonOperation } from '../../cell/headline.js';
import { groupedBy, ifAny, listed, shortened, unended } from '../../format/lists.js';
import { formatCount, formatRate, formatRatioInterval, UNKNOWN_NOTE } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { DISTURBED, findFlag, flagNotes, isFault, isNoise } from '../../format/result-flags.js';
import { ALPHA } from '../../statistics/verdict.js';
import { headingNamer, isOpen } from '../findings/groups.js';
import { cellName } from '../text/names.js';
import { phrase } from '../text/phrase-table.js';
import { comparedText, isDetected, minEffectText } from '../text/phrases/comparison-phrases.js';
import { comparisonFindings, countVerdicts } from './comparison-findings.js';

/** @import { ComparedMeasure, ComparedRow, Comparison, ComparedSide } from '../../types/index.js' */

const VERDICTS = ['slower', 'faster', 'inconclusive', 'same'];
const MAX_CELLS = 3;

/** @param {ComparedMeasure} measure @returns {boolean} */
export function isCounted({ unit }) {
  return unit === 'per second';
}

/** @param {Comparison} comparison @returns {ComparedRow[]} the controls last */
export const rowsInTable = ({ rows, controls }) => [...rows, ...controls];

/** @param {ComparedRow} row @param {number} minEffect @returns {string} 'slower beyond 5 %' */
export function verdictText({ verdict, isBeyond, isControl }, minEffect) {
  if (isControl) return isBeyond ? 'control moved' : 'control';
  return isBeyond ? `${verdict} beyond ${minEffectText(minEffect)}` : verdict;
}

/** @param {ComparedRow} row @returns {boolean} true if the table shows the smallest detectable difference of the row */
export function hasFound({ verdict, detectableRatio }) {
  return (verdict === 'same' || verdict === 'inconclusive') && isDetected(detectableRatio);
}

/** @param {Comparison} comparison @returns {string[]} */
export function formatConclusions(comparison) {
  return comparisonFindings(comparison).flatMap((finding) => phrase(finding, false));
}

/**
 * @param {Pick<Comparison, 'rows' | 'minEffect'> & Partial<Pick<Comparison, 'controls'>>} comparison
 * @returns {string} '1 slower beyond 5 %, 1 inconclusive, 7 same'
 */
export function tallyText({ rows, controls = [], minEffect }) {
  const doubt = controls.some(({ isBeyond }) => isBeyond) ? 'in doubt, since a control moved: ' : '';
  return doubt + comparedText({ minEffect, ...countVerdicts(rows) });
}

/** @param {ComparedRow} row @returns {number} 0 for the most important one */
export function verdictRank({ verdict }) {
  return VERDICTS.indexOf(verdict);
}

const NO_DIFFERENCE =
  'The environments of the two runs do not differ: machine, system, Node.js, packages, ipc-bench.';
const MAX_REASON_LENGTH = 160;

/** @param {ComparedSide} side */
function sideLine({ name, source, startedAt, version }) {
  const from = source === name ? '' : `${printable(source)}, `;
  return `${name}: ${from}measured ${startedAt.slice(0, 16).replace('T', ' ')} UTC with ipc-bench ${printable(version)}`;
}

/** @param {Comparison} comparison */
function methodLine({ design, minEffect }) {
  const method = design === 'interleaved' ? 'Both were measured side by side' : 'Two separate runs';
  return `${method}; differences below ${minEffectText(minEffect)} do not matter (--min-effect)`;
}

/** @param {Comparison} comparison @returns {string[]} */
export function headLines(comparison) {
  const isAlike = comparison.design === 'separate' && differenceLines(comparison).length === 0;
  return [
    ...(isAlike ? [NO_DIFFERENCE] : []),
    sideLine(comparison.old),
    sideLine(comparison.new),
    methodLine(comparison),
  ];
}

/**
 * @param {Comparison} comparison
 * @returns {string[]} what differs between the runs apart from what they measured; these lines come first
 */
export function differenceLines({ forced, machineDifferences, environmentDifferences }) {
  const all = [...machineDifferences, ...environmentDifferences];
  const what = machineDifferences.length > 0 ? 'machines' : 'environments';
  return [
    ...forced.map((difference) => `Compared by --force although the runs differ: ${difference}.`),
    ...ifAny(all, () => `Different ${what}: ${all.join('; ')}.`),
  ];
}

/** @param {Comparison} comparison @returns {string[]} */
export function warningLines({ warnings }) {
  return warnings.map((warning) => `Note: ${warning}.`);
}

/** @param {Comparison} comparison @returns {string} machine and programs, for each side if the sides differ */
export function environmentLine({ old, new: newSide }) {
  const texts = /** @type {const} */ (['machine', 'programs']).map((fact) =>
    old[fact] === newSide[fact]
      ? old[fact]
      : [old, newSide].map((side) => `${side.name}: ${side[fact]}`).join('; '),
  );
  return `${texts.join('; ')}.`;
}

/** @param {Comparison} comparison @returns {string[]} a line with the first geometric means and the number of others, or nothing */
export function meanLines({ geometricMeans, rows, old, new: newSide }) {
  const headingOf = headingNamer(rows);
  const means = geometricMeans.map((mean) => {
    const { measure, cells, ratio, ratePerSecond } = mean;
    const of = isCounted(measure) ? '' : `, ${measure.title}`;
    const rate = ratePerSecond === undefined ? '' : `, ${formatRate(ratePerSecond)}`;
    return `${formatRatioInterval(ratio)} over ${formatCount(cells)} rows at ${headingOf(mean)}${rate}${of}`;
  });
  return ifAny(means, () => `Geometric mean of ${newSide.name}/${old.name}: ${listed(means, MAX_CELLS)}.`);
}

/** @param {Comparison} comparison */
function missingLines({ missing, old, new: newSide }) {
  const headingOf = headingNamer(missing);
  const names = { old: old.name, new: newSide.name, both: 'both' };
  const byReason = groupedBy(missing, ({ side, reason }) => {
    const text = unended(shortened(printable(reason), MAX_REASON_LENGTH));
    return side === 'both' ? `in neither (${text})` : `not in ${names[side]} (${text})`;
  });
  return [...byReason].map(([reason, alike]) => {
    const cells = alike.map(({ cell }) => `${cellName(cell)} at ${headingOf(cell)}`);
    return `Missing, ${reason}: ${listed(cells)}.`;
  });
}

/** @param {Comparison} comparison */
function columnLines(comparison) {
  const rows = rowsInTable(comparison);
  const tested = comparison.rows.filter(({ p }) => p !== null).length;
  const corrected = tested > 1 ? `, corrected for ${formatCount(tested)} rows (Holm)` : '';
  /** @type {[(row: ComparedRow) => boolean, string][]} a line is printed if its condition holds for a row */
  const lines = [
    [
      ({ isControl }) => isControl === true,
      'control = a row that must not differ; if it does, no verdict counts.',
    ],
    [
      ({ p }) => p !== null,
      `p = how often chance alone gives such a difference${corrected}; a verdict needs ${ALPHA} or less.`,
    ],
    [
      ({ p, verdict }) => p !== null && p <= ALPHA && verdict === 'inconclusive' && tested > 1,
      'An interval holds for its row alone, and may exclude 1 where p, which holds for all rows, gives no verdict.',
    ],
    [hasFound, 'finds = the smallest difference that this comparison detects with 80 % power.'],
    [({ ratio }) => ratio.method === 'unknown', UNKNOWN_NOTE],
    [isOpen, 'Open load: response times are compared, since the rate is fixed.'],
  ];
  return lines.filter(([isConcerned]) => rows.some(isConcerned)).map(([, line]) => line);
}

/** @param {Comparison} comparison @returns {string[]} notes below the table: what columns and faults mean, and which cells are missing */
export function noteLines(comparison) {
  const rows = rowsInTable(comparison);
  const codes = new Set(rows.flatMap(({ flags }) => [...flags.old, ...flags.new]).filter(isFault));
  const noises = [...codes].filter(isNoise);
  const others = [...codes].filter((code) => !isNoise(code));
  return [
    ...columnLines(comparison),
    ...flagNotes(others, commonOperation(rows)),
    ...ifAny(noises, () => `${DISTURBED} = by ${listed(noises.map((code) => `${findFlag(code)?.brief}`))}.`),
    ...missingLines(comparison),
  ];
}
