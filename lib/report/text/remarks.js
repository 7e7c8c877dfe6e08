// The faults of a row, in the words of its last column. What is no fault is in properties.js.

import { DISTURBED, faultText, faultTexts, findFlag, isFault } from '../../format/result-flags.js';
import { isDisturbed } from '../../results/cell-flags.js';
import { isMeasured } from './groups.js';

/** @import { Flag, MeasuredOutcome, Outcome } from '../../types/index.js' */

// As launchFlags of lib/results/cell-flags.js writes it.
const OF_LAUNCHES = /^(\d+) of \d+ launches: /;

/** @param {Flag} flag @returns {number | null} launches that have it; null: all of them, or the cell as a whole */
function countLaunches({ code, message }) {
  const [, count] = code === 'interrupted' ? [] : (OF_LAUNCHES.exec(message) ?? []);
  return count === undefined ? null : Number(count);
}

/** @param {Outcome[]} outcomes @returns {Set<string>} in words, the faults of all of several rows: said once, not in each */
export function sharedFaults(outcomes) {
  const measured = outcomes.filter(isMeasured);
  if (measured.length < 2) return new Set();
  const [first, ...rest] = measured.map(
    ({ flags, operation }) =>
      new Set(
        faultTexts(
          flags.map(({ code }) => code),
          operation,
        ),
      ),
  );
  return new Set([...first].filter((text) => rest.every((own) => own.has(text))));
}

/** @param {Outcome[]} outcomes @returns {string[]} one sentence on the faults of all rows; that all were disturbed has a sentence of its own */
export function sharedFaultSentences(outcomes) {
  const texts = [...sharedFaults(outcomes)].filter((text) => text !== DISTURBED);
  return texts.length === 0 ? [] : [`All rows: ${texts.join(', ')}.`];
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {ReadonlySet<string>} shared    faults of all rows
 * @returns {string[]} 'still warming up', 'not stable in 2 launches'; those that keep it from being ranked first
 */
export function listRemarks({ flags, launches, operation }, shared) {
  const faults = flags.filter(({ code }) => isFault(code) && !shared.has(faultText(code, operation)));
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
