// What became of the messages and jobs of a launch that could get lost.

/** @import { Losses, OutageCounts } from '../types/index.js' */

/** @param {Losses | undefined} losses @returns {losses is Losses} true if a response was lost or late */
export function hasLosses(losses) {
  return losses !== undefined && losses.lost + losses.late > 0;
}

/** @param {OutageCounts} outage @returns {boolean} true if the guarantee was violated */
export function isBroken({ promise, lost, doneTwice }) {
  return (promise === 'at most once' ? doneTwice : lost) > 0;
}
