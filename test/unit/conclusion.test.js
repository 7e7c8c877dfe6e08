// Which sentences stand below the table. Their words are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import { seriesLabel } from '../../lib/cell/labels.js';
import { contrastsIn } from '../../lib/report/findings/contrasts.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { makeBriefNotes, makeNotes } from '../../lib/report/text/notes.js';
import { terminalTable } from '../../reports/table/terminal-table.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { limited, withRatios } from '../fixtures/snapshot-results.js';
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

  it('names a window of acknowledgements only if nothing else may limit the row', () => {
    const sentencesWith = (/** @type {(outcome: any) => void} */ change = () => {}) => {
      const results = limited();
      const [mqtt] = measuredOf(results);
      change(mqtt);
      return makeBriefNotes(results).filter((note) =>
        note.startsWith('The window of acknowledgements (inflight=1)'),
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

  it('has at most eight sentences of 500 characters, and its notes three properties at a first look', () => {
    const many = buildResults({
      payloads: [10, 100, 1000],
      shapes: ['1x1', '2x1', '4x1', '6x1', '1x4', '2x4', '4x4', '6x4', '6x8'],
      launches: 1,
      fail: ({ codec, loops }) => (codec === 'string' ? `reason ${loops}` : null),
    });
    for (const results of [buildResults(), buildResults({ quick: true, launches: 1 }), many]) {
      const sentences = conclusions(results);
      assert.ok(sentences.length <= 8 && sentences.every(({ length }) => length < 500), sentences.join('\n'));
    }
    const codes = ['free', 'oversubscribed', 'wake-up', 'harness-limited', 'quick'];
    const flagged = buildResults({ series: ['pipe/json', 'unix/json'], flag: () => codes });
    flagged.environment.usableCpus = [0];
    const properties = /^(?:\d+ processes use|Codec and harness|Waking sleeping|Processes could not)/;
    const countOf = (/** @type {string[]} */ sentences) =>
      sentences.filter((text) => properties.test(text)).length;
    assert.deepEqual(
      [countOf(makeBriefNotes(flagged)), countOf(makeNotes(flagged))],
      [3, codes.length - 1], // a quick run is the reason why there is no verdict
    );
  });

  it('prints beside a verdict the interval that it goes by', () => {
    const results = withRatios({ 'unix/json': [1.32, 1.13, 1.54], 'tcp/json': [1.08, 1.01, 1.15] });
    for (const { cell, ratio } of measuredOf(results))
      if (cell.transport === 'unix') Object.assign(ratio ?? {}, { simultaneous: { low: 0.81, high: 2.17 } });
    const text = terminalTable(results, {});
    assert.match(
      text,
      /^No clear difference between unix\/json and .* \(95 %\s+CI 0\.81–2\.17\).*1\.01–1\.15,\s+perhaps less than\s+2 %\)/ms,
    );
    assert.doesNotMatch(text, /1\.13|1\.54/);
    const [row] = measuredOf(results).filter(({ cell }) => cell.transport === 'unix');
    Object.assign(row.ratio ?? {}, { simultaneous: { low: 1.05, high: 1.66 } });
    assert.match(terminalTable(results, {}), /unix\/json is fastest .* 1\.32× .*\(95 % CI 1\.05–1\.66\)/);
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

    it('are named with their sleeps and the ratio of their CPU times, in one sentence', () => {
      for (const texts of added({ 'tcp/json': { sleeps: 0.06, cpuUs: 17.4 } })) {
        assert.equal(texts.length, 1, texts.join('\n'));
        for (const part of ['tcp/json 1.45×', 'pipe/json', '0.06 and 0.35', '0.87×', 'may be'])
          assert.ok(texts[0].includes(part), `${part}: ${texts[0]}`);
        assert.ok(!texts[0].includes('unix/json'), texts[0]);
      }
      const both = { sleeps: 0.9, cpuUs: 40 };
      for (const texts of added({ 'tcp/json': both, 'unix/json': both })) assert.equal(texts.length, 1);
    });

    it('are compared with the row of their contrast, too', () => {
      const series = ['pipe/json', 'unix/json', 'unix/string'];
      const results = withSleeps(buildResults({ series }), {
        'pipe/json': { sleeps: 0.2, cpuUs: 20 },
        'unix/json': { sleeps: 0.12, cpuUs: 20 },
        'unix/string': { sleeps: 0.3, cpuUs: 10 },
      });
      const text = conclusions(results).find((sentence) => sentence.includes('sleeps')) ?? '';
      assert.match(text, /unix\/string [\d.]+× of unix\/json .*0\.50×/);
      assert.doesNotMatch(text, /of pipe\/json/);
    });

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
    const series = ['pipe/v8', 'pipe/json', 'unix/json', 'tcp/json', 'unix/string', 'fifo/string'];
    const contrastsOf = (/** @type {string} */ reference) => {
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
