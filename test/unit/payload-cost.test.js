// What long payloads add to a task, from simulated rows whose truth is known.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMeasured } from '../../lib/report/text/groups.js';
import { growthSentences } from '../../lib/report/text/growth.js';
import { payloadCostSentences } from '../../lib/report/text/payload-cost.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Results } from '../../lib/types/index.js' */

/**
 * @param {Record<string, number>} usPerKiB   by transport
 * @param {(launch: number) => number | null} [noise]   µs; null: nobody knows the CPU time of that launch
 * @returns {Results} of tasks of 1 KiB, 10 KiB and 100 KiB
 */
function tasksOf(usPerKiB, noise = (launch) => (launch % 3) - 1) {
  const series = Object.keys(usPerKiB).map((name) => `${name}/v8`);
  const made = makeResults({ series, payloads: [102_400, 1_024, 10_240], launches: 6 });
  const outcomes = made.outcomes.map((outcome) => {
    if (!isMeasured(outcome)) return outcome;
    const us = usPerKiB[outcome.cell.transport] * (outcome.cell.payloadBytes / 1_024);
    const isLong = outcome.cell.payloadBytes > 1_024;
    return {
      ...outcome,
      measures: { ...outcome.measures, overheadPerTask: /** @type {any} */ ({}) },
      launches: outcome.launches.map((launch, place) => {
        const more = isLong ? noise(place) : 0;
        return {
          ...launch,
          values: { ...launch.values, overheadPerTask: more === null ? null : 40 + us + more },
        };
      }),
    };
  });
  return /** @type {any} */ ({ ...made, outcomes });
}

describe('what long payloads add to a task', () => {
  it('is told with an interval from the shortest to the longest, and what adds nothing by name', () => {
    assert.deepEqual(payloadCostSentences(tasksOf({ copying: 2, moving: 0 })), [
      'CPU time that a task of 100 KiB takes beyond one of 1 KiB: copying/v8 198 µs (197–199).',
      'No clear difference in CPU time between a task of 100 KiB and one of 1 KiB: moving/v8.',
    ]);
  });

  it('takes the place of the sentence on growth', () => {
    assert.deepEqual(growthSentences(tasksOf({ copying: 2 }), {}), []);
  });

  it('is not told of rows whose CPU time is unknown, or of another scenario', () => {
    assert.deepEqual(payloadCostSentences(tasksOf({ copying: 2 }, () => null)), []);
    assert.deepEqual(payloadCostSentences(makeResults({ payloads: [100, 1_000] })), []);
  });
});
