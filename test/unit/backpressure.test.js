// What is said of a slow taker, and what of memory: facts of what was handed in, and words of facts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  GrowthMonitor,
  growthMonitorFor,
  tooMuchMemory,
  tooMuchOfHost,
  watchMemory,
} from '../../lib/launch/monitors/memory-watch.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { backpressureOfRow } from '../../lib/report/text/delivery-words.js';
import { meanBackpressure } from '../../lib/results/summarise.js';
import { computeBackpressure } from '../../lib/run/findings/backpressure.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { Backpressure } from '../../lib/types/index.js' */

const onLinux = process.platform === 'linux' ? false : 'elsewhere no process knows the memory of another one';
const MB = 1e6;
const PAYLOAD = { payloadBytes: 1_000 };

/** @param {Partial<Record<'waits' | 'sentAtOpen', number>>} [sender] @param {number[]} [sentBins] @returns {any[]} of a worker that sends to a master */
function reportsOf({ waits = 0, sentAtOpen = 100 } = {}, sentBins = [1_000, 1_000]) {
  const both = { windowMs: 500, openMs: 0, mistakes: {} };
  return [
    {
      ...both,
      role: 'worker',
      id: 'w0',
      operations: null,
      bins: sentBins,
      streams: { w0: 2_100 },
      values: { atOpen: sentAtOpen, waits },
    },
    { ...both, role: 'master', id: 'master', operations: 1_000, bins: [500, 500], values: { atOpen: 100 } },
  ];
}

/** @param {Record<string, number>} grown   MB, by role @returns {any[]} */
const costsOf = (grown) =>
  Object.entries(grown).map(([role, megabytes]) => ({ name: role, role, grownRssBytes: megabytes * MB }));

describe('the facts of a slow taker', () => {
  it('computes the backlog of a stream, in the window and at its height', () => {
    const reports = reportsOf({ waits: 7 });
    reports[1].windowMs = 499; // the longest window counts
    const facts = computeBackpressure(reports, { costs: [], cell: { payloadBytes: 10 } });
    assert.deepEqual(facts, {
      waits: 7,
      backlog: 1_000,
      backlogPerSecond: 2_000,
      lostShare: 0,
      grownIn: null,
    });
  });

  it('has no backlog if more messages are delivered than sent', () => {
    const { backlog, backlogPerSecond } =
      computeBackpressure(reportsOf({ sentAtOpen: 90 }, [300, 300]), { costs: [], cell: PAYLOAD }) ??
      assert.fail();
    assert.deepEqual([backlog, backlogPerSecond], [0, -800]);
  });

  it('names the end whose memory grew by half of the backlog or more, or none', () => {
    const grownIn = (/** @type {Record<string, number>} */ grown, cell = PAYLOAD, more = {}) =>
      computeBackpressure(reportsOf(), { costs: [...costsOf(grown), ...costsOf(more)], cell })?.grownIn;
    assert.equal(grownIn({ master: 0.1, worker: 0.9 }), 'sender');
    assert.equal(grownIn({ master: 0.9, worker: 0.1 }), 'taker');
    assert.equal(grownIn({ master: 0.1, worker: 0.1, broker: 5 }), 'broker');
    assert.deepEqual(
      [grownIn({ master: 0.5 }), grownIn({ master: 0.49 }), grownIn({})],
      ['taker', null, null],
    );
    assert.equal(grownIn({ worker: 0.3 }, PAYLOAD, { worker: 0.3 }), 'sender', 'two of them together');
    assert.equal(grownIn({ pool: 5 }), null, 'neither end');
    assert.equal(grownIn({ worker: 0.9 }, { payloadBytes: 10 }), null, 'too little to tell');
  });

  it('names the role whose memory grew if each role sends and receives', () => {
    const [worker, master] = reportsOf();
    const { role: _role, id: _id, ...sent } = worker;
    const both = [
      { ...master, role: 'worker', id: 'w0', sent },
      { ...master, sent: { ...sent, streams: { 'to w0': 10 } } },
    ];
    for (const role of ['master', 'worker'])
      assert.equal(
        computeBackpressure(both, { costs: costsOf({ [role]: 9 }), cell: PAYLOAD })?.grownIn,
        role,
      );
  });

  it('computes the share of lost messages', () => {
    const shareOf = (/** @type {number} */ requests, /** @type {number} */ lost) => {
      const losses = { requests, lost, late: 0, reordered: 0 };
      return computeBackpressure(reportsOf(), { costs: [], losses, cell: PAYLOAD })?.lostShare;
    };
    assert.deepEqual([shareOf(200, 50), shareOf(1, 1), shareOf(0, 0)], [0.25, 1, 0]);
  });

  it('returns no backpressure without a stream, or if messages go to all workers', () => {
    const [worker, master] = reportsOf();
    assert.equal(computeBackpressure([master], { costs: [], cell: PAYLOAD }), null);
    const published = [{ ...worker, streams: { all: 5 } }, master];
    assert.equal(computeBackpressure(published, { costs: [], cell: PAYLOAD }), null);
  });

  it('averages the backpressure of several launches', () => {
    /** @type {Backpressure} */
    const one = { waits: 2, backlog: 10, backlogPerSecond: 4, lostShare: 0, grownIn: 'broker' };
    const other = { ...one, waits: 0, backlogPerSecond: 8, lostShare: 0.5, grownIn: null };
    assert.deepEqual(meanBackpressure([one, one, other, other].slice(1)), {
      waits: 2 / 3,
      backlog: 10,
      backlogPerSecond: 20 / 3,
      lostShare: 1 / 3,
      grownIn: null,
    });
    const grown = (/** @type {Backpressure['grownIn'][]} */ ...places) =>
      meanBackpressure(places.map((grownIn) => ({ ...one, grownIn }))).grownIn;
    assert.equal(grown('broker', null, 'broker'), 'broker');
    assert.equal(grown('sender', null), 'sender', 'half of them');
    assert.equal(grown('sender', 'taker', 'broker'), null);
  });
});

