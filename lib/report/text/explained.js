// The parts of a round trip's time, as they are shown: related parts are merged. The notes say how the parts were found,
// which could not be found, whether they add up, and how much the diagnosis slowed the launch down.

import { cellLabel } from '../../cell/labels.js';
import { groupedBy, listed, unended } from '../../format/lists.js';
import { formatCount, formatNumber, formatPercent, spanText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { EXPLAINED_WITHIN } from '../../results/thresholds.js';
import { sum } from '../../statistics/sum.js';
import { numberColumn, textColumn } from '../columns/columns.js';
import { cellName } from './groups.js';

/** @import { Explanation, Outcome, Results } from '../../types/index.js' */
/** @import { Column } from '../columns/columns.js' */
/** @import { Group } from './groups.js' */

/** @typedef {{ name: string, title: string, short: string, of: readonly string[] }} ShownPart   short: of a column; of: the parts that it is the sum of */

/** In the order of a bar; the remainder comes after them. @type {readonly ShownPart[]} */
const SHOWN = Object.freeze([
  { name: 'codec', title: 'codec', short: 'codec', of: ['workerCodec', 'masterCodec'] },
  { name: 'transport', title: 'transport’s own code', short: 'transport', of: ['transport'] },
  { name: 'loop', title: 'event loop and callbacks', short: 'loop', of: ['loop'] },
  { name: 'systemCalls', title: 'system calls', short: 'calls', of: ['systemCalls'] },
  { name: 'waking', title: 'waking the other process', short: 'waking', of: ['waking'] },
  { name: 'threads', title: 'other threads', short: 'threads', of: ['threads'] },
  { name: 'broker', title: 'broker', short: 'broker', of: ['broker'] },
  { name: 'other', title: 'harness, garbage collection', short: 'other', of: ['harness', 'collection'] },
]);
/** @type {ShownPart} */
export const REMAINDER = Object.freeze({ name: 'remainder', title: 'remainder', short: 'rest', of: [] });
/** What is left over where several round trips are under way. @type {ShownPart} */
export const OTHERS = Object.freeze({
  name: 'others',
  title: 'waiting for other round trips',
  short: 'others',
  of: [],
});

/** @param {Pick<Results, 'explanations'>} results @param {Outcome} outcome @returns {Explanation | null} */
export function explanationIn({ explanations = [] }, { cell }) {
  return explanations.find((own) => cellLabel(own.cell) === cellLabel(cell)) ?? null;
}

/** @param {Explanation[]} explanations @returns {ShownPart[]} that any of them has, with what is left over */
export function shownParts(explanations) {
  return [...SHOWN, OTHERS, REMAINDER].filter((part) =>
    explanations.some((own) => shownUs(own, part) !== null),
  );
}

/** @param {Explanation} explanation @returns {ShownPart} what is left over of it */
export function leftOverPart({ underWay = 1 }) {
  return underWay === 1 ? REMAINDER : OTHERS;
}

/** @param {Explanation} explanation @param {ShownPart} part @returns {number | null} null: it could not be found, or there is none */
export function shownUs(explanation, { name, of }) {
  const { parts, remainderUs } = explanation;
  if (of.length === 0) return name === leftOverPart(explanation).name ? remainderUs : null;
  const known = parts.filter((part) => of.includes(part.name)).flatMap(({ us }) => us ?? []);
  return known.length === 0 ? null : sum(known);
}

/** @param {Explanation} explanation @returns {boolean} its parts are the whole, to within a tenth; of several at once: they are not more */
export function addsUp(explanation) {
  const { wholeUs, remainderUs } = explanation;
  const misses = leftOverPart(explanation) === OTHERS ? -remainderUs : Math.abs(remainderUs);
  return misses <= EXPLAINED_WITHIN * wholeUs.estimate;
}

/** @param {Explanation} explanation @returns {boolean} its parts are the median of the launch that they come from */
function addsUpInItsLaunch({ wholeUs, explainedUs, remainderUs, underWay = 1 }) {
  const missesUs = explainedUs - (wholeUs.estimate - remainderUs);
  return underWay === 1 && Math.abs(missesUs) <= EXPLAINED_WITHIN * explainedUs;
}

/** @param {Explanation[]} explanations @returns {string[]} whether their parts are the whole */
function sumNotes(explanations) {
  const odd = explanations.filter((own) => !addsUp(own));
  const within = `within ${formatPercent(EXPLAINED_WITHIN)}`;
  const [elsewhere, here] = [true, false].map((is) => odd.filter((own) => addsUpInItsLaunch(own) === is));
  const [lacking, exceeding] = [true, false].map((is) => here.filter((own) => own.remainderUs > 0 === is));
  /** @type {[Explanation[], string, string][]} */
  const notes = [
    [
      elsewhere,
      `Parts differ from the median by more than ${formatPercent(EXPLAINED_WITHIN)}`,
      'They add up to the median of the extra launch, which was faster or slower.',
    ],
    [
      lacking,
      `Parts do not add up to the median ${within}; left over`,
      'The rest is waiting, most often for a CPU that another program uses.',
    ],
    [
      exceeding,
      `Parts exceed the median by more than ${formatPercent(EXPLAINED_WITHIN)}`,
      'Some of them ran at the same time.',
    ],
  ];
  return notes.flatMap(([rows, before, after]) =>
    rows.length === 0 ? [] : [`${before}: ${formatShares(rows)}. ${after}`],
  );
}

/** @param {Explanation[]} explanations @returns {string} 'unix/json 21 %' */
function formatShares(explanations) {
  return listed(
    explanations.map(
      ({ cell, remainderUs, wholeUs }) =>
        `${cellName(cell)} ${formatPercent(Math.abs(remainderUs) / wholeUs.estimate)}`,
    ),
  );
}

/** @param {Explanation[]} explanations @returns {string[]} the work of an endpoint while others are active on the way */
function besideNotes(explanations) {
  const beside = explanations
    .filter(({ besideUs = 0 }) => besideUs > 0)
    .map(({ cell, besideUs }) => `${cellName(cell)} ${formatNumber(Number(besideUs))} µs`);
  return beside.length === 0
    ? []
    : [`Not in any part, since it overlaps with the work of others: ${listed(beside)}.`];
}

/** @param {Explanation[]} explanations @returns {string[]} the note on round trips that overlap */
function othersNotes(explanations) {
  const counts = explanations.flatMap(({ underWay }) => underWay ?? []);
  if (counts.length === 0) return [];
  const shown = spanText(counts, '–', formatCount);
  return [
    `${shown} round trips overlapped: parts are the cost of each alone. The rest of the median is waiting for other ` +
      'round trips and, on a busy machine, for other programs.',
  ];
}

/** @param {Explanation[]} explanations @returns {string} how much the instruments slowed the launch down */
function slowdownNote(explanations) {
  const times = explanations.map(({ wholeUs, explainedUs }) => explainedUs / wholeUs.estimate);
  return (
    'Parts come from an extra instrumented launch of each row, ' +
    `whose median was ${spanText(times)} times that of the measured launches.`
  );
}

/** @param {Explanation[]} explanations @returns {string[]} the parts that could not be found, and why */
function unknownNotes(explanations) {
  const unknown = explanations.flatMap((own) =>
    own.parts
      .filter(({ us }) => us === null)
      .map(({ title, found }) => ({ name: cellName(own.cell), title, found })),
  );
  const texts = [...groupedBy(unknown, ({ title, found }) => `${title}: ${found}`)].map(([, rows]) => {
    const [{ title, found }] = rows;
    return `${printable(title)} of ${listed(rows.map(({ name }) => name))} (${unended(printable(found))})`;
  });
  return texts.length === 0 ? [] : [`Unknown, and included in the rest: ${texts.join('; ')}.`];
}

/** @param {Explanation[]} explanations @returns {string[]} for below what is shown of them */
export function explanationNotes(explanations) {
  return [
    ...othersNotes(explanations),
    ...sumNotes(explanations),
    ...besideNotes(explanations),
    ...unknownNotes(explanations),
    slowdownNote(explanations),
  ];
}

/** @param {Explanation[]} explanations @returns {string[]} how each part was found */
export function foundNotes(explanations) {
  const found = explanations.flatMap(({ parts }) =>
    parts
      .filter(({ us }) => us !== null)
      .map((part) => `${printable(part.title)}: ${unended(printable(part.found))}`),
  );
  return found.length === 0 ? [] : [`How the parts were found: ${[...new Set(found)].join('; ')}.`];
}

// Where a round trip's time goes, as a table: a row for each explained cell of a group, a column for each part, in µs.

/** @type {Readonly<Record<string, string>>} */
const WORDS = Object.freeze({
  loop: 'loop = event loop and callbacks',
  systemCalls: 'calls = system calls',
  other: 'other = harness and garbage collection',
  others: 'others = waiting for other round trips',
  remainder: 'rest = remainder of the median, negative where the parts exceed it',
});

/**
 * @param {Results} results
 * @param {Group} group
 * @returns {{ heading: string, columns: Column<Explanation>[], rows: Explanation[], notes: string[] } | null} null: nothing of it is explained
 */
export function explainedTable(results, { place, measured }) {
  const rows = measured
    .flatMap((outcome) => explanationIn(results, outcome) ?? [])
    .sort((left, right) => left.wholeUs.estimate - right.wholeUs.estimate);
  if (rows.length === 0) return null;
  const parts = shownParts(rows);
  const words = parts.flatMap(({ name }) => WORDS[name] ?? []);
  return {
    heading: `Where the time of a round trip goes, in µs, ${place}`,
    columns: [
      textColumn('transport/codec', ({ cell }) => cellName(cell)),
      numberColumn('', 'p50', ({ wholeUs }) => wholeUs.estimate),
      ...parts.map((part) =>
        numberColumn('', part.short, (/** @type {Explanation} */ row) => shownUs(row, part)),
      ),
    ],
    rows,
    notes: [`${words.join('; ')}.`, ...explanationNotes(rows)],
  };
}
