// The losses of transports that may lose messages, in words.

import { hasServiceTimes } from '../../cell/headline.js';
import { formatCount } from '../../format/numbers.js';
import { sumOfLosses } from '../../results/summarise.js';
import { cellName, isMeasured } from '../text/groups.js';

/** @import { Losses, Outcome } from '../../types/index.js' */

/**
 * @param {Losses | undefined} losses
 * @returns {string | null} '3 of 1,204,332 lost, 1 late'; null: every response came in time
 */
export function lossText(losses) {
  if (losses === undefined || losses.lost + losses.late === 0) return null;
  const { asked, lost, late } = losses;
  const of = ` of ${formatCount(asked)}`;
  const texts = [
    ...(lost > 0 ? [`${formatCount(lost)}${of} lost`] : []),
    ...(late > 0 ? [`${formatCount(late)}${lost > 0 ? '' : of} late`] : []),
  ];
  return texts.join(', ');
}

/**
 * @param {Outcome[]} outcomes
 * @param {{ isBrief?: boolean }} [detail]    brief: only of series that lost something
 * @returns {string[]} a line for each series whose transport may lose messages
 */
export function lossNotes(outcomes, { isBrief = false } = {}) {
  /** @type {Map<string, Losses[]>} */
  const bySeries = new Map();
  for (const outcome of outcomes.filter(isMeasured)) {
    const { cell, losses } = outcome;
    if (losses === undefined) continue;
    const name = `${hasServiceTimes(outcome) ? 'Responses of' : 'Messages of'} ${cellName(cell)}`;
    bySeries.set(name, [...(bySeries.get(name) ?? []), losses]);
  }
  return [...bySeries].flatMap(([name, all]) => {
    const sum = sumOfLosses(all);
    if (isBrief && lossText(sum) === null) return [];
    const what = lossText(sum) ?? `none of ${formatCount(sum.asked)} lost or late`;
    const order = sum.reordered === 0 ? 'in order' : `${formatCount(sum.reordered)} out of order`;
    return [`${name}: ${what}; ${order}.`];
  });
}
