// Which rows are missing and why: one line for each cause, and a transport of which nothing is there is named once,
// however many codecs, shapes and sizes were planned for it.

import { tableLabel, transportLabel } from '../labels.js';
import { groupsOf, rowNameOf } from './groups.js';
import { listed } from './lists.js';
import { printable } from './printable.js';

/** @typedef {import('../types.js').Outcome} Outcome */
/** @typedef {import('../types.js').Results} Results */

const GREATEST_PLACES_NAMED = 2;
const GREATEST_NAMES = 12;

/**
 * @param {Outcome} outcome
 * @returns {string | null} why it has no row; null where it has one
 */
function causeOf(outcome) {
  if (outcome.status === 'skipped') return `Skipped: \u0000: ${printable(outcome.reason)}`;
  if (outcome.status === 'measured') return null;
  return `Failed: \u0000: ${printable(outcome.message)} (${printable(outcome.code)})`;
}

/**
 * @param {Outcome[]} outcomes
 * @returns {Map<string, string>} transport → the one cause that all of its rows share
 */
export function sharedCauses(outcomes) {
  /** @type {Map<string, Set<string | null>>} */
  const causes = new Map();
  for (const outcome of outcomes) {
    const name = transportLabel(outcome.cell);
    causes.set(name, (causes.get(name) ?? new Set()).add(causeOf(outcome)));
  }
  return new Map(
    [...causes].flatMap(([name, some]) => {
      const [cause] = some;
      return some.size === 1 && cause !== null ? [[name, cause]] : [];
    }),
  );
}

/**
 * @param {Results} results
 * @param {Outcome['status']} [only]    of these; left out: skipped and failed ones
 * @returns {string[]}
 */
export function gapNotes(results, only) {
  const groups = groupsOf(results);
  const shared = sharedCauses(results.outcomes);
  /** @type {Map<string, Map<string, Set<string>>>} cause → name of transport or row → places */
  const causes = new Map();
  const placeOf = new Map(groups.map(({ place, cell }) => [tableLabel(cell), place]));
  for (const outcome of results.outcomes) {
    const cause = causeOf(outcome);
    if (cause === null || (only !== undefined && outcome.status !== only)) continue;
    const transport = transportLabel(outcome.cell);
    const name = shared.has(transport) ? printable(transport) : rowNameOf(outcome.cell);
    const names = causes.get(cause) ?? new Map();
    const place = String(placeOf.get(tableLabel(outcome.cell)));
    causes.set(cause, names.set(name, (names.get(name) ?? new Set()).add(place)));
  }
  const where = (/** @type {Set<string>} */ places) => {
    if (places.size === groups.length) return '';
    return places.size > GREATEST_PLACES_NAMED
      ? ` in ${places.size} of ${groups.length} groups`
      : ` at ${[...places].join(' and at ')}`;
  };
  return [...causes].map(([cause, names]) => {
    const texts = [...names].map(([name, places]) => name + where(places));
    return cause.replace('\u0000', () => listed(texts, GREATEST_NAMES));
  });
}
