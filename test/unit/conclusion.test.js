// Which sentences stand below the table. Their words are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { contrastsIn } from '../../lib/report/text/contrasts.js';
import { groupRows } from '../../lib/report/text/groups.js';
import { makeBriefNotes, makeNotes } from '../../lib/report/text/notes.js';
import { terminalTable } from '../../reports/table/terminal-table.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';
import { limited, withRatios } from '../fixtures/snapshot-results.js';

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
      /^(?:More busy|Codec and harness|Waking sleeping|The rate is too low|Processes could not)/;
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
      /^No clear difference from pipe\/json .*: unix\/json \(0\.81–2\.17\), .*1\.01–1\.15,\s+perhaps less than\s+2 %\)/ms,
    );
    assert.doesNotMatch(text, /1\.13|1\.54/);
    const [row] = measuredOf(results).filter(({ cell }) => cell.transport === 'unix');
    Object.assign(row.ratio ?? {}, { simultaneous: { low: 1.05, high: 1.66 } });
    assert.match(terminalTable(results, {}), /unix\/json is fastest .* 1\.32× .*\(95 % CI 1\.05–1\.66\)/);
  });

  it('tells transport and codec apart, whatever the reference', () => {
    const series = ['pipe/v8', 'pipe/json', 'unix/json', 'tcp/json', 'unix/string', 'fifo/string'];
    const contrastsOf = (/** @type {string} */ reference) => {
      const results = makeResults({ series, reference });
      const { measured, ...group } = groupRows(results)[0];
      return contrastsIn([{ ...group, measured }], reference, () => '').map(
        ({ differsIn, base, rows }) => `${differsIn}, ${base}: ${rows.map(({ name }) => name).join()}`,
      );
    };
    const others = ['codec, json: pipe/v8,unix/string', 'both, pipe/json: fifo/string'];
    assert.deepEqual(contrastsOf('pipe/json'), ['transport, pipe: unix,tcp', ...others]);
    // A codec of the reference alone compares no transports.
    assert.deepEqual(contrastsOf('pipe/v8'), [
      'transport, pipe: unix,tcp',
      others[0],
      'both, pipe/v8: fifo/string',
    ]);
    assert.deepEqual(contrastsOf('fifo/string'), [
      'transport, fifo: unix',
      'codec, string: unix/json',
      'both, fifo/string: pipe/v8,pipe/json,tcp/json',
    ]);
  });

  it('says of the fastest row how much is transport and how much codec', () => {
    const series = ['pipe/json', 'unix/json', 'unix/string'];
    const [answer] = conclusions(makeResults({ series }));
    const [whole, transport, codec] = [...answer.matchAll(/([\d.]+)×/g)].map(([, ratio]) => Number(ratio));
    assert.ok(Math.abs(Math.log((transport * codec) / whole)) < 0.03, answer);
    assert.match(
      conclusions(makeResults({ series: ['pipe/json', 'unix/string'] }))[0],
      /transport and codec differ/,
    );
    for (const alike of [
      ['pipe/json', 'unix/json'],
      ['unix/json', 'unix/string'],
    ])
      assert.doesNotMatch(conclusions(makeResults({ series: alike, reference: alike[0] })).join(), /codec/i);
  });
});
