// The faults of a row, in the words of its last column. What is no fault is in properties.js.

import { faultText, findFlag, isFault } from '../../format/result-flags.js';
import { isDisturbed } from '../../results/cell-flags.js';

/** @import { Flag, MeasuredOutcome } from '../../types/index.js' */

// As launchFlags of lib/results/cell-flags.js writes it.
const OF_LAUNCHES = /^(\d+) of \d+ launches: /;

/** @param {Flag} flag @returns {number | null} launches that have it; null: all of them, or the cell as a whole */
function countLaunches({ code, message }) {
  const [, count] = code === 'interrupted' ? [] : (OF_LAUNCHES.exec(message) ?? []);
  return count === undefined ? null : Number(count);
}

/** @param {MeasuredOutcome} outcome @returns {string[]} 'still warming up', 'not stable in 2 launches'; those that keep it from being ranked first */
export function listRemarks({ flags, launches, operation }) {
  const faults = flags.filter(({ code }) => isFault(code));
  const isNoise = (/** @type {Flag} */ { code }) => findFlag(code)?.isNoise === true;
  const ordered = [
    ...faults.filter(({ code }) => findFlag(code)?.unranked !== undefined),
    ...faults.filter(({ code }) => findFlag(code)?.unranked === undefined),
  ];
  const texts = ordered.map((flag) => {
    const disturbed = launches.filter(isDisturbed).length;
    const own = isNoise(flag)
      ? disturbed === launches.length
        ? null
        : disturbed || null
      : countLaunches(flag);
    const where = own === null ? '' : ` in ${own} ${own === 1 ? 'launch' : 'launches'}`;
    return faultText(flag.code, operation) + where;
  });
  return [...new Set(texts)];
}
