// Names the rows that share a property in few words: all of them, all with one shape, payload, rate or codec, all but two, or each by name.

import { seriesLabel, shapeLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { formatBytes, formatRate } from '../../format/numbers.js';
import { headingNamer } from './groups.js';

/** @import { Cell, FoundRow, FoundScope, MeasuredOutcome } from '../../types/index.js' */

const MIN_OF_GROUP = 3; // fewer rows are named one by one
const GROUPS_SHOWN = 6;
const MAX_EXCEPTIONS = 2;
const MIN_WITH_EXCEPTIONS = 6;
const MAX_EXCEPTED = 12; // greatest number of rows without a fault that most rows have

/** Parts of a heading: concurrency, payload size and rate. @type {((cell: Cell) => string)[]} */
export const PLACES = [
  shapeLabel,
  ({ payloadBytes }) => formatBytes(payloadBytes),
  ({ ratePerSecond = 0 }) => formatRate(ratePerSecond),
];

/** @type {((cell: Cell) => string)[]} */
const SERIES = [({ codec }) => `codec ${codec}`, seriesLabel];

/** @param {readonly MeasuredOutcome[]} measured @returns {boolean} true if all rows have the same shape, payload size and rate */
export function isOneHeading(measured) {
  return PLACES.every((headingOf) => new Set(measured.map(({ cell }) => headingOf(cell))).size === 1);
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
  for (const headingOf of [...PLACES, ...SERIES]) {
    const groups = [...groupedBy(measured, ({ cell }) => headingOf(cell))];
    const whole = groups.filter(
      ([, rows]) => rows.length >= MIN_OF_GROUP && rows.every((outcome) => concerned.has(outcome)),
    );
    const covered = whole.flatMap(([, rows]) => rows);
    if (covered.length === concerned.size && whole.length <= GROUPS_SHOWN) return whole.map(([name]) => name);
  }
  return null;
}

/** @param {readonly MeasuredOutcome[]} measured @param {readonly MeasuredOutcome[]} rows   a subset, at least one @returns {FoundScope} */
export function findScope(measured, rows) {
  const concerned = new Set(rows);
  const others = measured.filter((outcome) => !concerned.has(outcome));
  const of = measured.length;
  if (measured.length > 1 && others.length === 0) return { kind: 'all', names: [], of };
  const groups = wholeGroups(measured, concerned);
  if (groups !== null) return { kind: 'all-of', names: groups, of };
  const isOne = isOneHeading(measured);
  if (isOne && others.length <= MAX_EXCEPTIONS && rows.length >= MIN_WITH_EXCEPTIONS)
    return { kind: 'all-but', names: others.map(({ cell }) => seriesLabel(cell)), of };
  return { kind: isOne ? 'rows' : 'rows-of-places', names: [], of };
}

/**
 * @param {readonly MeasuredOutcome[]} measured
 * @param {(outcome: MeasuredOutcome) => boolean} isConcerned
 * @returns {FoundScope | null} the concerned rows; null unless all or most rows are concerned
 */
export function findScopeOfMost(measured, isConcerned) {
  const others = measured.filter((outcome) => !isConcerned(outcome));
  const of = measured.length;
  if (of < 2) return null;
  if (others.length === 0) return { kind: 'all', names: [], of };
  const isMost = of >= MIN_WITH_EXCEPTIONS && 2 * others.length < of;
  if (!isMost || others.length > MAX_EXCEPTED) return null;
  const nameRow = rowNamer(measured);
  const names = others
    .map(nameRow)
    .map(({ row, heading }) => row + (heading === undefined ? '' : ` at ${heading}`));
  return { kind: 'all-but', names, of };
}
