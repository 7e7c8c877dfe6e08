// Whether a document holds to what a results file is. The reader refuses what does not; the writer asks the same before it
// replaces a file, so that none is written that could not be read again.

import { faultIn } from './faults.js';
import { faultOfHeadlines } from './read-measures.js';

/** @import { Launch, Outcome, Results } from '../types/index.js' */

export const RESULTS_VERSION = 1;

// A launch takes about 5 kB: this is 50,000 launches, and still fits into memory as one string.
export const GREATEST_FILE_BYTES = 256 * 2 ** 20;

/**
 * Goes through values without recursion: the file decides how deep they are nested.
 * @param {unknown} document
 * @returns {string | null} what is wrong with its keys
 */
export function faultOfKeys(document) {
  const pending = [document];
  while (pending.length > 0) {
    const value = pending.pop();
    if (value === null || typeof value !== 'object') continue;
    // It would set a prototype when the object is copied.
    if (Object.hasOwn(value, '__proto__')) return 'it has a key "__proto__"';
    for (const item of Object.values(value)) {
      if (typeof item === 'object') pending.push(item);
    }
  }
  return null;
}

/** @param {'outcome' | 'launch'} name @param {unknown} value @returns {string | null} */
function faultInPart(name, value) {
  return faultOfKeys(value) ?? faultIn(name, value) ?? jsonProblem(value);
}

/** @param {unknown} value @returns {string | null} of what the schema does not mention: a BigInt, or a circle */
function jsonProblem(value) {
  try {
    JSON.stringify(value);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** Launches that could be read again: a run saves them anew after each further one, unchanged. @type {WeakSet<Launch>} */
const readableLaunches = new WeakSet();

/** @param {Launch} launch @returns {string | null} why a file with it could not be read again */
export function faultInLaunch(launch) {
  if (readableLaunches.has(launch)) return null;
  const fault = faultInPart('launch', launch);
  if (fault === null) readableLaunches.add(launch);
  return fault;
}

/** @param {Outcome} outcome @returns {string | null} why a file with it could not be read again */
export function faultInOutcome(outcome) {
  if (outcome.status === 'skipped') return faultInPart('outcome', outcome);
  for (const [place, launch] of outcome.launches.entries()) {
    const fault = faultInLaunch(launch);
    if (fault !== null) return `launches[${place}].${fault}`;
  }
  // Its launches are known now, and the schema wants one at least.
  return faultInPart('outcome', { ...outcome, launches: outcome.launches.slice(0, 1) });
}

/** @param {Results} results   about to be written @returns {string | null} why they could not be read again */
export function faultInResults(results) {
  for (const [place, outcome] of results.outcomes.entries()) {
    const fault = faultInOutcome(outcome);
    if (fault !== null) return `outcomes[${place}].${fault}`;
  }
  const others = { ...results, outcomes: [] };
  return faultOfKeys(others) ?? faultIn('results', others) ?? faultOfHeadlines(results);
}
