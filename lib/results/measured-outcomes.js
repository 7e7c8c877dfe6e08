// Recognises the rows of results that have a measurement.

/** @import { MeasuredOutcome, Outcome } from '../types/index.js' */

/** @param {Outcome | null} outcome @returns {outcome is MeasuredOutcome} */
export function isMeasured(outcome) {
  return outcome?.status === 'measured';
}
