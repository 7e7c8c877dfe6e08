// The notes below a table: the meaning of its remarks, and which rows are missing and why. --notes and the Markdown report have
// the full set.

import { commonOperation, readHeadline } from '../../cell/headline.js';
import { capitalised } from '../../format/lists.js';
import { hasRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagNotes } from '../../format/result-flags.js';
import { openNotes } from '../columns/columns.js';
import { sourceLine } from '../columns/surroundings.js';
import { floorGaps } from './baseline-words.js';
import { lossNotes } from './delivery-words.js';
import { foundNotes } from './explained.js';
import { fairnessNotes, insideNotes } from './fairness.js';
import { gapNotes } from './gaps.js';
import { flagsIn, isMeasured } from './groups.js';
import { messageNotes } from './message-words.js';
import { runLengthLines } from './run-words.js';

/** @import { Outcome, Results } from '../../types/index.js' */

/** @param {Outcome[]} outcomes @returns {boolean} brackets are shown instead of an interval */
function hasRanges(outcomes) {
  return outcomes
    .filter(isMeasured)
    .map(readHeadline)
    .some((headline) => headline.level === null && hasRange(headline));
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function rangeNotes(outcomes) {
  return hasRanges(outcomes) ? ['[low–high] = range of the launches, where there is no interval.'] : [];
}

/**
 * @param {Results} results
 * @returns {string[]} the notes of the default table; failures are in the conclusion
 */
export function makeBriefNotes(results) {
  return [
    ...(hasRanges(results.outcomes) ? ['[low–high]: range of the launches.'] : []),
    ...lossNotes(results.outcomes, { isBrief: true }),
    ...gapNotes(results, 'skipped'),
    ...floorGaps(results),
    ...insideNotes(results),
    ...runLengthLines(results).map((line) => `${capitalised(line)}.`),
    ...messageNotes(results),
    ...deathNotes(results),
    sourceLine(results),
  ];
}

/** @param {Results} results @returns {string[]} private brokers that died; so do the launches that failed because of it */
function deathNotes({ environment: { brokers } }) {
  return Object.entries(brokers).flatMap(([name, { deaths = [] }]) =>
    deaths.map((cause) => printable(`The private ${name} died (${cause}) and was restarted.`)),
  );
}

/** @param {Results} results @returns {string[]} */
export function makeNotes(results) {
  const { outcomes } = results;
  return [
    ...rangeNotes(outcomes),
    ...openNotes(outcomes),
    ...flagNotes(flagsIn(outcomes), commonOperation(outcomes.filter(isMeasured))),
    ...lossNotes(outcomes),
    ...fairnessNotes(results),
    ...gapNotes(results),
    ...floorGaps(results),
    ...insideNotes(results),
    ...deathNotes(results),
    ...foundNotes(results.explanations ?? []),
  ];
}
