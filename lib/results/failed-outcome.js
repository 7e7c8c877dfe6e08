// If a launch of a cell has no rate, the outcome of the cell is failed with the reason, never a rate of zero.

/** @import { Cell, FailedOutcome, Launch, MeasuredLaunch, Operation } from '../types/index.js' */

/** @param {MeasuredLaunch} launch @returns {boolean} true if no operation completed within its window */
export function isIdle({ operations, windowMs }) {
  return !(operations > 0 && windowMs > 0);
}

/** @param {Launch} launch @returns {launch is MeasuredLaunch} */
export function hasRate(launch) {
  return launch.status === 'measured' && !isIdle(launch);
}

/**
 * @param {Cell} cell
 * @param {Launch[]} launches
 * @param {Operation} operation
 * @returns {FailedOutcome | null} null if every launch has a rate
 */
export function failedOutcome(cell, launches, { one }) {
  const failed = launches.filter((launch) => launch.status === 'failed');
  if (failed.length > 0) {
    const [{ code, message }] = failed;
    const summary = `${inLaunches(failed.length, launches.length)}: ${message}`;
    return { status: 'failed', cell, code, message: summary, launches: [...launches] };
  }
  const idle = launches.filter((launch) => !hasRate(launch)).length;
  if (idle === 0) return null;
  const summary = `${inLaunches(idle, launches.length)} not one ${one} ended within the window: use a longer --measure`;
  return { status: 'failed', cell, code: 'DEADLINE', message: summary, launches: [...launches] };
}

/** @param {number} some @param {number} all @returns {string} 'in 2 of 6 launches' */
function inLaunches(some, all) {
  if (some < all) return `in ${some} of ${all} launches`;
  if (all === 1) return 'in the only launch';
  return all === 2 ? 'in both launches' : `in all ${all} launches`;
}

/** @param {Launch} launch   without a rate @returns {{ code: string, message: string }} */
export function missingRateFailure(launch) {
  if (launch.status === 'failed') return { code: launch.code, message: launch.message };
  return { code: 'DEADLINE', message: 'not one operation ended within the window: use a longer --measure' };
}