describe('the words for a slow taker', () => {
  const measures = /** @type {any} */ ({ delivered: { kind: 'value', estimate: 1_000 } });
  const row = { cell: { payloadBytes: 1_000 }, measures, headline: 'delivered' };
  /** @type {Backpressure} */
  const quiet = { waits: 0, backlog: 10, backlogPerSecond: 0, lostShare: 0, grownIn: null };
  const cases = /** @type {[Partial<Backpressure>, string][]} */ ([
    [{ backlogPerSecond: 49 }, 'keeps up'],
    [{ backlogPerSecond: -500 }, 'keeps up'],
    [{ waits: 3 }, 'waits'],
    [{ backlogPerSecond: 12_000 }, 'buffers: 12.0 MB/s'],
    [{ lostShare: 0.31, backlogPerSecond: 12_000, grownIn: 'sender' }, 'loses 31 %'],
    [{ lostShare: 0.021, waits: 3, backlog: 16_000 }, 'waits, loses 2.1 %'],
  ]);
  for (const [facts, words] of cases) {
    it(`writes "${words}" for ${JSON.stringify(facts)}`, () => {
      assert.equal(backpressureOfRow({ ...row, backpressure: { ...quiet, ...facts } }), words);
    });
  }
});

describe('a launch that took too much memory', () => {
  it('reports which process grew by how much memory, and the remedy', () => {
    const grown = [
      { name: 'master', bytes: 0 },
      { name: 'w0', bytes: 300 * 2 ** 20 },
      { name: 'redis', bytes: 700 * 2 ** 20 },
    ];
    const message = tooMuchMemory(grown, 900 * 2 ** 20, { forMs: 1_234.5, counted: 1_000 });
    assert.match(message, /grew by 0\.977 GiB within 1,23[45] ms \(redis by 700 MiB, w0 by 300 MiB\)/);
    assert.match(message, /counted 1,000 operations\. Shorten --warmup and --measure/);
    const ofHost = tooMuchOfHost(grown, 900 * 2 ** 20, 1_234.5);
    assert.match(ofHost, /^the workers on its host grew by 0\.977 GiB .*free memory\. Shorten --warmup/);
    const many = [...grown, ...['w2', 'w3'].map((name) => ({ name, bytes: 2 ** 20 }))];
    assert.match(
      tooMuchOfHost(many, 900 * 2 ** 20, 1),
      /w0 by 300 MiB, w2 by 1\.00 MiB\)/,
      'the first three',
    );
  });

  it('watches the memory of a launch in its runner, which is not measured', { skip: onLinux }, async () => {
    /** @type {any[]} */
    const sent = [];
    const runner = /** @type {any} */ ({ send: (/** @type {any} */ message) => void sent.push(message) });
    /** @type {any[]} */
    const failures = [];
    const group = /** @type {any} */ ({
      members: [
        { id: 'w0', worker: { pid: 11 } },
        { id: 'w1', worker: { pid: null } },
      ],
      fail: (/** @type {any} */ failure) => failures.push(failure),
    });
    const unread = () => assert.fail('nothing is read in the master');
    const master = /** @type {any} */ ({ pid: 10, residentBytes: unread });
    const endpoint = /** @type {any} */ ({ progress: () => 7 });
    const broker = { name: 'redis', pid: 12, cpus: null };
    const spec = /** @type {any} */ ({ memoryLimitBytes: 2 ** 20, broker, toMaster: null });
    watchMemory({ spec, group, endpoint, master, pool: null }, runner);
    const processes = [
      { name: 'master', pid: 10 },
      { name: 'w0', pid: 11 },
      { name: 'redis', pid: 12 },
    ];
    assert.deepEqual(sent, [{ control: 'watch', processes, limitBytes: 2 ** 20 }]);
    runner.onGrown([{ name: 'w0', bytes: 2 ** 21 }], 200);
    assert.deepEqual([failures[0].code, failures.length], ['MEMORY', 1]);
    assert.match(failures[0].message, /\(w0 by 2\.00 MiB\).* the master had counted 7 operations/);
  });

  it('watches the memory of a launch until it ends', { skip: onLinux }, (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    /** @type {any[]} */
    const told = [];
    const order = {
      control: /** @type {const} */ ('watch'),
      processes: [{ name: 'w0', pid: process.pid }],
      limitBytes: -1,
    };
    const makeMonitor = () => growthMonitorFor(order, (message) => void told.push(message));
    const first = makeMonitor();
    first.begin();
    t.mock.timers.tick(200);
    first.end();
    assert.deepEqual(
      told.map(({ control, grown }) => [control, grown[0].name]),
      [['grown', 'w0']],
    );
    const ended = makeMonitor();
    ended.begin();
    ended.end();
    t.mock.timers.tick(200);
    assert.equal(told.length, 1);
  });

  it('reports processes that together grew by more than the limit', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const bytes = { w0: 1_000, w1: 5_000 };
    /** @type {unknown[]} */
    const told = [];
    const watched = [
      { name: 'w0', read: () => bytes.w0 },
      { name: 'w1', read: () => bytes.w1 },
    ];
    new GrowthMonitor(watched, 150, (grown) => told.push(grown)).begin();
    Object.assign(bytes, { w0: 1_100, w1: 5_050 });
    t.mock.timers.tick(1_000);
    assert.deepEqual(told, []);
    Object.assign(bytes, { w0: 1_101, w1: 5_050 });
    t.mock.timers.tick(200);
    assert.deepEqual(told, [
      [
        { name: 'w0', bytes: 101 },
        { name: 'w1', bytes: 50 },
      ],
    ]);
  });
});

