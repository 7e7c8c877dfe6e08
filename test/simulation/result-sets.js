// Results of rows whose cost of an operation is known: which of them is best at a payload, and where the answer changes, is
// known as well, so that recommendations can be judged.

import { SCENARIOS } from '../fixtures/counted.js';

/** @import { Source } from '../../lib/types/index.js' */
/** @typedef {ReturnType<typeof import('../fixtures/noise.js').noiseFrom>} Noise */
/** @typedef {(payloadBytes: number) => number} Cost   µs of an operation */
/**
 * Standard deviations are of logs: 0.05 is about 5 %.
 * @typedef {object} Conditions
 * @property {number} launches
 * @property {number} launchNoise   of what a fresh process makes of the same work
 * @property {number} disturbed     share of launches slowed to between 40 and 90 %
 * @property {number[]} payloads    that are measured
 */

const BLOCK_NOISE = 0.05;
const DRIFT = 0.05;
const [rate] = SCENARIOS['round-trip'].measures;

/** @param {number} place @param {number} payloadBytes @returns {import('../../lib/types/plans.js').Cell} */
function cellOf(place, payloadBytes) {
  return {
    transport: `simulated-${place}`,
    codec: 'json',
    scenario: 'round-trip',
    payloadBytes,
    workers: 1,
    loops: 1,
    placement: 'split',
    settings: {},
  };
}

/**
 * @param {Noise} noise
 * @param {Cost[]} costs    of each row
 * @param {Conditions} conditions
 * @returns {Source}
 */
export function simulatedResults(noise, costs, { launches, launchNoise, disturbed, payloads }) {
  const slope = DRIFT * noise.normal();
  const levels = Array.from(
    { length: launches },
    (_, block) => slope * ((block + 0.5) / launches - 0.5) + BLOCK_NOISE * noise.normal(),
  );
  const speedOf = (/** @type {number} */ level) => {
    const slowed = noise.uniform(0, 1) < disturbed ? Math.log(noise.uniform(0.4, 0.9)) : 0;
    return Math.exp(level + launchNoise * noise.normal() + slowed);
  };
  const outcomes = payloads.flatMap((payloadBytes) =>
    costs.map((costOf, place) => {
      const usual = 1e6 / costOf(payloadBytes);
      const rates = levels.map((level) => usual * speedOf(level));
      return {
        status: 'measured',
        cell: cellOf(place, payloadBytes),
        flags: [],
        headline: rate.name,
        operation: SCENARIOS['round-trip'].operation,
        measures: { [rate.name]: { ...rate, estimate: usual } },
        launches: rates.map((value, block) => ({
          block,
          values: { [rate.name]: value },
          costs: [],
          operations: 1,
        })),
        cpuUsPerOperation: { master: 1 },
        peakRssBytes: null,
      };
    }),
  );
  return { name: 'simulated', results: /** @type {any} */ ({ outcomes, scenarios: SCENARIOS }) };
}

/**
 * Fixed and per byte, as messages cost: the first is best for small ones, the second from the crossover on, and the others are
 * in between or worse.
 * @param {Noise} noise
 * @param {{ from: number, to: number, rows: number, bend?: number }} world   the payloads; bend: the exponent of bytes, left out: 1
 * @returns {{ costs: Cost[], crossover: number }}
 */
export function simulatedWorld(noise, { from, to, rows, bend = 1 }) {
  const between = (/** @type {number} */ low, /** @type {number} */ high) =>
    Math.exp(noise.uniform(Math.log(low), Math.log(high)));
  // In the middle two thirds of the axis: beyond its ends nothing can be found.
  const crossover = between(from ** (5 / 6) * to ** (1 / 6), from ** (1 / 6) * to ** (5 / 6));
  const fixed = between(10, 40);
  const perByte = between(0.3, 3) * (fixed / crossover ** bend);
  const times = between(1.3, 3); // as much as the first, to begin with
  const far = fixed * (times - 1);
  const lessPerByte = perByte - far / crossover ** bend;
  if (lessPerByte <= 0.05 * perByte) return simulatedWorld(noise, { from, to, rows, bend });
  const others = Array.from({ length: rows - 2 }, () => {
    const worse = between(1.05, 2);
    return (/** @type {number} */ x) => worse * (fixed * times + perByte * x ** bend);
  });
  const one = (/** @type {number} */ x) => fixed + perByte * x ** bend;
  const two = (/** @type {number} */ x) => fixed * times + lessPerByte * x ** bend;
  return { costs: [one, two, ...others], crossover };
}

/**
 * Rows of which the first is best everywhere, by as much as `lead` says, or by nothing.
 * @param {Noise} noise
 * @param {{ rows: number, lead: number }} world   lead: times what the others cost at the least
 * @returns {Cost[]}
 */
export function parallelWorld(noise, { rows, lead }) {
  const fixed = noise.uniform(10, 40);
  const perByte = noise.uniform(0.0005, 0.005);
  return Array.from({ length: rows }, (_, place) => {
    const times = place === 0 ? 1 : place === 1 ? lead : lead * noise.uniform(1, 2);
    return (/** @type {number} */ x) => times * (fixed + perByte * x);
  });
}
