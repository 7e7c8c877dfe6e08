// A comparison in words: its conclusions, the lines above its table, and the notes below it.

import { commonOperation } from '../../cell/headline.js';
import { ifAny, listed } from '../../format/lists.js';
import { formatCount, formatInstant, formatRatioInterval, UNKNOWN_NOTE } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagNotes, isFault } from '../../format/result-flags.js';
import { ALPHA } from '../../statistics/verdict.js';
import { placeNamer } from '../findings/scope.js';
import { isRate } from '../text/measure-words.js';
import { phrase } from '../text/phrase-table.js';
import { comparedTitle, isDetected, minEffectText } from '../text/phrases/comparison-phrases.js';
import { comparedFinding } from './comparison-findings.js';

/** @import { ComparedRow, Comparison, ComparedSide } from '../../types/index.js' */

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
export const conclusionsOf = ({ findings }) => findings.flatMap((finding) => phrase(finding, false));

/** @param {Comparison} comparison @returns {string} '1 slower beyond 5 %, 1 inconclusive, 7 same' */
export const tallyText = (comparison) => comparedTitle(comparedFinding(comparison));

const NO_DIFFERENCE = 'Both runs have the same machine, system, Node.js, packages and ipc-bench.';

/** @param {ComparedSide} side */
function sideLine({ name, source, startedAt, version }) {
  const from = source === name ? '' : `${printable(source)}, `;
  return `${name}: ${from}measured ${formatInstant(startedAt)} with ipc-bench ${printable(version)}`;
}

/** @param {Comparison} comparison @returns {string[]} */
export function headLines(comparison) {
  const isAlike = comparison.design === 'separate' && differenceLines(comparison).length === 0;
  return [...(isAlike ? [NO_DIFFERENCE] : []), sideLine(comparison.old), sideLine(comparison.new)];
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
function environmentLine({ old, new: newSide }) {
  const texts = /** @type {const} */ (['machine', 'programs']).map((fact) =>
    old[fact] === newSide[fact]
      ? old[fact]
      : [old, newSide].map((side) => `${side.name}: ${side[fact]}`).join('; '),
  );
  return `${texts.join('; ')}.`;
}

/** @param {Comparison} comparison @returns {string[]} what documents have below the tables */
export function footLines(comparison) {
  return [
    ...meanLines(comparison),
    ...noteLines(comparison),
    ...headLines(comparison),
    environmentLine(comparison),
  ];
}

/** @param {Comparison} comparison @returns {string[]} a line with the first geometric means and the number of others, or nothing */
export function meanLines({ geometricMeans, rows, old, new: newSide }) {
  const headingOf = placeNamer(rows);
  const means = geometricMeans.map((mean) => {
    const { measure, cells, ratio } = mean;
    const of = isRate(measure) ? '' : `, ${measure.title}`;
    return `${formatRatioInterval(ratio)} over ${formatCount(cells)} rows at ${headingOf(mean)}${of}`;
  });
  return ifAny(means, () => `Geometric mean of ${newSide.name}/${old.name}: ${listed(means)}.`);
}

/** @param {Comparison} comparison @returns {string[]} notes below the table: what columns and faults mean */
export function noteLines(comparison) {
  const rows = rowsInTable(comparison);
  const codes = new Set(rows.flatMap(({ flags }) => [...flags.old, ...flags.new]).filter(isFault));
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
      `p = how often chance alone gives such a difference${corrected}; faster and slower need ${ALPHA} or less.`,
    ],
    [hasFound, 'finds = the smallest difference that this comparison detects with 80 % power.'],
    [({ ratio }) => ratio.method === 'unknown', UNKNOWN_NOTE],
  ];
  return [
    ...lines.filter(([isConcerned]) => rows.some(isConcerned)).map(([, line]) => line),
    ...flagNotes(codes, commonOperation(rows)),
  ];
}
