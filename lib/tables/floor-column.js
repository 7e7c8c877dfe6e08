// The columns of --floor: which share a row makes of what programs in C make of the same bytes.

import { floorCpuUs, floorRowOf, shareOfFloor } from '../results/floor-rows.js';
import { formatRatio, formatRatioEnds, hasRange, NOTHING, orNothing } from '../words/numbers.js';

/** @import { Estimate, MeasuredOutcome } from '../types/index.js' */
/** @import { WithFloor } from '../results/floor-rows.js' */
/** @import { Choice } from './columns.js' */

const SPAN = 'of the floor in C';

/** @param {MeasuredOutcome[]} measured @param {WithFloor} results @returns {Choice[]} */
export function floorColumns(measured, results) {
  const isShown = measured.some((outcome) => shareOfFloor(outcome, results) !== null);
  const textOf =
    (/** @type {(share: Estimate) => string} */ format) => (/** @type {MeasuredOutcome} */ outcome) => {
      const share = shareOfFloor(outcome, results);
      return share === null ? NOTHING : format(share);
    };
  return [
    {
      span: SPAN,
      title: 'share',
      short: 'of floor',
      align: 'right',
      isShown,
      text: textOf(({ estimate }) => formatRatio(estimate)),
      value: (outcome) => shareOfFloor(outcome, results)?.estimate,
    },
    {
      span: SPAN,
      title: 'its interval',
      further: 'floor',
      align: 'left',
      isShown,
      text: textOf((share) => (hasRange(share) ? formatRatioEnds(share) : NOTHING)),
    },
    {
      span: SPAN,
      title: 'CPU µs of C',
      further: 'floor',
      align: 'right',
      isShown,
      text: ({ cell }) => {
        const row = floorRowOf(results.floor, cell);
        return orNothing(row === null ? null : floorCpuUs(row));
      },
    },
  ];
}
