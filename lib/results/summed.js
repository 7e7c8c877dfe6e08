// What several launches, workers or cells counted, together.

import { sumBy } from '../statistics/sum.js';

/** @import { Backpressure, Losses } from '../types/index.js' */

/** Of the sends of an open load. */
export const OPEN_COUNTS = /** @type {const} */ (['due', 'started', 'late', 'missed', 'dropped']);

/**
 * @template {string} K
 * @param {readonly Record<K, number>[]} records
 * @param {readonly K[]} counts
 * @returns {Record<K, number>}
 */
export function summed(records, counts) {
  const sums = counts.map((count) => [count, sumBy(records, (record) => record[count])]);
  return Object.fromEntries(sums);
}

/** @param {Losses[]} all @returns {Losses} */
export function sumOfLosses(all) {
  return summed(all, ['asked', 'lost', 'late', 'reordered']);
}

/**
 * @param {Backpressure[]} all   of several launches, at least one
 * @returns {Backpressure} their means; where their processes grew, if at least half of them say the same
 */
export function meanBackpressure(all) {
  const mean = (/** @type {'waits' | 'backlog' | 'backlogPerSecond' | 'lostShare'} */ fact) =>
    sumBy(all, (one) => one[fact]) / all.length;
  const places = new Set(all.map(({ grownIn }) => grownIn));
  const most = [...places].find(
    (place) => all.filter(({ grownIn }) => grownIn === place).length * 2 >= all.length,
  );
  return {
    waits: mean('waits'),
    backlog: mean('backlog'),
    backlogPerSecond: mean('backlogPerSecond'),
    lostShare: mean('lostShare'),
    grownIn: most ?? null,
  };
}

/** @param {{ due: number, started: number }} open @returns {number} questions sent per planned instant; less than 1 where the backlog grew */
export function achievedShare({ due, started }) {
  return due === 0 ? 1 : started / due;
}
