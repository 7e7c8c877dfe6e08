// Phrases on code that blocks an event loop.

import { listed } from '../../../format/lists.js';
import { formatInterval } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { US_PER_MS } from '../../../format/units.js';

/** @import { Estimate, FoundRow } from '../../../types/index.js' */
/** @import { PhrasesByKind } from '../phrase-table.js' */

/** @type {Readonly<Record<string, string>>} */
const EVENT_LOOPS = { master: "the master's event loop", worker: 'the event loop of a worker' };

/** @param {FoundRow} row @returns {string} '41.2 ms (38.0–44.5)' */
function blockText({ value }) {
  const us = /** @type {Estimate} */ (value);
  const [estimate, low, high] = [us.estimate, us.low, us.high].map((end) => end / US_PER_MS);
  return formatInterval({ ...us, estimate, low, high }, ' ms');
}

/** @type {PhrasesByKind} */
export const BLOCKING_PHRASES = {
  'event-loop-block'({ rows, group, names }, isBrief) {
    const [longest, ...others] = rows;
    const named = isBrief ? others.slice(-1) : others;
    const rest = named.map((row) => `${printable(row.row)} for ${blockText(row)}`);
    return [
      `At ${group?.place}, ${printable(longest.row)} blocks ${EVENT_LOOPS[names.end]} for up to ${blockText(longest)} at a time; ${listed(rest)}.`,
    ];
  },
};
