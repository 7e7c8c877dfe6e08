// What a scenario with something in between adds to the one without: by differences of launches of the same blocks.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addedSentences, conclusions } from '../../lib/report/text/conclusion.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { MeasuredLaunch, Results } from '../../lib/types/index.js' */

/**
 * @param {number} launches
 * @param {(block: number) => number} addedUs   to the mean time; of CPU time twice as much
 * @returns {Results} of two transports
 */
function relayed(launches, addedUs) {
  const results = makeResults({ series: ['unix/json', 'tcp/json'], payloads: [100], launches });
  results.scenarios.relay = { ...results.scenarios['round-trip'], addsTo: 'round-trip' };
  const slower = (/** @type {MeasuredLaunch} */ launch) => {
    const us = addedUs(launch.block);
    const { serviceTime } = launch.times;
    const [master, ...others] = launch.costs;
    return {
      ...launch,
      times: { ...launch.times, serviceTime: { ...serviceTime, meanNs: serviceTime.meanNs + us * 1_000 } },
      costs: [{ ...master, userUs: master.userUs + 2 * us * launch.operations }, ...others],
    };
  };
  const copies = results.outcomes.map((outcome) => {
    const cell = { ...outcome.cell, scenario: 'relay' };
    return outcome.status === 'measured'
      ? { ...outcome, cell, launches: outcome.launches.map(slower) }
      : { ...outcome, cell };
  });
  return { ...results, outcomes: [...results.outcomes, ...copies] };
}

describe('what a hop adds', () => {
  it('is told with the interval of its differences, for each row', () => {
    const [sentence, ...others] = addedSentences(relayed(6, (block) => 25 + block));
    assert.deepEqual(others, []);
    assert.match(sentence, /^Added to round-trip at 100 B, .*, relay, in mean latency and in CPU time/);
    assert.match(sentence, /unix\/json 27\.5 µs \(25\.0–30\.0\) and 55\.0 µs \(50\.0–60\.0\)/);
    assert.match(sentence, /tcp\/json 27\.5 µs /);
  });

  it('is in brackets where the launches are too few for an interval, and stands alone where there is one', () => {
    assert.match(
      addedSentences(relayed(3, (block) => 25 + block))[0],
      /unix\/json 26\.0 µs \[25\.0–27\.0\] and/,
    );
    assert.match(addedSentences(relayed(1, () => 25))[0], /unix\/json 25\.0 µs and 50\.0 µs/);
  });

  it('has an unknown CPU time where no launches that are compared have one', () => {
    const results = relayed(3, () => 25);
    const measured = results.outcomes.filter((outcome) => outcome.status === 'measured');
    const unknown = (/** @type {MeasuredLaunch[]} */ launches) => {
      for (const launch of launches) Object.assign(launch, { costs: [], unknownCosts: ['w0'] });
    };
    unknown(measured[0].launches.slice(1));
    assert.match(addedSentences(results)[0], /unix\/json 25\.0 µs \S+ and 50\.0 µs,/);
    unknown(measured[0].launches);
    assert.match(addedSentences(results)[0], /unix\/json 25\.0 µs \S+ and an unknown CPU time,/);
  });

  it('is not told apart from nothing where its interval holds zero', () => {
    const [sentence] = addedSentences(relayed(6, (block) => (block % 2 === 0 ? -1 : 2)));
    assert.match(sentence, /unix\/json no clear difference \(−1\.00 to 2\.00 µs\)/);
  });

  it('pairs launches of one block only', () => {
    const results = relayed(6, (block) => 25 + block);
    for (const { cell, ...outcome } of results.outcomes)
      if (cell.scenario === 'relay' && 'launches' in outcome)
        outcome.launches.forEach((launch) => {
          launch.block += 100;
        });
    assert.deepEqual(addedSentences(results), []);
  });

  it('is nothing to say where only one of the two was measured', () => {
    const results = relayed(6, () => 25);
    const alone = results.outcomes.filter(({ cell }) => cell.scenario === 'relay');
    assert.deepEqual(addedSentences({ ...results, outcomes: alone }), []);
    assert.deepEqual(addedSentences(makeResults({ payloads: [100] })), []);
  });

  it('is told the same of a saved file, which knows what a scenario adds to', () => {
    const results = relayed(6, (block) => 25 + block);
    const read = parseResults(resultsText(results), 'results.json');
    assert.deepEqual(addedSentences(read), addedSentences(results));
    assert.ok(conclusions(read).includes(addedSentences(results)[0]));
  });
});
