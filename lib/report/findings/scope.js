// Names the rows that share a property in few words: all of them, all with one shape, payload, rate or codec, all but two, or each by name.

import { seriesLabel, shapeLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { formatBytes, formatRate } from '../../format/numbers.js';
import { headingNamer } from './groups.js';

/** @import { Cell, FoundRow, FoundScope, MeasuredOutcome } from '../../types/index.js' */

const MIN_OF_GROUP = 3; // fewer rows are named one by one
const GROUPS_SHOWN = 6;
const MIN_WITH_EXCEPTIONS = 6;
const MAX_EXCEPTIONS = 2;

/** Parts of a heading: concurrency, payload size and rate. @type {((cell: Cell) => string)[]} */
const HEADING_PARTS = [
  shapeLabel,
  ({ payloadBytes }) => formatBytes(payloadBytes),
  ({ ratePerSecond = 0 }) => formatRate(ratePerSecond),
];

/** @type {((cell: Cell) => string)[]} */
const SERIES = [({ codec }) => `codec ${codec}`, seriesLabel];

/**
 * @param {{ cell: Cell }[]} rows
 * @returns {(cell: Parameters<ReturnType<typeof headingNamer>>[0]) => string} '1,000 B, 2x4', under open load with the rate before it
 */
export function placeNamer(rows) {
  const headingOf = headingNamer(rows);
  return (cell) =>
    (cell.ratePerSecond === undefined ? '' : `${formatRate(cell.ratePerSecond)}, `) + headingOf(cell);
}

/**
 * @param {readonly MeasuredOutcome[]} measured
 * @returns {(outcome: MeasuredOutcome) => Pick<FoundRow, 'row' | 'heading'>} names a row, with its rate under open load, and its heading if
 *   there are several
 */
export function rowNamer(measured) {
  const headingOf = headingNamer([...measured]);
  const isOne = new Set(measured.map(({ cell }) => headingOf(cell))).size === 1;
  return ({ cell }) => {
    const rate = cell.ratePerSecond === undefined ? [] : [formatRate(cell.ratePerSecond)];
    const heading = [...rate, ...(isOne ? [] : [headingOf(cell)])].join(', ');
    return { row: seriesLabel(cell), ...(heading !== '' && { heading }) };
  };
}

/**
 * @param {readonly MeasuredOutcome[]} measured
 * @param {Set<MeasuredOutcome>} concerned
 * @returns {string[] | null} names of groups, such as '2x4', that together are exactly these rows; null if there are none, or more than
 *   GROUPS_SHOWN
 */
function wholeGroups(measured, concerned) {
  for (const headingOf of [...HEADING_PARTS, ...SERIES]) {
    const groups = [...groupedBy(measured, ({ cell }) => headingOf(cell))];
    const whole = groups.filter(
      ([, rows]) => rows.length >= MIN_OF_GROUP && rows.every((outcome) => concerned.has(outcome)),
    );
    const covered = whole.flatMap(([, rows]) => rows);
    if (covered.length === concerned.size && whole.length <= GROUPS_SHOWN) return whole.map(([name]) => name);
  }
  return null;
}

/**
 * @param {readonly MeasuredOutcome[]} measured
 * @param {readonly MeasuredOutcome[]} rows   a subset, at least one
 * @param {number} [maxExceptions]   greatest number of other rows that are named in place of these, if there are MIN_WITH_EXCEPTIONS in all
 * @returns {FoundScope}
 */
export function findScope(measured, rows, maxExceptions = MAX_EXCEPTIONS) {
  const concerned = new Set(rows);
  const others = measured.filter((outcome) => !concerned.has(outcome));
  const of = measured.length;
  if (of > 1 && others.length === 0) return { kind: 'all', names: [], of };
  const groups = wholeGroups(measured, concerned);
  if (groups !== null) return { kind: 'all-of', names: groups, of };
  if (of < MIN_WITH_EXCEPTIONS || others.length > maxExceptions) return { kind: 'rows', names: [], of };
  const names = others
    .map(rowNamer(measured))
    .map(({ row, heading }) => row + (heading === undefined ? '' : ` at ${heading}`));
  return { kind: 'all-but', names, of };
}
