// The measures of what rests before it asks, and the names under which its endpoint reports their times.

import { MS_PER_S } from '../../format/units.js';
import { timesNamed } from './usual-measures.js';

/** @import { Measure } from '../../types/index.js' */

/** Of the answers without a pause. */
export const STEADY = 'steady';

/** @param {number} pauseMs @returns {string} of the first answers after it */
export function afterPause(pauseMs) {
  return `after${pauseMs}ms`;
}

/** @param {readonly number[]} pausesMs @returns {Measure[]} the first answers after each, and those without a pause */
export function idleMeasures(pausesMs) {
  const textOf = (/** @type {number} */ pauseMs) =>
    pauseMs < MS_PER_S ? `${pauseMs} ms` : `${pauseMs / MS_PER_S} s`;
  return [
    ...pausesMs.map((pauseMs) => timesNamed(afterPause(pauseMs), `time after ${textOf(pauseMs)}`)),
    timesNamed(STEADY, 'without a pause'),
  ];
}
