// What stands below a table: what its marks mean, and which rows are missing and why.

import { FLAGS } from '../flags.js';
import { markOf } from './columns.js';
import { fairnessNotes, insideNotes } from './fairness.js';
import { gapNotes } from './gaps.js';
import { isMeasured } from './groups.js';
import { lossNotes } from './losses.js';
import { openNotes } from './open-columns.js';
import { printable } from './printable.js';

/** @typedef {import('../types.js').Results} Results */
/** @typedef {import('../types.js').Outcome} Outcome */

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
 * @param {Results} results
 * @returns {string[]}
 */
export function notesOf(results) {
  const { outcomes } = results;
  return [
    ...rangeNotes(outcomes),
    ...openNotes(outcomes),
    ...flagNotes(outcomes),
    ...lossNotes(outcomes),
    ...fairnessNotes(results),
    ...gapNotes(results),
    ...insideNotes(results),
  ];
}
