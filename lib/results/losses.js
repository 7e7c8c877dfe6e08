// What was lost in several launches, or cells, together.

/** @import { Losses } from '../types/launches.js' */

/** @param {Losses[]} all @returns {Losses} */
export function sumOfLosses(all) {
  const sum = { asked: 0, lost: 0, late: 0, reordered: 0 };
  for (const { asked, lost, late, reordered } of all) {
    sum.asked += asked;
    sum.lost += lost;
    sum.late += late;
    sum.reordered += reordered;
  }
  return sum;
}
