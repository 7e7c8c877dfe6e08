// The time of a first response. Cold: a process is forked, loads its modules, connects and sends a request. After idling: each loop
// sends another request after a pause, in which CPUs may sleep and caches may be replaced.

import { parseNumberList } from '../lib/cell/settings.js';
import { US_PER_MS } from '../lib/format/units.js';
import { sum, sumBy } from '../lib/statistics/sum.js';
import { idleMeasures } from '../lib/workload/measures/usual-measures.js';

/** @import { Arrival, Measure, Scenario } from '../lib/types/index.js' */

const COLD = Object.freeze({ name: 'timeToFirstAnswer', title: 'first answer' });
const PARTS = /** @type {const} */ (['start', 'import', 'connect', 'answer']);
const PAUSES_MS = '1+10+100+1000';
const BETWEEN_PAUSES_MS = 45; // time for the requests between two pauses

/**
 * @param {Pick<Measure, 'name' | 'title' | 'of' | 'partOf'>} words
 * @param {(arrival: Arrival) => number | null} msOf   returns null if the arrival lacks the part
 * @returns {Measure} the mean over workers, so that the parts add up to the total
 */
function arrivalTime(words, msOf) {
  return {
    ...words,
    unit: 'µs',
    better: 'lower',
    kind: 'value',
    read(reports) {
      const known = reports.flatMap(({ arrival }) => (arrival ? (msOf(arrival) ?? []) : []));
      return known.length === 0 ? null : (US_PER_MS * sum(known)) / known.length;
    },
  };
}

/**
 * @param {string} idle   pauses in ms, such as '1+50'
 * @returns {{ measures: readonly [Measure, ...Measure[]], leastWindowMs: number }} the window has room for each pause twice
 */
function ofPauses(idle) {
  const pausesMs = parseNumberList(idle);
  return {
    measures: [
      arrivalTime(COLD, (arrival) => sumBy(PARTS, (part) => arrival[`${part}Ms`] ?? 0)),
      ...PARTS.map((part) =>
        arrivalTime(
          { name: `${part}Time`, title: part, of: COLD.title, partOf: COLD.name },
          (arrival) => arrival[`${part}Ms`],
        ),
      ),
      ...idleMeasures(pausesMs),
    ],
    leastWindowMs: sumBy(pausesMs, (pauseMs) => 2 * pauseMs + BETWEEN_PAUSES_MS),
  };
}

/** @type {Scenario} */
export default {
  name: 'first-answer',
  summary:
    'cold start: from the fork to the first verified response; then each loop sends again after 1 ms to 1 s of rest',
  operation: Object.freeze({ one: 'answer after a pause', many: 'answers after a pause', done: 'got' }),
  ...ofPauses(PAUSES_MS),
  ofSettings: ({ idle }) => ofPauses(String(idle)),
  loads: ['closed'],
  isCold: true,
  settings: {
    idle: {
      summary: 'pauses of each loop before its next request, one after the other: 1+50+2000',
      default: PAUSES_MS,
      isList: true,
      min: 1,
      max: 10_000,
      unit: 'ms',
    },
  },
  skipReason: ({ startsWorkers }, _settings, { content }) =>
    startsWorkers && content === 'bytes'
      ? 'its first task has a text: leave out --content bytes, or choose --scenario task:data=bytes'
      : null,
  // With pools, the main process sends the requests as tasks without work.
  tasks: () => ({ workUs: 0, resultBytes: 0, isBytes: false }),
  endpoints: { master: ['responder', 'idleTasks'], worker: ['idleRequester'] },
  endpoint(role, kit) {
    const pausesMs = parseNumberList(kit.settings.idle);
    if (role === 'worker') return kit.idleRequester(pausesMs);
    return kit.isPool ? kit.idleTasks(pausesMs) : kit.responder();
  },
};
