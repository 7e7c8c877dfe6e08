// Formats a comparison as sentences, the most important first.

import { commonOperation } from '../../cell/headline.js';
import { capitalised, groupedBy, ifAny, listed, shortened, unended } from '../../format/lists.js';
import {
  formatCount,
  formatPercent,
  formatRate,
  formatRatio,
  formatRatioInterval,
  formatRatioOf,
  UNKNOWN_NOTE,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { DISTURBED, findFlag, flagNotes, isFault, isNoise } from '../../format/result-flags.js';
import { ALPHA } from '../../statistics/verdict.js';
import { isOpen, placeNamer } from '../findings/groups.js';
import { unrankedBy } from '../findings/verdicts.js';
import { cellName } from '../text/names.js';
import { reasonText, remedyText } from '../text/reasons.js';

/** @import { ComparedMeasure, ComparedRow, Comparison, ComparisonDesign as Design, ComparedSide } from '../../types/index.js' */

const VERDICTS = ['slower', 'faster', 'inconclusive', 'same'];
const MOST_CELLS = 3;
const MOST_LAUNCHES = 1000;
const LARGEST_EFFECT = 10; // a greater detectable effect counts as none

/** @param {ComparedMeasure} measure @returns {boolean} */
export function isCounted({ unit }) {
  return unit === 'per second';
}

/** @param {number} minEffect @returns {string} '5 %', '2.5 %' */
export function minEffectText(minEffect) {
  return formatPercent(minEffect, 3);
}

/** @param {number} launches @returns {string} '14', '390': more digits would be false precision */
export function roughCount(launches) {
  if (launches > MOST_LAUNCHES) return `more than ${formatCount(MOST_LAUNCHES)}`;
  return formatCount(Number(launches.toPrecision(2)));
}

/** @param {number} launches @param {Design} design @returns {string} '14 more launches per side' */
function moreText(launches, design) {
  const [one, many, side] =
    design === 'interleaved' ? ['repetition', 'repetitions', ''] : ['launch', 'launches', ' per side'];
  return `${roughCount(launches)} more ${launches === 1 ? one : many}${side}`;
}

/** @param {ComparedRow} row @param {number} minEffect @returns {string} 'slower beyond 5 %' */
export function verdictText({ verdict, isBeyond }, minEffect) {
  return isBeyond ? `${verdict} beyond ${minEffectText(minEffect)}` : verdict;
}

/** @param {ComparedRow} row @returns {number} 0 for the most important one */
export function verdictRank({ verdict }) {
  return VERDICTS.indexOf(verdict);
}

/** @param {ComparedRow} row @returns {boolean} true if the table shows the smallest detectable difference of the row */
export function hasFound({ verdict, detectableRatio }) {
  return (verdict === 'same' || verdict === 'inconclusive') && isDetected(detectableRatio);
}

/** @param {Pick<Comparison, 'rows' | 'minEffect'>} comparison @returns {string} '1 slower beyond 5 %, 1 inconclusive, 7 same' */
export function tallyText({ rows, minEffect }) {
  const sorted = rows.toSorted(
    (one, other) => verdictRank(one) - verdictRank(other) || Number(other.isBeyond) - Number(one.isBeyond),
  );
  const byVerdict = groupedBy(sorted, (row) => verdictText(row, minEffect));
  return [...byVerdict].map(([text, { length }]) => `${formatCount(length)} ${text}`).join(', ');
}

/** @param {Comparison} comparison @returns {(row: ComparedRow) => string} 'unix/json at 1,000 B, 2x4' */
function rowNamer({ rows }) {
  const placeOf = placeNamer(rows);
  return ({ cell }) => `${cellName(cell)} at ${placeOf(cell)}`;
}

/** @param {Comparison} comparison */
export function formatConclusions(comparison) {
  const { rows, missing, design } = comparison;
  const count = `${formatCount(rows.length)} ${rows.length === 1 ? 'cell' : 'cells'} compared`;
  const rowsWith = (/** @type {ComparedRow['verdict']} */ verdict) =>
    rows.filter((row) => row.verdict === verdict);
  const warning =
    'Not interleaved: a change on the machine between the two runs looks like a difference between them.';
  return [
    `${count}: ${tallyText(comparison)}.`,
    ...differenceSentences(rowsWith('slower'), comparison),
    ...differenceSentences(rowsWith('faster'), comparison),
    ...inconclusiveSentences(rowsWith('inconclusive'), comparison),
    ...sameSentences(rowsWith('same'), comparison),
    ...ifAny(
      missing,
      ({ length }) =>
        `${formatCount(length)} ${length === 1 ? 'cell is' : 'cells are'} not compared: see below the table.`,
    ),
    ...(design === 'separate' ? [warning] : []),
  ];
}

/**
 * @param {ComparedRow[]} rows   all with one verdict
 * @param {(row: ComparedRow) => string} sentenceOf
 * @returns {string[]} sentences on the rows farthest from 1, and the number of the others
 */
function farthestSentences(rows, sentenceOf) {
  const distance = (/** @type {ComparedRow} */ { ratio }) => Math.abs(Math.log(ratio.estimate));
  const sorted = rows.toSorted((left, right) => distance(right) - distance(left));
  return [
    ...sorted.slice(0, MOST_CELLS).map(sentenceOf),
    ...ifAny(
      sorted.slice(MOST_CELLS),
      ({ length }) =>
        `${formatCount(length)} more ${length === 1 ? 'cell is' : 'cells are'} ${rows[0].verdict}.`,
    ),
  ];
}

/** @param {ComparedRow[]} rows   all faster or all slower @param {Comparison} comparison */
function differenceSentences(rows, comparison) {
  const { design, minEffect, old, new: fresh } = comparison;
  const name = rowNamer(comparison);
  return farthestSentences(rows, (row) => {
    const { ratio, measure } = row;
    const what = isCounted(measure) ? 'throughput' : `speed by ${measure.title}`;
    const n = `${ratio.n} ${design === 'interleaved' ? 'repetitions' : 'launches per side'}`;
    const times = formatRatioOf(ratio, `the ${what} of ${old.name}`, `, ${n}`);
    return `${name(row)} is ${verdictText(row, minEffect)}: ${fresh.name} has ${times}.`;
  });
}

/** @param {ComparedRow[]} rows   all inconclusive @param {Comparison} comparison */
function inconclusiveSentences(rows, comparison) {
  const name = rowNamer(comparison);
  return farthestSentences(rows, (row) => {
    const { ratio, why, moreLaunches, detectableRatio, flags, adjustedP } = row;
    const corrected =
      row.p !== null && row.p <= ALPHA && adjustedP !== null && adjustedP > ALPHA
        ? ` alone, p = ${adjustedP.toFixed(2)} after the correction for ${comparison.rows.length} cells`
        : '';
    const reason = why === null ? corrected : `, ${reasonText(why)}`;
    const more =
      moreLaunches === null
        ? (remedyText(unrankedBy([...flags.old, ...flags.new])) ?? 'add --launches')
        : `about ${moreText(moreLaunches, comparison.design)} would settle it, if noise and ratio stay the same`;
    const found =
      detectableRatio === null
        ? ''
        : `With this noise, ${detectedText(detectableRatio)} would be detected (80 % power). `;
    return `${name(row)}: inconclusive, ${formatRatioInterval(ratio)}${reason}. ${found}${capitalised(more)}.`;
  });
}

/** @param {number} ratio above 1 @returns {string} '12 %', '2.40×' */
export function effectText(ratio) {
  return ratio >= 2 ? formatRatio(ratio) : formatPercent(ratio - 1, 2);
}

/** @param {number | null} ratio   the smallest that is detected @returns {string} */
export function detectedText(ratio) {
  return isDetected(ratio) ? `only differences above ${effectText(Number(ratio))}` : 'no difference';
}

/** @param {number | null} ratio @returns {boolean} */
export const isDetected = (ratio) => ratio !== null && ratio <= LARGEST_EFFECT;

/** @param {ComparedRow[]} rows   all with the verdict 'same' @param {Comparison} comparison */
function sameSentences(rows, comparison) {
  const names = rows.map(rowNamer(comparison));
  return ifAny(
    names,
    () => `No difference above ${minEffectText(comparison.minEffect)}: ${listed(names, MOST_CELLS)}.`,
  );
}

const GREATEST_REASON_LENGTH = 160;

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
  return [sideLine(comparison.old), sideLine(comparison.new), methodLine(comparison)];
}

