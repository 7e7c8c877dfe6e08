// What a first answer takes. Cold: a process is forked, loads what it needs, connects and asks. After idling: each loop
// asks again when it has rested, for long enough that CPUs sleep and caches are others'.

import { afterPause, STEADY } from '../lib/scenario-kit/resting-half.js';
import { timesNamed } from '../lib/scenario-kit/usual-measures.js';

/** @import { Measure } from '../lib/types/measures.js' */
/** @import { Arrival } from '../lib/types/roles.js' */

const COLD = Object.freeze({ name: 'timeToFirstAnswer', title: 'first answer' });
const PARTS = /** @type {const} */ (['start', 'import', 'connect', 'answer']);
const PAUSES = Object.freeze({ 1: '1 ms', 10: '10 ms', 100: '100 ms', 1000: '1 s' });
const PAUSES_MS = Object.keys(PAUSES).map(Number);
const LEAST_WINDOW_MS = 2_400; // twice all pauses, and what is asked between them
const US_PER_MS = 1_000;

/**
 * @param {Pick<Measure, 'name' | 'title' | 'of' | 'partOf'>} words
 * @param {(arrival: Arrival) => number} msOf
 * @returns {Measure} the mean of the workers, so that parts add up
 */
function arrivalTime(words, msOf) {
  return {
    ...{ ...words, unit: 'µs', better: 'lower', kind: 'value' },
    read(reports) {
      const arrivals = reports.flatMap(({ arrival }) => arrival ?? []);
      return (US_PER_MS * arrivals.reduce((sum, arrival) => sum + msOf(arrival), 0)) / arrivals.length;
    },
  };
}

/** @type {import('../lib/types/scenarios.js').Scenario} */
export default {
  name: 'first-answer',
  summary:
    'cold, from the fork to the first verified answer; then each loop asks again after 1 ms to 1 s of rest',
  operation: Object.freeze({ one: 'first answer', many: 'first answers', done: 'got' }),
  measures: [
    arrivalTime(COLD, (arrival) => PARTS.reduce((sum, part) => sum + arrival[`${part}Ms`], 0)),
    ...PARTS.map((part) =>
      arrivalTime(
        { name: `${part}Time`, title: part, of: COLD.title, partOf: COLD.name },
        (arrival) => arrival[`${part}Ms`],
      ),
    ),
    timesNamed(STEADY, 'answer without a pause'),
    ...Object.entries(PAUSES).map(([ms, text]) => timesNamed(afterPause(Number(ms)), `after ${text}`)),
  ],
  loads: ['closed'],
  isCold: true,
  leastWindowMs: LEAST_WINDOW_MS,
  half: (role, kit) => (role === 'master' ? kit.answering() : kit.resting(PAUSES_MS)),
};
