// The parts of the time of a round trip, with related parts merged. Notes name the parts that could not be found, and state whether the parts
// add up, and how much the diagnosis slowed the launch down.

import { cellLabel } from '../../cell/labels.js';
import { groupedBy, ifAny, listed, unended } from '../../format/lists.js';
import { formatCount, formatNumber, formatPercent, spanText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { EXPLAINED_WITHIN } from '../../results/thresholds.js';
import { sum } from '../../statistics/sum.js';
import { cellName } from './names.js';

/** @import { Explanation, Outcome, Results } from '../../types/index.js' */

/**
 * @typedef {object} ShownPart
 * @property {string} name
 * @property {string} title
 * @property {string} short   title of a column
 * @property {readonly string[]} of   the parts that it sums up
 */

/** The parts in the order of a bar, without the remainder. @type {readonly ShownPart[]} */
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
export const REMAINDER = Object.freeze({
  name: 'remainder',
  title: 'remainder of the median',
  short: 'rest',
  of: [],
});
/** The remainder if several round trips overlap. @type {ShownPart} */
export const OTHERS = Object.freeze({
  name: 'others',
  title: 'waiting while others are under way',
  short: 'others',
  of: [],
});

/** @param {Pick<Results, 'explanations'>} results @param {Outcome} outcome @returns {Explanation | null} */
export function explanationIn({ explanations = [] }, { cell }) {
  return explanations.find((explanation) => cellLabel(explanation.cell) === cellLabel(cell)) ?? null;
}

/** @param {Explanation[]} explanations @returns {ShownPart[]} the parts that any of the explanations has, with the remainder */
export function shownParts(explanations) {
  return [...SHOWN, OTHERS, REMAINDER].filter((part) =>
    explanations.some((explanation) => shownUs(explanation, part) !== null),
  );
}

/** @param {Explanation} explanation @returns {ShownPart} */
function leftOverPart({ underWay = 1 }) {
  return underWay === 1 ? REMAINDER : OTHERS;
}

/**
 * @param {Explanation} explanation
 * @param {ShownPart} part
 * @returns {number | null} sum of the known parts that it consists of, or the remainder; null if the part is unknown or does not occur
 */
export function shownUs(explanation, { name, of }) {
  const { parts, remainderUs } = explanation;
  if (of.length === 0) return name === leftOverPart(explanation).name ? remainderUs : null;
  const known = parts.filter((part) => of.includes(part.name)).flatMap(({ us }) => us ?? []);
  return known.length === 0 ? null : sum(known);
}

/**
 * @param {Explanation} explanation
 * @returns {boolean} true if the parts add up to the median of the measured launches, within the share EXPLAINED_WITHIN of it; if round
 *   trips overlap, also if they add up to less
 */
export function addsUp(explanation) {
  const { wholeUs, remainderUs } = explanation;
  const misses = leftOverPart(explanation) === OTHERS ? -remainderUs : Math.abs(remainderUs);
  return misses <= EXPLAINED_WITHIN * wholeUs.estimate;
}

/** @param {Explanation} explanation @returns {boolean} true if no round trips overlap and the parts add up to the median of their launch */
function addsUpInItsLaunch({ wholeUs, explainedUs, remainderUs, underWay = 1 }) {
  const missesUs = explainedUs - (wholeUs.estimate - remainderUs);
  return underWay === 1 && Math.abs(missesUs) <= EXPLAINED_WITHIN * explainedUs;
}

/** @param {Explanation} explanation @returns {string} why the parts differ from the median */
function differenceText(explanation) {
  if (addsUpInItsLaunch(explanation))
    return 'they add up to the median of the extra launch, which was faster or slower';
  return explanation.remainderUs > 0
    ? 'what is left over was not measured; it may be waiting for a CPU, or a pause in the code of either end'
    : 'they exceed it, and some of them may have run at the same time';
}

/** @param {Explanation[]} explanations @returns {string[]} */
function sumNotes(explanations) {
  const unequal = explanations.filter((explanation) => !addsUp(explanation));
  const within = formatPercent(EXPLAINED_WITHIN);
  return [...groupedBy(unequal, differenceText)].map(
    ([text, rows]) => `Parts differ from the median by more than ${within}: ${formatShares(rows)}; ${text}.`,
  );
}

/** @param {readonly Explanation[]} explanations @returns {string} 'unix/json 21 %': |remainder| / median */
function formatShares(explanations) {
  return listed(
    explanations.map(
      ({ cell, remainderUs, wholeUs }) =>
        `${cellName(cell)} ${formatPercent(Math.abs(remainderUs) / wholeUs.estimate, 3)}`,
    ),
  );
}

/** @param {Explanation[]} explanations @returns {string[]} notes on work that overlaps other work for the same round trip */
function besideNotes(explanations) {
  const beside = explanations
    .filter(({ besideUs = 0 }) => besideUs > 0)
    .map(({ cell, besideUs }) => `${cellName(cell)} ${formatNumber(Number(besideUs))} µs`);
  return ifAny(
    beside,
    () => `Not in any part, since it overlaps with the work of others: ${listed(beside)}.`,
  );
}

/** @param {Explanation[]} explanations @returns {string[]} */
function othersNotes(explanations) {
  const counts = explanations.flatMap(({ underWay }) => underWay ?? []);
  return ifAny(
    counts,
    () =>
      `${spanText(counts, '–', formatCount)} round trips overlapped: parts are the cost of each alone. The rest of the median is waiting, which may be for other round trips, for other programs, or for a pause in the code of either end.`,
  );
}

/** @param {Explanation[]} explanations @returns {string} */
function slowdownNote(explanations) {
  const times = explanations.map(({ wholeUs, explainedUs }) => explainedUs / wholeUs.estimate);
  return (
    'Parts come from an extra instrumented launch of each row, ' +
    `whose median was ${spanText(times)} times that of the measured launches.`
  );
}

/** @param {Explanation[]} explanations @returns {string[]} */
function unknownNotes(explanations) {
  const unknown = explanations.flatMap(({ cell, parts }) =>
    parts.filter(({ us }) => us === null).map(({ title, found }) => ({ name: cellName(cell), title, found })),
  );
  const texts = [...groupedBy(unknown, ({ title, found }) => `${title}: ${found}`)].map(([, rows]) => {
    const [{ title, found }] = rows;
    return `${printable(title)} of ${listed(rows.map(({ name }) => name))} (${unended(printable(found))})`;
  });
  return ifAny(texts, () => `Unknown, and included in the rest: ${texts.join('; ')}.`);
}

/** @param {Explanation[]} explanations @returns {string[]} notes below their table or picture */
export function explanationNotes(explanations) {
  return [
    ...othersNotes(explanations),
    ...sumNotes(explanations),
    ...besideNotes(explanations),
    ...unknownNotes(explanations),
    slowdownNote(explanations),
  ];
}