/** @param {Comparison} comparison @returns {string[]} */
export function warningLines({ forced, machineDifferences, warnings }) {
  return [
    ...forced.map((difference) => `Compared by --force although the runs differ: ${difference}.`),
    ...machineDifferences.map((difference) => `Different machines: ${difference}.`),
    ...warnings.map((warning) => `Note: ${warning}.`),
  ];
}

/** @param {Comparison} comparison @returns {string[]} a line with the first geometric means and the number of others, or nothing */
export function meanLines({ geometricMeans, rows, old, new: fresh }) {
  const placeOf = placeNamer(rows);
  const means = geometricMeans.map((mean) => {
    const { measure, cells, ratio, ratePerSecond } = mean;
    const of = isCounted(measure) ? '' : `, ${measure.title}`;
    const rate = ratePerSecond === undefined ? '' : `, ${formatRate(ratePerSecond)}`;
    return `${formatRatioInterval(ratio)} over ${formatCount(cells)} rows at ${placeOf(mean)}${rate}${of}`;
  });
  return ifAny(means, () => `Geometric mean of ${fresh.name}/${old.name}: ${listed(means, MOST_CELLS)}.`);
}

/** @param {Comparison} comparison */
function missingLines({ missing, old, new: fresh }) {
  const placeOf = placeNamer(missing);
  const names = { old: old.name, new: fresh.name, both: 'both' };
  const byReason = groupedBy(missing, ({ side, reason }) => {
    const text = unended(shortened(printable(reason), GREATEST_REASON_LENGTH));
    return side === 'both' ? `in neither (${text})` : `not in ${names[side]} (${text})`;
  });
  return [...byReason].map(([reason, alike]) => {
    const cells = alike.map(({ cell }) => `${cellName(cell)} at ${placeOf(cell)}`);
    return `Missing, ${reason}: ${listed(cells)}.`;
  });
}

/** @param {Comparison} comparison */
function columnLines({ rows }) {
  const tested = rows.filter(({ p }) => p !== null).length;
  const corrected = tested > 1 ? `, corrected for ${formatCount(tested)} rows (Holm)` : '';
  /** @type {[(row: ComparedRow) => boolean, string][]} printed if it holds for a row */
  const lines = [
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

/** @param {Comparison} comparison @returns {string[]} notes below the table */
export function noteLines(comparison) {
  const { rows } = comparison;
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
