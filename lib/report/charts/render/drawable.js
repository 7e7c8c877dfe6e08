// Which results are drawn. A row that no machine could measure is left out. A row with impossible numbers is a gap with its
// reason, like a failure. A ratio that is no number is left out.

import { readHeadline } from '../../../cell/headline.js';
import { isPossible } from '../../text/groups.js';
import { asOneQuestion, formatQuestion } from '../../text/questions.js';

/** @import { Estimate, Outcome, Results } from '../../../types/index.js' */

/** @param {Estimate} estimate @returns {boolean} neither infinite nor zero, nor null as a file has it instead */
function isNumber({ estimate, low, high }) {
  return [estimate, low, high].every((value) => Number.isFinite(value) && value > 0);
}

/** @param {Outcome} outcome @returns {Outcome} */
function withNumbers(outcome) {
  if (outcome.status !== 'measured') return outcome;
  const { cell, launches, operation, ratio } = outcome;
  if (!isNumber(readHeadline(outcome))) {
    const message = `in a launch not one ${operation.one} ended within the window: use a longer --measure`;
    return { status: 'failed', cell, code: 'DEADLINE', message, launches };
  }
  return ratio === null || isNumber(ratio) ? outcome : { ...outcome, ratio: null };
}

/** @param {Results} results @returns {Results} */
export function drawable(results) {
  const { scenarios } = results;
  const outcomes = results.outcomes
    .filter(isPossible)
    .map((outcome) => withNumbers(asOneQuestion(scenarios, outcome)));
  const facts = Object.entries(scenarios).map(([name, own]) => [formatQuestion(scenarios, name), own]);
  return { ...results, scenarios: { ...scenarios, ...Object.fromEntries(facts) }, outcomes };
}
