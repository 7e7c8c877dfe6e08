// What stands below a table: what its marks mean, and which rows are missing and why.

import { FLAGS } from '../flags.js';
import { markOf } from './columns.js';
import { fairnessNotes, insideNotes } from './fairness.js';
import { groupsOf, isMeasured, rowNameOf } from './groups.js';
import { listed } from './lists.js';
import { openNotes } from './open-columns.js';
import { printable } from './printable.js';

/** @typedef {import('../types.js').Results} Results */
/** @typedef {import('../types.js').Outcome} Outcome */

const GREATEST_PLACES_NAMED = 2;

/** @param {Outcome[]} outcomes @returns {string[]} one line for each flag in use */
function flagNotes(outcomes) {
  const codes = new Set(outcomes.filter(isMeasured).flatMap(({ flags }) => flags.map(({ code }) => code)));
  return [...codes].map((code) => {
    const meaning = Object.hasOwn(FLAGS, code)
      ? FLAGS[code].summary
      : `${printable(code)}, a flag of a later version`;
    return `${markOf(code)} = ${meaning}.`;
  });
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function rangeNotes(outcomes) {
  const isRange = outcomes
    .filter(isMeasured)
    .some(({ roundTripsPerSecond }) => roundTripsPerSecond.level === null);
  return isRange ? ['[low–high] = the slowest and the fastest of fewer than 6 launches: no interval.'] : [];
}

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
 * @param {Results} results
 * @returns {string[]} one line for each cause, however many rows it took
 */
function gapNotes(results) {
  const groups = groupsOf(results);
  /** @type {Map<string, Map<string, string[]>>} cause → series → places */
  const causes = new Map();
  for (const { place, outcomes } of groups) {
    for (const outcome of outcomes) {
      const cause = causeOf(outcome);
      if (cause === null) continue;
      const series = causes.get(cause) ?? new Map();
      series.set(rowNameOf(outcome.cell), [...(series.get(rowNameOf(outcome.cell)) ?? []), place]);
      causes.set(cause, series);
    }
  }
  const where = (/** @type {string[]} */ places) => {
    if (places.length === groups.length) return '';
    return places.length > GREATEST_PLACES_NAMED
      ? ` in ${places.length} of ${groups.length} groups`
      : ` at ${places.join(' and at ')}`;
  };
  return [...causes].map(([cause, series]) =>
    cause.replace('\u0000', () => listed([...series].map(([name, places]) => name + where(places)))),
  );
}

/**
 * @param {Results} results
 * @returns {string[]}
 */
export function notesOf(results) {
  const { outcomes } = results;
  return [
    ...rangeNotes(outcomes),
    ...openNotes(outcomes),
    ...flagNotes(outcomes),
    ...fairnessNotes(results),
    ...gapNotes(results),
    ...insideNotes(results),
  ];
}
