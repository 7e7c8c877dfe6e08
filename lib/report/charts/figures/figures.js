// Converts results to figures: selects the charts and describes them, with all their texts, as plain data for the renderers.

import { findMainTimes, readHeadline } from '../../../cell/headline.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { asOneQuestion, formatQuestion, isPossible } from '../../findings/groups.js';
import { axisFigures } from './axis-figures.js';
import { FIGURE_PX } from './figure.js';
import { latencyFigure } from './latency-figure.js';
import { explainedFigures, partsFigures } from './parts-figure.js';
import { percentileFigure, rateFigure } from './response-figures.js';
import { byPayload, divideByQuestion } from './series.js';
import { throughputFigure } from './throughput-figure.js';

/** @import { Estimate, Outcome, ReportOptions, Results } from '../../../types/index.js' */
/** @import { Figure } from '../chart-types.js' */

/**
 * @param {Results} results
 * @param {ReportOptions & { widthPx?: number, isLow?: boolean }} [options]
 * @returns {Figure[]} the figures of all questions; a payload without a measured row has none
 */
export function makeFigures(results, { title = '', widthPx = FIGURE_PX, isLow = false } = {}) {
  return divideByQuestion(onlyDrawable(results)).flatMap((divided) => {
    const question = { ...divided, title, widthPx, isLow };
    const measured = byPayload(question.outcomes).filter((ofPayload) => ofPayload.some(isMeasured));
    if (measured.length === 0) return [];
    if (question.model === 'open') {
      return measured.flatMap((ofPayload) => [
        ...rateFigure(question, ofPayload),
        ...percentileFigure(question, ofPayload),
      ]);
    }
    const timed = measured.filter((ofPayload) =>
      ofPayload.filter(isMeasured).every((outcome) => findMainTimes(outcome) !== null),
    );
    return [
      ...axisFigures(question),
      ...measured.map((ofPayload) => throughputFigure(question, ofPayload)),
      ...measured.flatMap((ofPayload) => partsFigures(question, ofPayload)),
      ...measured.flatMap((ofPayload) => explainedFigures(question, ofPayload)),
      ...timed.map((ofPayload) => latencyFigure(question, ofPayload)),
    ];
  });
}

/**
 * @param {Estimate} estimate
 * @returns {boolean} true if all values are above 0 and finite; a saved file contains null instead of an infinite number
 */
function isNumber({ estimate, low, high }) {
  return [estimate, low, high].every((value) => Number.isFinite(value) && value > 0);
}

/**
 * @param {Outcome} outcome
 * @returns {Outcome} a failed outcome if its headline cannot be drawn; `ratio` is null if only the ratio cannot be drawn
 */
function withNumbers(outcome) {
  if (outcome.status !== 'measured') return outcome;
  const { cell, launches, operation, ratio } = outcome;
  if (!isNumber(readHeadline(outcome))) {
    const message = `in a launch not one ${operation.one} ended within the window: use a longer --measure`;
    return { status: 'failed', cell, code: 'DEADLINE', message, launches };
  }
  return ratio === null || isNumber(ratio) ? outcome : { ...outcome, ratio: null };
}

/**
 * Removes rows that no machine can measure, marks rows whose headline cannot be drawn as failed, and omits the number of pieces from the
 * names of scenarios.
 * @param {Results} results
 * @returns {Results}
 */
function onlyDrawable(results) {
  const { scenarios } = results;
  const outcomes = results.outcomes
    .filter(isPossible)
    .map((outcome) => withNumbers(asOneQuestion(scenarios, outcome)));
  const named = Object.entries(scenarios).map(([name, facts]) => [formatQuestion(scenarios, name), facts]);
  return { ...results, scenarios: { ...scenarios, ...Object.fromEntries(named) }, outcomes };
}
