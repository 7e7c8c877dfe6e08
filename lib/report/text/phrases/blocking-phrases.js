// Phrases on code that blocks an event loop.

import { listed } from '../../../format/lists.js';
import { formatCount, formatInterval } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { US_PER_MS } from '../../../format/units.js';

/** @import { Estimate, Finding, FoundRow } from '../../../types/index.js' */
/** @import { PhrasesByKind } from '../phrase-table.js' */

// Fewest operations in a block for which it is called a batch: a block of one operation may take twice its mean CPU time, as with a garbage
// collection.
const MIN_BATCH = 3;
const DIGITS = 2; // significant digits of the number of operations, which is a quotient of a maximum and a mean

/** @type {Readonly<Record<string, string>>} */
const EVENT_LOOPS = { master: "the master's event loop", worker: 'the event loop of a worker' };

/** @param {FoundRow} row @returns {string} '41.2 ms (38.0–44.5)' */
function blockText({ value }) {
  const us = /** @type {Estimate} */ (value);
  const [estimate, low, high] = [us.estimate, us.low, us.high].map((end) => end / US_PER_MS);
  return formatInterval({ ...us, estimate, low, high }, ' ms');
}

/** @param {FoundRow} row @param {Finding} finding @returns {string} ', the CPU time of about 150 messages'; '' for one operation */
function batchText({ numbers = {} }, { operation }) {
  const operations = Number(numbers.operations ?? 0);
  if (operations < MIN_BATCH) return '';
  return `, the CPU time of about ${formatCount(Number(operations.toPrecision(DIGITS)))} ${printable(operation?.many ?? '')}`;
}

/** @type {PhrasesByKind} */
export const BLOCKING_PHRASES = {
  'event-loop-block'(finding, isBrief) {
    const { rows, group, names } = finding;
    const [longest, ...others] = rows;
    const named = isBrief ? others.slice(-1) : others;
    const rest = named.map((row) => `${printable(row.row)} for ${blockText(row)}`);
    return [
      `At ${group?.heading}, ${printable(longest.row)} blocks ${EVENT_LOOPS[names.end]} for up to ${blockText(longest)} at a time${batchText(longest, finding)}; ${listed(rest)}.`,
    ];
  },
};
