// Of which rows something holds, in few words: of all, of all with one concurrency, payload, rate or codec, of all but two, or
// of a few by their names.

import { seriesLabel, shapeLabel } from '../../cell/labels.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatBytes, formatCount } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { cellName } from './groups.js';

/** @import { Cell, MeasuredOutcome } from '../../types/index.js' */

const LEAST_OF_GROUP = 3; // fewer are named
const GROUPS_SHOWN = 6;
const MOST_EXCEPTIONS = 2;
const LEAST_RULE = 6; // rows that a rule with exceptions is of
const NAMES_SHOWN = 3; // of one place; elsewhere a name alone does not say which row it is

/** @type {((cell: Cell) => string)[]} */
const PLACES = [
  shapeLabel,
  ({ payloadBytes }) => formatBytes(payloadBytes),
  ({ ratePerSecond = 0 }) => `${formatCount(ratePerSecond)}/s`,
];

/** @type {((cell: Cell) => string)[]} */
const SERIES = [({ codec }) => `codec ${printable(codec)}`, (cell) => printable(seriesLabel(cell))];

/** @param {MeasuredOutcome[]} measured @returns {boolean} they differ in nothing but their names */
function isOnePlace(measured) {
  return PLACES.every((placeOf) => new Set(measured.map(({ cell }) => placeOf(cell))).size === 1);
}

/** @param {MeasuredOutcome[]} measured @param {Set<MeasuredOutcome>} concerned @returns {string | null} 'all of 2x4'; null: they are no whole groups */
function wholeGroups(measured, concerned) {
  for (const placeOf of [...PLACES, ...SERIES]) {
    const groups = [...groupedBy(measured, ({ cell }) => placeOf(cell))];
    const whole = groups.filter(
      ([, own]) => own.length >= LEAST_OF_GROUP && own.every((outcome) => concerned.has(outcome)),
    );
    const covered = whole.flatMap(([, own]) => own);
    if (covered.length === concerned.size && whole.length <= GROUPS_SHOWN)
      return `all of ${listed(whole.map(([name]) => name))}`;
  }
  return null;
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} some     of them, at least one
 * @param {{ nameOf?: (outcome: MeasuredOutcome) => string, mostNames?: number }} [names]    mostNames: more are counted
 * @returns {string} 'all rows', 'all of 2x4', 'all but unix/json', 'pipe/json (46 %), tcp/json (35 %)', '9 of 24 rows'
 */
export function scopeText(
  measured,
  some,
  { nameOf = ({ cell }) => cellName(cell), mostNames = isOnePlace(measured) ? NAMES_SHOWN : 1 } = {},
) {
  const concerned = new Set(some);
  const others = measured.filter((outcome) => !concerned.has(outcome));
  if (measured.length > 1 && others.length === 0) return 'all rows';
  const groups = wholeGroups(measured, concerned);
  if (groups !== null) return groups;
  if (isOnePlace(measured) && others.length <= MOST_EXCEPTIONS && some.length >= LEAST_RULE)
    return `all but ${listed(others.map(({ cell }) => cellName(cell)))}`;
  const names = [...new Set(some.map(nameOf))];
  if (some.length <= mostNames) return listed(names);
  return `${some.length} of ${measured.length} rows`;
}
