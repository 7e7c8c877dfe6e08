// The column of --floor: which share a row makes of what programs in C make of the same bytes.

import { shareOfFloor } from '../results/floor-rows.js';
import { formatRatioInterval, orNothing } from '../words/numbers.js';

/** @import { MeasuredOutcome } from '../types/outcomes.js' */
/** @import { WithFloor } from '../results/floor-rows.js' */
/** @import { Choice } from './columns.js' */

/** @param {string} span @param {MeasuredOutcome[]} measured @param {WithFloor} results @returns {Choice} */
export function floorColumn(span, measured, results) {
  return {
    ...{ span, title: 'of the floor', short: 'of the floor', align: /** @type {const} */ ('first word') },
    text: (outcome) => {
      const share = shareOfFloor(outcome, results);
      return share === null ? orNothing(null) : formatRatioInterval(share);
    },
    isShown: measured.some((outcome) => shareOfFloor(outcome, results) !== null),
  };
}