describe('what was sent, in a picture', () => {
  /** @param {string[]} shapes */
  function figureOf(shapes) {
    const results = buildResults({ series: ['unix/json', 'tcp/json'], shapes, reference: 'unix/json' });
    for (const outcome of results.outcomes) {
      if (outcome.status !== 'measured') continue;
      const [headline] = Object.values(outcome.measures);
      const sent = { ...headline, name: 'sent', title: 'sent', beside: headline.name, estimate: 3_000_000 };
      outcome.measures.sent = /** @type {any} */ (sent);
    }
    const [figure] = makeFigures(results);
    return figure;
  }

  it('marks the sent messages on the bar of each row, beside its number', () => {
    for (const shapes of [['2x4'], ['1x1', '2x4']]) {
      const { legend, panels } = figureOf(shapes);
      assert.deepEqual(
        legend.map(({ text, swatch }) => [text, swatch.kind === 'symbol' && swatch.symbol]),
        [['sent', 'diamond']],
      );
      for (const { options, marks: all } of panels) {
        const { max } = options.scales.x;
        const marks = all.filter(({ symbol }) => symbol === 'diamond');
        assert.deepEqual(
          marks.map(({ value }) => value),
          [3_000_000, 3_000_000],
        );
        assert.ok(max > 3_000_000);
        for (const { text, value } of all) assert.ok(text === undefined || value === max);
      }
    }
  });
});
