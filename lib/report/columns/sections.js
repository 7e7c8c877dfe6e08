// Sections of tables and charts: by class of transport, and for brokers by where they store messages. In closed loops, the best row of a
// section comes first.

import { rankingScore } from '../../cell/headline.js';
import { readClass } from '../../cell/traits.js';
import { groupedBy } from '../../format/lists.js';
import { isOpen } from '../findings/groups.js';
import { kindsIn, transportClass, transportFacts } from '../findings/transport-kinds.js';

/** @import { Cell, MeasuredOutcome, Results } from '../../types/index.js' */
/** @typedef {{ heading: string, rank: number }} Section   rank: in reading order */
/** @typedef {{ heading: string | null, rows: MeasuredOutcome[] }} OutcomeSection   heading: null if none is needed */

const ROWS_WITHOUT_HEADINGS = 4; // at most this many rows need no headings
/** @type {Readonly<Record<string, { words: string, rank: number }>>} */
const DURABILITIES = Object.freeze({
  memory: { words: ', in memory', rank: 0.1 },
  disk: { words: ', on disk', rank: 0.2 },
});

/** @param {Pick<Results, 'transports'>} results @param {Pick<Cell, 'transport' | 'settings'>} cell @returns {Section} */
export function findSection(results, cell) {
  const { heading, rank } = readClass(transportClass(results, cell));
  const { durability = '' } = transportFacts(results, cell);
  const ofDurability = Object.hasOwn(DURABILITIES, durability)
    ? DURABILITIES[durability]
    : { words: '', rank: 0 };
  return { heading: heading + ofDurability.words, rank: rank + ofDurability.rank };
}

/**
 * @template {{ cell: Cell }} Row
 * @param {Results} results
 * @param {Row[]} rows
 * @param {(row: Row) => number} scoreOf   the greatest comes first
 * @returns {{ heading: string, rows: Row[] }[]} sections in reading order
 */
export function makeSections(results, rows, scoreOf) {
  return [...groupedBy(rows, ({ cell }) => findSection(results, cell).rank)]
    .sort(([left], [right]) => left - right)
    .map(([, members]) => ({
      heading: findSection(results, members[0].cell).heading,
      rows: members.toSorted((left, right) => scoreOf(right) - scoreOf(left)),
    }));
}

/**
 * Rows under open load stay in the order of the plan, since their rates were planned.
 * @param {Results} results
 * @param {import('../findings/groups.js').RowGroup} group
 * @returns {OutcomeSection[]}
 */
export function sectionsOfGroup(results, { measured }) {
  const sections = makeSections(results, measured, (outcome) =>
    isOpen(outcome) ? 0 : rankingScore(outcome),
  );
  const hasHeadings = needHeadings(results, sections);
  return sections.map(({ heading, rows }) => ({ heading: hasHeadings ? heading : null, rows }));
}

/**
 * @param {Results} results
 * @param {{ rows: { cell: Cell }[] }[]} sections
 * @returns {boolean} true for several sections that have more than ROWS_WITHOUT_HEADINGS rows, or a row of another kind than the reference
 */
export function needHeadings(results, sections) {
  const cells = sections.flatMap(({ rows }) => rows.map(({ cell }) => cell));
  if (sections.length < 2) return false;
  const kindIn = kindsIn(results);
  return cells.length > ROWS_WITHOUT_HEADINGS || cells.some((cell) => kindIn(cell) !== '');
}
