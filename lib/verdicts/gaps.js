// Which rows are missing and why: one line for each cause, and a transport of which nothing is there is named once,
// however many codecs, shapes and sizes were planned for it.

import { tableLabel, transportLabel } from '../cell/labels.js';
import { listed } from '../words/lists.js';
import { printable } from '../words/printable.js';
import { groupsOf, isPossible, rowNameOf } from './groups.js';

/** @import { Outcome } from '../types/outcomes.js' */
/** @import { Results } from '../types/results-file.js' */

const GREATEST_PLACES_NAMED = 2;
const GREATEST_NAMES = 12;
const GREATEST_IMPOSSIBLE_CAUSES = 4;

/**
 * @param {Outcome} outcome
 * @returns {string | null} why it has no row, with \u0000 for its name; null where it has one
 */
function causeOf(outcome) {
  if (outcome.status === 'measured') return null;
  if (outcome.status === 'skipped') {
    const reason = printable(outcome.reason);
    return isPossible(outcome) ? `Skipped: \u0000: ${reason}` : `\u0000 (${reason})`;
  }
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
 * @param {Outcome[]} outcomes
 * @param {Map<string, string>} shared    causes of whole transports
 * @param {Results} results
 * @returns {string[]} one text for each cause, with the transports or rows that have it, and where
 */
function causeTexts(outcomes, shared, results) {
  const groups = groupsOf(results);
  /** @type {Map<string, Map<string, Set<string>>>} cause → name of transport or row → places */
  const causes = new Map();
  const placeOf = new Map(groups.map(({ place, cell }) => [tableLabel(cell), place]));
  for (const outcome of outcomes) {
    const cause = causeOf(outcome);
    if (cause === null) continue;
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

/** @param {string[]} texts    of what cannot be asked @returns {string[]} one line at most */
function impossibleNotes(texts) {
  if (texts.length === 0) return [];
  const rest = texts.length - GREATEST_IMPOSSIBLE_CAUSES;
  const told = rest > 1 ? texts.slice(0, GREATEST_IMPOSSIBLE_CAUSES) : texts;
  const more = rest > 1 ? `; and ${rest} more, which --dry-run lists` : '';
  return [`Cannot be asked: ${told.join('; ')}${more}`];
}

/**
 * @param {Results} results
 * @param {Outcome['status']} [only]    of these; left out: skipped and failed ones
 * @returns {string[]} one line for all that cannot be asked, and one for each cause of a gap
 */
export function gapNotes(results, only) {
  const { outcomes } = results;
  const isTold = (/** @type {Outcome} */ { status }) => only === undefined || status === only;
  const possible = outcomes.filter(isPossible);
  const impossible = outcomes.filter((outcome) => !isPossible(outcome));
  return [
    ...impossibleNotes(causeTexts(impossible.filter(isTold), sharedCauses(outcomes), results)),
    ...causeTexts(possible.filter(isTold), sharedCauses(possible), results),
  ];
}
