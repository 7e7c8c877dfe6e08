// Which sentences stand below the table. Their words are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';
import { limited, withRatios } from '../fixtures/report-scenes.js';

describe('conclusions', () => {
  it('claims nothing if the interval contains 1, even at its very end', () => {
    for (const ratio of /** @type {[number, number, number][]} */ ([
      [1.01, 0.96, 1.05],
      [1.1, 1, 1.2],
      [0.9, 0.8, 1],
    ])) {
      const [sentence] = conclusions(withRatios({ 'unix/json': ratio }));
      assert.match(sentence, /^No clear difference from pipe\/json at 1,000 B, 2x4: unix\/json \(/);
    }
  });

  it('gives no verdict for a quick run, however many its launches', () => {
    const [sentence] = conclusions(withRatios({ 'unix/string': [1.62, 1.6, 1.7] }, { quick: true }));
    assert.match(sentence, /about 1\.62× .* in 6 launches; no verdict: a quick run\.$/);
  });

  it('never ranks by latency: results that differ only in tails get the same sentences', () => {
    const results = withRatios({ 'unix/string': [1.62, 1.55, 1.7], 'tcp/json': [0.9, 0.8, 0.95] });
    const before = conclusions(results);
    for (const latencyUs of measuredOf(results).flatMap(timesIn))
      Object.assign(latencyUs, { p99: 1e6 / (latencyUs.p99 ?? 1), p999: 7, max: 9 });
    assert.deepEqual(conclusions(results), before);
  });

  it('names a window of acknowledgements only if nothing else may limit the row', () => {
    const sentencesWith = (/** @type {(outcome: any) => void} */ change = () => {}) => {
      const results = limited();
      const [mqtt] = measuredOf(results);
      change(mqtt);
      return conclusions(results).filter((sentence) =>
        sentence.includes('the window of acknowledgements (inflight=1)'),
      );
    };
    assert.equal(sentencesWith().length, 1);
    for (const change of /** @type {((outcome: any) => void)[]} */ ([
      ({ backpressure }) => Object.assign(backpressure, { waits: 0 }),
      (outcome) => Object.assign(outcome, { busiest: null }),
      ({ cell }) => Object.assign(cell, { network: '1ms+10mbit' }),
      ({ cell }) => Object.assign(cell, { ratePerSecond: 100 }),
      // All processes share one CPU, which they use up together.
      ({ launches }) => {
        for (const { costs } of launches) for (const cost of costs) cost.cpus = [0];
      },
      ({ busiest }) => Object.assign(busiest, { share: 0.95 }),
    ]))
      assert.deepEqual(sentencesWith(change), [], String(change));
    assert.equal(sentencesWith(({ cell }) => Object.assign(cell, { network: '1ms' })).length, 1);
  });

  it('has at most eight sentences of 500 characters, and three properties at a first look', () => {
    const many = makeResults({
      payloads: [10, 100, 1000],
      shapes: ['1x1', '2x1', '4x1', '6x1', '1x4', '2x4', '4x4', '6x4', '6x8'],
      launches: 1,
      fail: ({ codec, loops }) => (codec === 'string' ? `reason ${loops}` : null),
    });
    for (const results of [makeResults(), makeResults({ quick: true, launches: 1 }), many]) {
      const sentences = conclusions(results);
      assert.ok(sentences.length <= 8 && sentences.every(({ length }) => length < 500), sentences.join('\n'));
    }
    const codes = ['free', 'low-rate', 'oversubscribed', 'wake-up', 'harness-limited', 'quick'];
    const flagged = makeResults({ series: ['pipe/json', 'unix/json'], flag: () => codes });
    const properties =
      /^(?:A quick run|More busy|Codec and harness|Waking sleeping|The rate is too low|Processes could not)/;
    const countOf = (/** @type {string[]} */ sentences) =>
      sentences.filter((text) => properties.test(text)).length;
    assert.deepEqual(
      [countOf(conclusions(flagged, { isBrief: true })), countOf(conclusions(flagged))],
      [3, codes.length],
    );
  });
});
