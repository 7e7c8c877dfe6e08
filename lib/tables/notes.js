// What stands below a table: what its marks mean, and which rows are missing and why. A first look needs no more; all
// that belongs to a table is one --notes away, and in the Markdown report.

import { headlineOf, operationOf } from '../cell/headline.js';
import { LEAST_PAIRS } from '../statistics/signed-rank.js';
import { foundNotes } from '../verdicts/explained.js';
import { fairnessNotes, insideNotes } from '../verdicts/fairness.js';
import { floorGaps } from '../verdicts/floor-words.js';
import { gapNotes } from '../verdicts/gaps.js';
import { flagsIn, isMeasured, sharedFlags } from '../verdicts/groups.js';
import { messageNotes } from '../verdicts/message-words.js';
import { runLengthLines } from '../verdicts/stop-words.js';
import { fewerThan } from '../verdicts/verdicts.js';
import { capitalised } from '../words/lists.js';
import { hasRange } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { flagNotes, markOf, meaningOf } from '../words/result-flags.js';
import { JOINT } from './aligned.js';
import { lossNotes } from './loss-words.js';
import { openNotes } from './open-columns.js';
import { sourceLine } from './surroundings.js';

/** @import { Outcome, Results } from '../types/index.js' */

/** @param {Outcome[]} outcomes @returns {boolean} brackets are shown instead of an interval */
function hasRanges(outcomes) {
  return outcomes
    .filter(isMeasured)
    .map(headlineOf)
    .some((headline) => headline.level === null && hasRange(headline));
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function rangeNotes(outcomes) {
  return hasRanges(outcomes)
    ? [`[low–high] = the slowest and the fastest of ${fewerThan(LEAST_PAIRS, 'launches')}: no interval.`]
    : [];
}

/** @param {Outcome[]} outcomes @returns {string[]} all flags in use, in one line */
function flagLine(outcomes) {
  const operation = operationOf(outcomes.filter(isMeasured));
  const shared = sharedFlags(outcomes);
  const meaning = (/** @type {string} */ code) => meaningOf(code, 'brief', operation);
  const own = flagsIn(outcomes)
    .filter((code) => !shared.has(code))
    .map((code) => `${markOf(code)} ${meaning(code)}`.replaceAll(' ', JOINT));
  const ofAll = [...shared].map((code) => meaning(code).replaceAll(' ', JOINT));
  const texts = [
    ...(ofAll.length === 0 ? [] : [`All: ${ofAll.join('; ')}.`]),
    ...(own.length === 0 ? [] : [`Flags: ${own.join('; ')}.`]),
    ...(hasRanges(outcomes) ? [`[low–high]: range of ${fewerThan(LEAST_PAIRS, 'launches')}.`] : []),
  ];
  return texts.length === 0 ? [] : [texts.join(' ')];
}

/**
 * @param {Results} results
 * @returns {string[]} what a first look needs to read the table, and what was asked for; what failed is said by the
 *   conclusion
 */
export function briefNotesOf(results) {
  return [
    ...flagLine(results.outcomes),
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

/** @param {Results} results @returns {string[]} private brokers that died; a launch that failed for it says so too */
function deathNotes({ environment: { brokers } }) {
  return Object.entries(brokers).flatMap(([name, { deaths = [] }]) =>
    deaths.map((cause) =>
      printable(`The private ${name} died (${cause}), and another one was started in its place.`),
    ),
  );
}

/** @param {Results} results @returns {string[]} */
export function notesOf(results) {
  const { outcomes } = results;
  return [
    ...rangeNotes(outcomes),
    ...openNotes(outcomes),
    ...flagNotes(flagsIn(outcomes), operationOf(outcomes.filter(isMeasured)), sharedFlags(outcomes)),
    ...lossNotes(outcomes),
    ...fairnessNotes(results),
    ...gapNotes(results),
    ...floorGaps(results),
    ...insideNotes(results),
    ...deathNotes(results),
    ...foundNotes(results.explanations ?? []),
  ];
}
