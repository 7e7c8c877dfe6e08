// The marks of each row, but for those that all rows have: these stand once below, as in charts.

import { flagMark } from '../../format/result-flags.js';

/** @import { MeasuredOutcome } from '../../types/index.js' */

/**
 * @param {(isThere: (outcome: MeasuredOutcome) => boolean) => boolean} has
 * @param {ReadonlySet<string>} shared   flags that stand below the table, since all rows have them
 * @returns {import('./columns.js').Choice}
 */
export function flagsColumn(has, shared) {
  const ownOf = (/** @type {MeasuredOutcome} */ { flags }) =>
    flags.map(({ code }) => code).filter((code) => !shared.has(code));
  return {
    span: '',
    title: 'flags',
    align: 'left',
    text: (outcome) => ownOf(outcome).map(flagMark).join(''),
    codes: ownOf,
    isShown: has((outcome) => ownOf(outcome).length > 0),
  };
}
