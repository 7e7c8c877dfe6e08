// Which sentences stand below the table. Their words are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import { seriesLabel } from '../../lib/cell/labels.js';
import { contrastsIn } from '../../lib/report/findings/contrasts.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { limited, withRatios } from '../fixtures/snapshot-results.js';
import { withBlocks } from '../fixtures/with-blocks.js';
import { withSleeps } from '../fixtures/with-sleeps.js';

/** @import { MeasuredOutcome } from '../../lib/types/index.js' */

describe('conclusions', () => {
  it('never ranks by latency: results that differ only in tails get the same sentences', () => {
    const results = withRatios({ 'unix/string': [1.62, 1.55, 1.7], 'tcp/json': [0.9, 0.8, 0.95] });
    const before = conclusions(results);
    for (const latencyUs of measuredOf(results).flatMap(timesIn))
      Object.assign(latencyUs, { p99: 1e6 / (latencyUs.p99 ?? 1), p999: 7, max: 9 });
    assert.deepEqual(conclusions(results), before);
  });

  it('say briefly which row blocks an event loop only if payloads are long', () => {
    const blocksAt = (/** @type {number} */ payload) => {
      const results = buildResults({ series: ['pipe/json', 'unix/json'], payloads: [payload] });
      const blocked = withBlocks(results, { 'pipe/json': { masterMs: 10 }, 'unix/json': { masterMs: 40 } });
      return conclusions(blocked, { isBrief: true }).some((text) => text.includes('event loop'));
    };
    assert.deepEqual([65_535, 65_536].map(blocksAt), [false, true]);
  });

  it('names a window of acknowledgements only if nothing else may limit the row', () => {
    const sentencesWith = (/** @type {(outcome: any) => void} */ change = () => {}) => {
      const results = limited();
      const [mqtt] = measuredOf(results);
      change(mqtt);
      return makeNotes(results, { isBrief: true }).filter((note) =>
        note.startsWith('The window of acknowledgements (inflight=1)'),
      );
    };
    assert.equal(sentencesWith().length, 1);
    for (const change of /** @type {((outcome: any) => void)[]} */ ([
      ({ backpressure }) => Object.assign(backpressure, { waits: 0 }),
      (outcome) => Object.assign(outcome, { busiest: null }),
      ({ cell }) => Object.assign(cell, { network: '1ms+10mbit' }),
      ({ cell }) => Object.assign(cell, { ratePerSecond: 100 }),
      // All processes of a launch share one CPU, which they use up together.
      ({ launches }) => {
        for (const cost of launches[0].costs) cost.cpus = [0];
      },
      ({ busiest }) => Object.assign(busiest, { share: 0.95 }),
    ]))
      assert.deepEqual(sentencesWith(change), [], String(change));
    assert.equal(sentencesWith(({ cell }) => Object.assign(cell, { network: '1ms' })).length, 1);
  });

  describe('rows that sleep unequally often', () => {
    const RATIOS = /** @type {const} */ ({ 'tcp/json': [1.45, 1.41, 1.51], 'unix/json': [1.12, 1.07, 1.18] });
    const EVEN = { sleeps: 0.35, cpuUs: 20 };
    /** @param {Parameters<typeof withSleeps>[1]} bySeries @returns {string[][]} sentences that equal sleeps do not have, brief and full */
    const added = (bySeries) => {
      const sentences = (/** @type {typeof bySeries} */ own) => {
        const results = withSleeps(withRatios(/** @type {any} */ (RATIOS)), {
          'pipe/json': EVEN,
          'tcp/json': EVEN,
          'unix/json': EVEN,
          ...own,
        });
        return [true, false].map((isBrief) => conclusions(results, { isBrief }));
      };
      const [even, uneven] = [sentences({}), sentences(bySeries)];
      return uneven.map((texts, form) => texts.filter((text) => !even[form].includes(text)));
    };

    it('are not named if the counts are alike, small or unknown, or if the rows poll', () => {
      for (const sleeps of [0.18, 0.69, null])
        assert.deepEqual(added({ 'tcp/json': { sleeps, cpuUs: 10 } }), [[], []], String(sleeps));
      const few = { sleeps: 0.01, cpuUs: 20 };
      const fewer = { sleeps: 0.002, cpuUs: 20 };
      const results = withSleeps(withRatios(/** @type {any} */ (RATIOS)), {
        'pipe/json': few,
        'tcp/json': fewer,
        'unix/json': few,
      });
      assert.doesNotMatch(conclusions(results).join(), /CPU time [\d.]+×/);
      const sentencesWith = (/** @type {(outcome: MeasuredOutcome) => void} */ change) => {
        const uneven = withSleeps(withRatios(/** @type {any} */ (RATIOS)), {
          'pipe/json': EVEN,
          'tcp/json': fewer,
          'unix/json': EVEN,
        });
        measuredOf(uneven).forEach(change);
        return conclusions(uneven).join();
      };
      assert.match(
        sentencesWith(() => {}),
        /CPU time [\d.]+×/,
      );
      for (const change of /** @type {((outcome: MeasuredOutcome) => void)[]} */ ([
        ({ cell }) => Object.assign(cell, { poll: 'busy' }),
        ...['pipe', 'tcp'].map((transport) => (/** @type {MeasuredOutcome} */ { cell, launches }) => {
          if (cell.transport === transport) for (const launch of launches) launch.isSpinning = true;
        }),
      ]))
        assert.doesNotMatch(sentencesWith(change), /CPU time [\d.]+×/, String(change));
    });
  });

  it('tells transport and codec apart, whatever the reference', () => {
    const all = ['pipe/v8', 'pipe/json', 'unix/json', 'tcp/json', 'unix/string', 'fifo/string'];
    const contrastsOf = (/** @type {string} */ reference, series = all) => {
      const results = buildResults({ series, reference });
      const { measured, ...group } = groupRows(results)[0];
      return contrastsIn([{ ...group, measured }], reference, () => '').map(({ differsIn, base, rows }) => {
        const names = rows.map(({ carrier, cell }) =>
          differsIn === 'transport' ? carrier : seriesLabel(cell),
        );
        return `${differsIn}, ${base}: ${names.join()}`;
      });
    };
    const others = ['codec, json: pipe/v8,unix/string', 'other, pipe/json: fifo/string'];
    assert.deepEqual(contrastsOf('pipe/json'), ['transport, pipe: unix,tcp', ...others]);
    // A codec of the reference alone compares no transports.
    assert.deepEqual(contrastsOf('pipe/v8'), [
      'transport, pipe: unix,tcp',
      others[0],
      'other, pipe/v8: fifo/string',
    ]);
    // Where no two transports share a codec, that of the reference is the base.
    assert.deepEqual(contrastsOf('pipe/v8', ['pipe/json', 'pipe/v8', 'unix/string']), [
      'codec, v8: pipe/json',
      'other, pipe/v8: unix/string',
    ]);
    assert.deepEqual(contrastsOf('fifo/string'), [
      'transport, fifo: unix',
      'codec, string: unix/json',
      'other, fifo/string: pipe/v8,pipe/json,tcp/json',
    ]);
  });

  it('says of the fastest row how much is transport and how much codec', () => {
    const series = ['pipe/json', 'unix/json', 'unix/string'];
    const [answer] = conclusions(buildResults({ series }));
    const [whole, transport, codec] = [...answer.matchAll(/([\d.]+)×/g)].map(([, ratio]) => Number(ratio));
    assert.ok(Math.abs(Math.log((transport * codec) / whole)) < 0.03, answer);
    assert.match(
      conclusions(buildResults({ series: ['pipe/json', 'unix/string'] }))[0],
      /transport and codec differ/,
    );
    for (const alike of [
      ['pipe/json', 'unix/json'],
      ['unix/json', 'unix/string'],
    ])
      assert.doesNotMatch(conclusions(buildResults({ series: alike, reference: alike[0] })).join(), /codec/i);
  });
});
