// What became of the jobs of workers that were killed, beside what was promised of them.

import { groupedBy, listed } from '../words/lists.js';
import { formatCount } from '../words/numbers.js';
import { isMeasured, nameOf } from './groups.js';

/** @import { OutageCounts } from '../types/launches.js' */
/** @import { Outcome } from '../types/outcomes.js' */

const NAMES_SHOWN = 4;

/** @param {OutageCounts} outage @returns {boolean} the promise was */
export function isBroken({ promise, lost, doneTwice }) {
  return (promise === 'at most once' ? doneTwice : lost) > 0;
}

/** @param {OutageCounts[]} all   of the launches of a row @returns {OutageCounts} */
function summed(all) {
  const sum = (/** @type {'lost' | 'doneTwice'} */ what) => all.reduce((total, own) => total + own[what], 0);
  return { promise: all[0].promise, lost: sum('lost'), doneTwice: sum('doneTwice') };
}

/** @param {OutageCounts} outage @returns {string} '9 lost, none done twice; promised: at most once' */
function outageText(outage) {
  const { promise, lost, doneTwice } = outage;
  const count = (/** @type {number} */ jobs) => (jobs === 0 ? 'none' : formatCount(jobs));
  const end = isBroken(outage) ? ', which was broken' : '';
  return `${count(lost)} lost, ${count(doneTwice)} done twice; promised: ${promise}${end}`;
}

/** @param {Outcome[]} outcomes @returns {string[]} a sentence for all rows that fared alike; broken promises first */
export function promiseSentences(outcomes) {
  const rows = outcomes.filter(isMeasured).flatMap(({ cell, launches }) => {
    const all = launches.flatMap(({ outage }) => outage ?? []);
    return all.length === 0 ? [] : { name: nameOf(cell), outage: summed(all) };
  });
  const inOrder = rows.sort((left, right) => Number(isBroken(right.outage)) - Number(isBroken(left.outage)));
  return [...groupedBy(inOrder, ({ outage }) => outageText(outage))].map(([text, some]) => {
    const names = [...new Set(some.map(({ name }) => name))];
    return `Jobs of workers that were killed, over ${listed(names, NAMES_SHOWN)}: ${text}.`;
  });
}
