// The remarks of a row: its faults, in the last column of a table.

import { faultText, findFlag, isFault, isNoise } from '../../format/result-flags.js';
import { countConcerned, isDisturbed } from '../../results/cell-flags.js';
import { faultCode } from '../findings/noise-findings.js';

/** @import { Flag, MeasuredOutcome } from '../../types/index.js' */

/**
 * @param {MeasuredOutcome} outcome
 * @param {{ has: (code: string) => boolean }} shared    faults of most rows, which a sentence lists
 * @returns {string[]} 'may still be warming up', 'not stable in 2 launches'; the faults that prevent a ranking come first
 */
export function listRemarks({ flags, launches, operation }, shared) {
  const faults = flags.filter(({ code }) => isFault(code) && !shared.has(faultCode(code)));
  /** @param {Flag} flag */
  const isUnranked = ({ code }) => findFlag(code)?.unranked !== undefined;
  const ordered = faults.toSorted((one, other) => Number(isUnranked(other)) - Number(isUnranked(one)));
  const texts = ordered.map(({ code }) => {
    const count = isNoise(code) ? launches.filter(isDisturbed).length : countConcerned(launches, code);
    // A flag that no launch has belongs to the cell as a whole.
    const isOfSome = count > 0 && count < launches.length;
    return (
      faultText(code, operation) + (isOfSome ? ` in ${count} ${count === 1 ? 'launch' : 'launches'}` : '')
    );
  });
  return [...new Set(texts)];
}
