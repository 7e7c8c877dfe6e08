// A recommendation as plain data, for programs: names and numbers, without the launches behind them.

/** @import { Judged, Recommendation, Turn } from '../../types/index.js' */

/** @param {Recommendation} recommendation @param {string[]} sentences @returns {object} */
export function recommendationJson(recommendation, sentences) {
  const { request, evidence, certainty, choice, judged, broken, leftOut, turns, unranked } = recommendation;
  return {
    request,
    evidence: {
      scenario: evidence.question.scenario,
      ...evidence.spot,
      ratePerSecond: evidence.rate,
      load: evidence.rate === null ? 'closed' : 'open',
      unmeasured: evidence.unmeasured,
    },
    certainty,
    choice: choice && judgedJson(choice),
    others: judged.map(judgedJson),
    unranked: unranked.map(({ name }) => name),
    broken: broken.map(judgedJson),
    leftOut,
    turns: turns.map(turnJson),
    sentences,
  };
}

/** @param {Judged} judged @returns {object} */
function judgedJson({ candidate, ...numbers }) {
  return { name: candidate.name, ...numbers };
}

/** @param {Turn} turn @returns {object} */
function turnJson({ axis, by, choice, rival, side, crossover, spareUs }) {
  const { estimate, low, high } = crossover;
  return {
    axis,
    by,
    choice: choice.name,
    rival: rival.name,
    side,
    estimate,
    low,
    high,
    spareUs,
  };
}
