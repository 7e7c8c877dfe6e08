// What recommendations are worth, counted over many simulated results by the code that reads real ones.

import { decide } from '../../lib/report/recommend/decide.js';
import { evidenceFor } from '../../lib/report/recommend/evidence.js';
import { noiseFrom } from '../fixtures/noise.js';
import { parallelWorld, simulatedResults, simulatedWorld } from './result-sets.js';

/** @import { Request } from '../../lib/types/index.js' */
/** @import { Conditions } from './result-sets.js' */
/** @typedef {Conditions & { rows: number, bend?: number, lead?: number }} World   lead: nothing turns, and the first is better by so much */
/**
 * @typedef {object} Counts
 * @property {number} times
 * @property {number} right       the best row was named best, or as good as it by what one would notice
 * @property {number} undecided   it was said that this cannot be told
 * @property {number} wrong
 * @property {number} found       a crossover with the row that is best beyond it
 * @property {number} held        of these: the interval holds the true one
 * @property {number} invented    a crossover with another row, or a second one
 * @property {number[]} factors   by which the ends of the intervals differ
 */

const MIN_EFFECT = 0.05;
const TAKING_TURNS = ['simulated-0', 'simulated-1'];

/** @param {{ seed: number, times: number }} effort @param {World} world @returns {Counts} */
export function countedRecommendations({ seed, times }, world) {
  const noise = noiseFrom(seed);
  const counts = { times, right: 0, undecided: 0, wrong: 0, found: 0, held: 0, invented: 0, factors: [] };
  for (let time = 0; time < times; time++) countOne(noise, world, counts);
  return counts;
}

/**
 * @param {ReturnType<typeof noiseFrom>} noise
 * @param {World} world
 * @param {Counts} counts   of which one more is counted
 */
function countOne(noise, world, counts) {
  const { payloads, rows, bend, lead } = world;
  const [from, to] = [payloads[0], payloads[payloads.length - 1]];
  const { costs, crossover } =
    lead === undefined
      ? simulatedWorld(noise, { from, to, rows, bend })
      : { costs: parallelWorld(noise, { rows, lead }), crossover: null };
  const payloadBytes = Math.round(Math.exp(noise.uniform(Math.log(from), Math.log(to))));
  /** @type {Request} */
  const request = {
    needs: [],
    ratePerSecond: null,
    payloadBytes,
    shape: null,
    scenario: null,
    slo: null,
    minEffect: MIN_EFFECT,
    by: 'speed',
  };
  const evidence = evidenceFor([simulatedResults(noise, costs, world)], request, () => ({}));
  const recommendation = decide(evidence, request);
  const truth = costs.map((costOf) => costOf(payloadBytes));
  counts[judged(recommendation, truth)] += 1;
  const expected = recommendation.turns.filter((turn) => crossover !== null && isBetweenFirst(turn));
  if (recommendation.turns.length > expected.length || expected.length > 1) counts.invented += 1;
  if (crossover === null || expected.length === 0) return;
  const [{ crossover: told }] = expected;
  counts.found += 1;
  counts.held += Number(told.low <= crossover && crossover <= told.high);
  counts.factors.push(told.high / told.low);
}

/** @param {import('../../lib/types/recommendations.js').Turn} turn @returns {boolean} of the two rows that take turns in truth */
function isBetweenFirst({ choice, rival }) {
  return [choice, rival].every(({ cell }) => TAKING_TURNS.includes(cell.transport));
}

/**
 * @param {import('../../lib/types/recommendations.js').Recommendation} recommendation
 * @param {number[]} truth    what each row costs there
 * @returns {'right' | 'undecided' | 'wrong'}
 */
function judged({ certainty, choice }, truth) {
  if (choice === null || certainty === 'unclear' || certainty === 'none') return 'undecided';
  const own = truth[Number(choice.candidate.cell.transport.split('-')[1])];
  const least = Math.min(...truth);
  return own === least || (certainty === 'alike' && own <= least * (1 + MIN_EFFECT)) ? 'right' : 'wrong';
}
