// Checks the deliveries of a launch: whether responses were lost or late, and whether jobs violate the guarantee of the transport.

/** @import { Losses, OutageCounts } from '../types/index.js' */

/** @param {Losses | undefined} losses @returns {losses is Losses} true if a response was lost or late */
export function hasLosses(losses) {
  return losses !== undefined && losses.lost + losses.late > 0;
}

/** @param {OutageCounts} outage @returns {boolean} true if the guarantee `promise` was violated */
export function isBroken({ promise, lost, doneTwice }) {
  return (promise === 'at most once' ? doneTwice : lost) > 0;
}
