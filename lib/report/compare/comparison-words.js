// A comparison in sentences that a reader may quote, the most important first. The numbers of all rows are in the table.

import { capitalised, listed } from '../../format/lists.js';
import {
  formatCount,
  formatPercent,
  formatRatio,
  formatRatioInterval,
  formatRatioOf,
} from '../../format/numbers.js';
import { cellName, placeNamer } from '../text/groups.js';
import { unrankedBy } from '../text/verdicts.js';

/** @import { ComparedMeasure, ComparedRow, Comparison, ComparisonDesign as Design } from '../../types/index.js' */

const GREATEST_TOLD = 3;
const GREATEST_LAUNCHES_TOLD = 1000;

/** @param {ComparedMeasure} measure @returns {boolean} a count per second */
export function isCounted({ unit }) {
  return unit === 'per second';
}

/** @param {number} minEffect @returns {string} '5 %', '2.5 %' */
export function minEffectText(minEffect) {
  return formatPercent(minEffect, 3);
}

/** @param {number} launches @returns {string} '14', '390': two digits, since more would be false precision */
export function roughCount(launches) {
  if (launches > GREATEST_LAUNCHES_TOLD) return `more than ${formatCount(GREATEST_LAUNCHES_TOLD)}`;
  return formatCount(Number(launches.toPrecision(2)));
}

/** @param {number} launches @param {Design} design @returns {string} '14 more launches per side' */
function moreText(launches, design) {
  const count = `${roughCount(launches)} more`;
  const noun = design === 'interleaved' ? 'block' : 'launch';
  const nouns = launches === 1 ? noun : design === 'interleaved' ? 'blocks' : 'launches';
  return design === 'interleaved' ? `${count} ${nouns}` : `${count} ${nouns} per side`;
}

/** @param {ComparedRow} row @param {number} minEffect @returns {string} 'slower beyond 5 %' */
export function verdictText({ verdict, isBeyond }, minEffect) {
  return isBeyond ? `${verdict} beyond ${minEffectText(minEffect)}` : verdict;
}

/** @param {Comparison} comparison @returns {string} '1 slower beyond 5 %, 7 same, 1 inconclusive' */
export function tallyText({ rows, minEffect }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const order = ['slower', 'faster', 'inconclusive', 'same'];
  const sorted = rows.toSorted(
    (left, right) =>
      order.indexOf(left.verdict) - order.indexOf(right.verdict) ||
      Number(right.isBeyond) - Number(left.isBeyond),
  );
  for (const row of sorted) {
    const text = verdictText(row, minEffect);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${formatCount(count)} ${text}`).join(', ');
}

/** @param {Comparison} comparison @returns {(row: ComparedRow) => string} 'unix/json at 1,000 B, 2x4' */
function rowNamer({ rows }) {
  const placeOf = placeNamer(rows);
  return ({ cell }) => `${cellName(cell)} at ${placeOf(cell)}`;
}

/** @param {Comparison} comparison @returns {string[]} */
export function formatConclusions(comparison) {
  const { rows, missing, design } = comparison;
  const count = `${formatCount(rows.length)} ${rows.length === 1 ? 'cell' : 'cells'} compared`;
  const some = (/** @type {ComparedRow['verdict']} */ verdict) =>
    rows.filter((row) => row.verdict === verdict);
  const howMade =
    design === 'separate'
      ? [
          'Not interleaved: a change on the machine between the two runs looks like a difference between them.',
        ]
      : [];
  return [
    `${count}: ${tallyText(comparison)}.`,
    ...differenceSentences(some('slower'), comparison),
    ...differenceSentences(some('faster'), comparison),
    ...inconclusiveSentences(some('inconclusive'), comparison),
    ...sameSentences(some('same'), comparison),
    ...(missing.length === 0 ? [] : [missingSentence(comparison)]),
    ...howMade,
  ];
}

/** @param {ComparedRow[]} some @returns {ComparedRow[]} farthest from 1 first */
function farthestFirst(some) {
  const distance = (/** @type {ComparedRow} */ { ratio }) => Math.abs(Math.log(ratio.estimate));
  return some.toSorted((left, right) => distance(right) - distance(left));
}

/** @param {ComparedRow[]} some all faster or all slower @param {Comparison} comparison @returns {string[]} */
function differenceSentences(some, comparison) {
  const { design, minEffect } = comparison;
  const [oldName, newName] = [comparison.old.name, comparison.new.name];
  const name = rowNamer(comparison);
  const told = farthestFirst(some).slice(0, GREATEST_TOLD);
  const sentences = told.map((row) => {
    const { ratio, measure } = row;
    const what = isCounted(measure) ? 'throughput' : `speed by ${measure.title}`;
    const n = `${ratio.n} ${design === 'interleaved' ? 'blocks' : 'launches per side'}`;
    const times = formatRatioOf(ratio, `the ${what} of ${oldName}`, `, ${n}`);
    return `${name(row)} is ${verdictText(row, minEffect)}: ${newName} has ${times}.`;
  });
  const rest = some.length - told.length;
  return rest === 0
    ? sentences
    : [...sentences, `${formatCount(rest)} more ${rest === 1 ? 'cell is' : 'cells are'} ${some[0].verdict}.`];
}

/** @param {ComparedRow[]} some all inconclusive @param {Comparison} comparison @returns {string[]} */
function inconclusiveSentences(some, comparison) {
  const name = rowNamer(comparison);
  const told = farthestFirst(some).slice(0, GREATEST_TOLD);
  const sentences = told.map((row) => {
    const { ratio, why, moreLaunches, detectableRatio, flags } = row;
    const reason = why === null ? '' : `, ${why}`;
    const more =
      moreLaunches === null
        ? unrankedBy([...flags.old, ...flags.new])?.next
        : `about ${moreText(moreLaunches, comparison.design)} would settle it`;
    const found =
      detectableRatio === null
        ? ''
        : `With this noise, only differences above ${effectText(detectableRatio)} would be detected (80 % power). `;
    return `${name(row)}: inconclusive, ${formatRatioInterval(ratio)}${reason}. ${found}${capitalised(more ?? '')}.`;
  });
  const rest = some.length - told.length;
  return rest === 0
    ? sentences
    : [...sentences, `${formatCount(rest)} more ${rest === 1 ? 'cell is' : 'cells are'} inconclusive.`];
}

/** @param {number} ratio above 1 @returns {string} '12 %', '2.40×' */
export function effectText(ratio) {
  return ratio >= 2 ? formatRatio(ratio) : formatPercent(ratio - 1, 2);
}

/** @param {ComparedRow[]} some all the same @param {Comparison} comparison @returns {string[]} */
function sameSentences(some, comparison) {
  if (some.length === 0) return [];
  const names = listed(some.map(rowNamer(comparison)), GREATEST_TOLD);
  return [`No difference above ${minEffectText(comparison.minEffect)}: ${names}.`];
}

/** @param {Comparison} comparison @returns {string} */
function missingSentence({ missing }) {
  const noun = missing.length === 1 ? 'cell is' : 'cells are';
  return `${formatCount(missing.length)} ${noun} not compared: see below the table.`;
}
