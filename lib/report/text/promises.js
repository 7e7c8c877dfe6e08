// The jobs of killed workers, compared with the delivery guarantee.

import { groupedBy, listed } from '../../format/lists.js';
import { formatCount } from '../../format/numbers.js';
import { summed } from '../../results/summarise.js';
import { cellName, isMeasured } from './groups.js';

/** @import { OutageCounts, Outcome } from '../../types/index.js' */

const NAMES_SHOWN = 4;

/** @param {OutageCounts} outage @returns {boolean} the guarantee was violated */
export function isBroken({ promise, lost, doneTwice }) {
  return (promise === 'at most once' ? doneTwice : lost) > 0;
}

/** @param {OutageCounts} outage @returns {string} '9 lost, none done twice; guarantee: at most once' */
function outageText(outage) {
  const { promise, lost, doneTwice } = outage;
  const count = (/** @type {number} */ jobs) => (jobs === 0 ? 'none' : formatCount(jobs));
  const end = isBroken(outage) ? ' (violated)' : '';
  return `${count(lost)} lost, ${count(doneTwice)} done twice; guarantee: ${promise}${end}`;
}

/** @param {Outcome[]} outcomes @returns {string[]} a sentence for all rows with the same outcome; violated guarantees first */
export function promiseSentences(outcomes) {
  const rows = outcomes.filter(isMeasured).flatMap(({ cell, launches }) => {
    const all = launches.flatMap(({ outage }) => outage ?? []);
    if (all.length === 0) return [];
    return { name: cellName(cell), outage: { ...all[0], ...summed(all, ['lost', 'doneTwice']) } };
  });
  const inOrder = rows.sort((left, right) => Number(isBroken(right.outage)) - Number(isBroken(left.outage)));
  return [...groupedBy(inOrder, ({ outage }) => outageText(outage))].map(([text, some]) => {
    const names = [...new Set(some.map(({ name }) => name))];
    return `Jobs of killed workers, ${listed(names, NAMES_SHOWN)}: ${text}.`;
  });
}
